// From landmarks to bones with names and frames.
#include "supple/make/figure_anatomy.h"

#include "supple/make/frame_along.h"

namespace supple::make {
std::vector<FigureBone> figure_bones() {
  std::vector<FigureBone> bones;
  const auto add = [&](const std::string& part, BodySide side, std::optional<std::size_t> parent, Vec3d head,
                       Vec3d tail) {
    if (side == BodySide::right) head = mirrored(head), tail = mirrored(tail);
    const char* suffix = side == BodySide::left ? "-left" : side == BodySide::right ? "-right" : "";
    const Vec3d front = part == "foot" ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    bones.push_back({part + suffix, part, side, parent, head, tail, frame_along(tail - head, front)});
    return bones.size() - 1;
  };
  using namespace landmark;
  const std::size_t root = add("root", BodySide::middle, {}, {0, 0, 0}, {0, 0.1, 0});
  const std::size_t pelvis = add("hips", BodySide::middle, root, hips, spine);
  const std::size_t waist = add("spine", BodySide::middle, pelvis, spine, chest);
  const std::size_t thorax = add("chest", BodySide::middle, waist, chest, neck);
  const std::size_t nape = add("neck", BodySide::middle, thorax, neck, head);
  add("head", BodySide::middle, nape, head, crown);
  for (const BodySide side : {BodySide::left, BodySide::right}) {
    const std::size_t collar = add("shoulder", side, thorax, shoulder, arm);
    const std::size_t upper = add("upper-arm", side, collar, arm, elbow);
    const std::size_t lower = add("forearm", side, upper, elbow, wrist);
    add("hand", side, lower, wrist, fingers);
    const std::size_t thigh = add("thigh", side, pelvis, hip, knee);
    const std::size_t shin = add("shin", side, thigh, knee, ankle);
    add("foot", side, shin, ankle, toes);
  }
  return bones;
}

}  // namespace supple::make
