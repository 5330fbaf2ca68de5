#include "supple/workflow/jobs/unit.h"

#include <fmt/core.h>

#include "supple/deform/posed_surfaces.h"

namespace supple::workflow {
namespace {

constexpr double largest_creature = 20;  // metres, from corner to corner

double guessed_unit(double size) {
  if (!(size > largest_creature)) return 1;
  return size * 0.01 <= largest_creature ? 0.01 : 0.001;
}

}  // namespace

Box world_box(const Character& character) {
  Box box;
  const auto posed = posed_surfaces(character, character.rest());
  if (!posed) return box;
  std::vector<Vec3f> corners;
  for (const Part& part : posed->parts) {
    if (part.mesh.positions.empty()) continue;
    const Box own = bounds(part.mesh.positions);
    corners.push_back(own.low);
    corners.push_back(own.high);
  }
  return bounds(corners);
}

double settle_unit(Character& character, Work& work) {
  if (character.unit) return *character.unit;
  if (character.parts.empty()) return 1;
  const double size = double{world_box(character).diagonal()}, unit = guessed_unit(size);
  if (unit == 1) return 1;
  character.unit = unit;
  work.warnings.push_back(fmt::format(
      "the character is {:.0f} units large: they are taken for {}, which makes {:.2f} m (say what they are with supple "
      "convert --unit METRES; 1 for metres)",
      size, unit == 0.01 ? "centimetres" : "millimetres", size * unit));
  return unit;
}

double settle_unit(Model& model, std::optional<double> stated, Work& work) {
  if (stated) model.character().unit = *stated;
  const double unit = settle_unit(model.character(), work);
  if (model.character().unit) gltf::put_unit(model.document, unit);
  return unit;
}

}  // namespace supple::workflow
