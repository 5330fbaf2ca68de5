// Where an element's local frame is in a pose.
#pragma once

#include <span>

#include "supple/base/mat.h"
#include "supple/rig/flesh.h"

namespace supple {

/// Orthonormal axes: y along the virtual bone. Joints may scale; the frame does not.
struct FleshFrame {
  Vec3d origin{};
  Mat3d axes{};
};

inline FleshFrame flesh_frame(const FleshElement& element, std::span<const Affinef> world) {
  const Affined driver(world[element.driver]);
  const Mat3d local = to_matrix(Quatd(element.orientation));
  const Vec3d y = normalized(driver.vector(local.c1), Vec3d{0, 1, 0});
  Vec3d x = driver.vector(local.c0);
  x -= y * dot(x, y);
  const double across = length(x);
  x = across > 0 ? x / across : any_perpendicular(y);
  return {driver.point(Vec3d(element.origin)), {x, y, cross(x, y)}};
}

}  // namespace supple
