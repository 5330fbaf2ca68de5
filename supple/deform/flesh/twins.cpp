// From what elements do to the local transforms of their twin joints.
#include <cmath>

#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

/// p -> p + shift, turned about the bone.
Affined world_motion(const FleshMotion& motion) {
  const Vec3d origin(motion.origin);
  const Mat3d turn = to_matrix(from_axis_angle(Vec3d(motion.axis), double{motion.twist}));
  return {turn, origin + Vec3d(motion.shift) - turn * origin};
}

}  // namespace

void move_twins(const Flesh& flesh, std::span<const Affinef> world, std::span<const FleshMotion> motions,
                std::span<Transformf> local) {
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    const FleshElement& element = flesh.elements[e];
    const FleshMotion& motion = motions[e];
    for (const FleshTwin& twin : element.twins) {
      const Affined bone(world[twin.bone]);
      // A bone shrunk to nothing shows no flesh either.
      if (std::abs(determinant(bone.linear)) < 1e-30) {
        local[twin.joint] = {};
      } else if (motion.twist == 0) {
        local[twin.joint] = {
            Vec3f(inverse(bone.linear) * (Vec3d(motion.shift) * double{element.reach})), {}, {1, 1, 1}};
      } else {
        local[twin.joint] = decompose(inverse(bone) * (world_motion(motion) * bone));
        local[twin.joint].scale = {1, 1, 1};
      }
    }
  }
}

void read_twins(const Flesh& flesh, std::span<const Affinef> world, std::span<const Transformf> local,
                std::span<FleshMotion> motions) {
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    const FleshElement& element = flesh.elements[e];
    const FleshFrame frame = flesh_frame(element, world);
    motions[e] = {{}, Vec3f(frame.origin), Vec3f(frame.axes.c1), 0};
    if (element.twins.empty()) continue;
    const FleshTwin& twin = element.twins.front();  // they all say the same
    const Affined bone(world[twin.bone]), moved(local[twin.joint].affine());
    if (!element.torsion) {
      motions[e].shift = Vec3f(bone.vector(moved.translation) / double{element.reach});
    } else if (std::abs(determinant(bone.linear)) >= 1e-30) {
      const Affined motion = bone * (moved * inverse(bone));
      motions[e].shift = Vec3f(motion.point(frame.origin) - frame.origin);
      const Quatd turn = from_matrix(polar(motion.linear).rotation);
      motions[e].twist = static_cast<float>(2 * std::atan2(dot(turn.xyz(), frame.axes.c1), turn.w));
    }
  }
}

void rest_twins(const Flesh& flesh, std::span<Transformf> local) {
  for (const FleshElement& element : flesh.elements)
    for (const FleshTwin& twin : element.twins) local[twin.joint] = {};
}

}  // namespace supple
