#include "supple/workflow/report/map_painter.h"

#include <algorithm>
#include <limits>

#include "supple/base/text.h"
#include "supple/geometry/bvh.h"
#include "supple/render/legend.h"

namespace supple::workflow {
namespace {

std::vector<float> distances(std::span<const Vec3f> from, std::span<const Vec3f> to) {
  std::vector<float> result;
  for (std::size_t i = 0; i < from.size(); ++i) result.push_back(length(from[i] - to[i]));
  return result;
}

/// Distance of each vertex to the reference: to its own counterpart where the meshes match, to the surface otherwise.
std::vector<float> errors(const Posed& posed, std::size_t part, const Posed& reference,
                          const Character& reference_character) {
  if (part < reference.positions.size() && reference.positions[part].size() == posed.positions[part].size()) {
    return distances(posed.positions[part], reference.positions[part]);
  }
  std::vector<Bvh> surfaces;
  for (std::size_t p = 0; p < reference.positions.size(); ++p)
    surfaces.emplace_back(reference.positions[p], reference_character.parts[p].mesh.triangles);
  std::vector<float> result;
  for (const Vec3f& v : posed.positions[part]) {
    float nearest = std::numeric_limits<float>::infinity();
    for (const Bvh& b : surfaces) nearest = std::min(nearest, b.closest(v, nearest).distance);
    result.push_back(nearest);
  }
  return result;
}

}  // namespace

Result<MapPainter> MapPainter::make(const Character& character, const Look& look) {
  MapPainter painter(character, look);
  if (look.map.empty() || look.map == "weights" || look.map == "displacement") return painter;
  if (look.map == "error") {
    if (look.reference == nullptr)
      return Error{"--map error", "needs something to compare with", "name it with --reference"};
    return painter;
  }
  if (look.map.starts_with("weights:")) {
    const auto joint = character.skeleton.require(look.map.substr(8));
    if (!joint) return joint.error();
    painter.joint_ = *joint;
    return painter;
  }
  const std::vector<std::string> maps{"weights", "displacement", "error"};
  const std::string near = did_you_mean(look.map, maps);
  return Error{"--map " + look.map, "is not a map",
               near.empty() ? "there are weights, weights:JOINT, displacement and error" : near};
}

std::vector<float> MapPainter::values(std::size_t part, const Posed& posed, const Posed& rest,
                                      const Posed& reference) const {
  const Part& p = character_->parts[part];
  if (look_->map == "displacement") return distances(posed.positions[part], rest.positions[part]);
  if (look_->map == "error") return errors(posed, part, reference, look_->reference->character());
  std::vector<float> none(p.mesh.positions.size());
  if (!p.skin) return none;
  const auto& joints = character_->skins[*p.skin].joints;
  const auto found = std::find(joints.begin(), joints.end(), joint_);
  return found == joints.end() ? none
                               : render::weights_of(p.weights, static_cast<std::uint32_t>(found - joints.begin()));
}

void MapPainter::set_range(float max) {
  max_ = of_weights() ? 1 : look_->map_max_mm > 0 ? static_cast<float>(look_->map_max_mm / 1000) : max;
}

std::vector<Vec3f> MapPainter::colours(std::size_t part, const Posed& posed) const {
  if (look_->map.empty()) return {};
  const Part& p = character_->parts[part];
  if (!scalar()) return p.skin ? render::weight_colours(p.weights) : std::vector<Vec3f>();
  return render::map_colours(posed.values[part], 0, max_, map());
}

render::Image MapPainter::with_legend(const render::Image& image) const {
  if (look_->map.empty()) return image;
  if (scalar()) {
    if (of_weights())
      return render::with_legend(image, render::ScaleLegend{character_->skeleton.name(joint_), "", 0, 1, map()});
    return render::with_legend(image, render::ScaleLegend{look_->map, "mm", 0, max_ * 1000, map()});
  }
  render::CategoryLegend legend{"weights", {}};
  for (const Part& p : character_->parts) {
    if (!p.skin) continue;
    const auto& joints = character_->skins[*p.skin].joints;
    for (std::size_t k = 0; k < joints.size(); ++k)
      legend.entries.push_back({character_->skeleton.name(joints[k]), render::category_colour(k)});
    break;
  }
  return render::with_legend(image, legend);
}

}  // namespace supple::workflow
