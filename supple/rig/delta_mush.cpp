#include "supple/rig/delta_mush.h"

#include "supple/rig/character.h"

namespace supple {

Result<void> validate(const DeltaMush& mush, const Character& character) {
  const auto wrong = [](std::string problem, std::string remedy = "") {
    return Error{"delta mush", std::move(problem), std::move(remedy)};
  };
  if (mush.part >= character.parts.size())
    return wrong("is on part " + std::to_string(mush.part) + ", which does not exist");
  if (!character.parts[mush.part].skin)
    return wrong("is on part '" + character.parts[mush.part].name + "', which is not bound to joints",
                 "supple bind gives it skin weights");
  if (mush.iterations < 1 || mush.iterations > DeltaMush::max_iterations)
    return wrong("has " + std::to_string(mush.iterations) + " iterations", "choose 1 to 200");
  if (!(mush.strength > 0 && mush.strength <= 1)) return wrong("has a strength that is not above 0 and at most 1");
  return {};
}

constinit const DeformerKind delta_mush_kind{
    .name = "delta mush",
    .member = "deltaMush",
    .elsewhere = "plain skinning; supple simulate --deformer delta-mush and supple fit make morph targets of it",
    .learnt = true,
    .teacher = "delta-mush",
    .made_by = "supple delta-mush makes others",
    .add_usual = [](Character& c, std::uint32_t part) { c.delta_mush.push_back({.part = part}); },
    .count = [](const Character& c) { return c.delta_mush.size(); },
    .summary =
        [](const Character& c) {
          std::string result;
          for (const DeltaMush& m : c.delta_mush)
            result += (result.empty() ? "" : "; ") + std::to_string(m.iterations) + " iterations over " +
                      std::to_string(c.parts[m.part].mesh.positions.size()) + " vertices of '" + c.parts[m.part].name +
                      "'";
          return result;
        },
    .check = [](const Character& c) -> Result<void> {
      std::vector<bool> smoothed(c.parts.size());
      for (const DeltaMush& m : c.delta_mush) {
        if (auto ok = validate(m, c); !ok) return ok;
        if (smoothed[m.part]) return Error{"delta mush", "is on part '" + c.parts[m.part].name + "' twice", ""};
        smoothed[m.part] = true;
      }
      return {};
    },
    .clear = [](Character& c) { c.delta_mush.clear(); }};

}  // namespace supple
