// What delta mush keeps of a surface at rest: who smooths whom, and the detail that smoothing takes away.
#pragma once

#include <span>
#include <vector>

#include "supple/base/mat.h"
#include "supple/geometry/topology.h"
#include "supple/rig/delta_mush.h"

namespace supple {

/// A point of the surface: vertices that a file split along seams are one. Immutable.
struct DeltaMushTable {
  std::uint32_t iterations = 0;
  Weld weld;                // #V to #points
  Adjacency neighbours;     // of points
  std::vector<float> rate;  // #points: how far to the mean of the neighbours; 0: stays
  /// Around each point, the other two corners of its triangles, in order. #points + 1, and pairs.
  std::vector<std::uint32_t> first_fan;
  std::vector<std::array<std::uint32_t, 2>> fans;
  std::vector<std::uint32_t> ahead;  // #points: the neighbour towards which the frame points; itself: has no frame
  std::vector<Vec3f> delta;          // #points, metres, in the frame of the smooth surface
  std::vector<Vec3f> normals;        // #V, in the frame of the vertex's point
};

/// `positions` and `normals` are those of the skinned rest pose, in the world: the rest pose then comes out as it is.
DeltaMushTable build_delta_mush_table(const DeltaMush& mush, std::span<const Vec3f> positions,
                                      std::span<const Vec3f> normals, std::span<const Triangle> triangles);

/// Across and along the smooth surface at a point. Columns: towards `ahead`, across, out.
Mat3f delta_mush_frame(const DeltaMushTable& table, std::span<const Vec3f> smooth, std::size_t point);

/// Smooths points for some rounds; `other` is room for as many. What `points` hold afterwards is smooth.
void smooth_points(const DeltaMushTable& table, std::vector<Vec3f>& points, std::vector<Vec3f>& other,
                   unsigned threads);

}  // namespace supple
