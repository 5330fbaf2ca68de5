#include "supple/author/propose/propose_limbs.h"

#include <algorithm>
#include <cmath>

#include "supple/base/transform.h"
#include "supple/deform/field/limbs.h"

namespace supple {
namespace {

/// The rotation that takes y to the unit vector.
Quatd from_y(Vec3d to) {
  const Vec3d y{0, 1, 0};
  const Vec3d axis = cross(y, to);
  const double w = 1 + dot(y, to);
  if (w < 1e-9) return {1, 0, 0, 0};  // half a turn about x
  return normalized(Quatd{axis.x, axis.y, axis.z, w});
}

TissuePrimitive ellipsoid(const Skeleton& skeleton, const Limb& limb, const BoneSegment& s, const Affinef& world,
                          const TissueOptions& options) {
  const Mat3d back = transpose(unscaled_axes(Mat3d(world.linear)));
  const Vec3d along = normalized(s.b - s.a, Vec3d{0, 1, 0});
  const Vec3d from = s.a - along * ((s.cut_a ? options.overlap : options.tip) * limb.radius);
  const Vec3d to = s.b + along * ((s.cut_b ? options.overlap : options.tip) * limb.radius);
  TissuePrimitive p;
  p.name = skeleton.name(limb.joint);
  p.joint = limb.joint;
  p.center = Vec3f(back * ((from + to) / 2.0 - Vec3d(world.translation)));
  p.orientation = Quatf(from_y(back * along));
  const auto across = static_cast<float>(options.thickness * limb.radius);
  p.radii = {across, static_cast<float>(length(to - from) / 2), across};
  return p;
}

}  // namespace

Result<std::vector<TissuePrimitive>> propose_tissue(const Character& character, const TissueOptions& options) {
  const auto body = FleshBody::of(character);
  if (!body) return body.error();
  const auto limbs = find_limbs(character, *body);
  if (!limbs) return limbs.error();
  std::vector<TissuePrimitive> tissue;
  for (const Limb& limb : *limbs) {
    for (std::size_t i = 0; i < limb.segments.size(); ++i) {
      tissue.push_back(ellipsoid(character.skeleton, limb, limb.segments[i], body->world[limb.joint], options));
      if (limb.segments.size() > 1) tissue.back().name += " " + std::to_string(i + 1);
    }
  }
  return tissue;
}

}  // namespace supple
