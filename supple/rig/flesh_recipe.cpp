#include "supple/rig/flesh_recipe.h"

#include <array>

#include "supple/base/text.h"

namespace supple {
namespace {

/// The first is the usual one. A spring at f gives way by a / (2 pi f)^2 to an acceleration a: in a run, with one and a
/// half times gravity, by 23 mm, 8 mm and 77 mm.
constexpr std::array<SpringPreset, 3> presets{{{"soft", "relaxed muscle and fat", 4, 0.3},
                                               {"firm", "tense muscle, an athlete", 7, 0.4},
                                               {"jelly", "cartoons and monsters", 2.2, 0.12}}};

}  // namespace

std::span<const SpringPreset> spring_presets() { return presets; }

Result<SpringPreset> spring_preset(std::string_view name) {
  std::string names;
  for (const SpringPreset& preset : presets) {
    if (name == preset.name) return preset;
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  return Error{"preset '" + std::string(name) + "'", "is not known", "choose " + names};
}

}  // namespace supple
