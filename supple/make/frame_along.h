// Axes of a bone: y along it, z to the front or the back of the hand, x across.
#pragma once

#include "supple/base/mat.h"

namespace supple::make {

inline Mat3d frame_along(Vec3d along, Vec3d facing) {
  const Vec3d y = normalized(along), x = normalized(cross(y, facing));
  return {x, y, cross(x, y)};
}

}  // namespace supple::make
