// On which side a point lies, decided exactly: what follows from these signs holds for the coordinates as they are, not
// only up to rounding.
#pragma once

#include "supple/base/vec.h"

namespace supple {

/// Sign of the volume of the tetrahedron a, b, c, d: 1 where d lies on the side of a, b, c from which they appear
/// counter-clockwise, -1 on the other side, 0 in their plane or where they have none. Exact for finite coordinates, the
/// same on every machine.
int orientation(Vec3f a, Vec3f b, Vec3f c, Vec3f d);

/// The same in the plane: 1 where a, b, c turn counter-clockwise seen against the axis `along` (0: x, 1: y, 2: z), that
/// is the sign of that component of cross(b - a, c - a).
int orientation(Vec3f a, Vec3f b, Vec3f c, std::size_t along);

}  // namespace supple
