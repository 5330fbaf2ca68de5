// Where a muscle is in a pose.
#pragma once

#include <span>

#include "supple/base/transform.h"
#include "supple/rig/skeleton.h"

namespace supple {

/// A place of the muscle's own frame goes to axes * place + origin. Orthonormal: joints may scale, muscles do not.
struct MuscleFrame {
  Mat3d axes{};
  Vec3d origin{};

  Vec3d point(Vec3d p) const { return axes * p + origin; }
};

inline bool is_finite(const MuscleFrame& f) {
  return is_finite(f.axes.c0) && is_finite(f.axes.c1) && is_finite(f.axes.c2) && is_finite(f.origin);
}

/// Of a place in a joint's frame with the joint's scale taken out.
inline MuscleFrame muscle_frame(JointIndex joint, Vec3d center, const Mat3d& orientation,
                                std::span<const Affinef> world) {
  const Affined to_world(world[joint]);
  const Mat3d axes = unscaled_axes(to_world.linear);
  return {axes * orientation, axes * center + to_world.translation};
}

}  // namespace supple
