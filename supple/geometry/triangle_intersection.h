// Whether two triangles cut through each other, exactly, and where.
#pragma once

#include <array>

#include "supple/base/vec.h"

namespace supple {

using TriangleCorners = std::array<Vec3f, 3>;

/// Whether the two triangles, without their sides, have a point in common: they pass through each other, or lie in one
/// plane and overlap there. Mere contact does not count: a corner or a side that only reaches the other triangle, and
/// so also what neighbours share. Of two neighbours at a corner that is where the side of one pierces the other; of two
/// neighbours along a side, only where one is folded flat onto the other. A triangle without area crosses nothing.
/// Exact for finite coordinates; the order of triangles and corners does not matter.
bool triangles_cross(const TriangleCorners& a, const TriangleCorners& b);

struct LineSegment {
  Vec3d from{}, to{};
  Vec3d middle() const { return (from + to) * 0.5; }
};

/// Where two triangles that cross do so, to rounding: the line along which they cut each other, or the longest diagonal
/// of their overlap in a plane.
LineSegment crossing_of(const TriangleCorners& a, const TriangleCorners& b);

}  // namespace supple
