// Loop subdivision as a table of weights: whatever a vertex carries goes through the same stencils as its position.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/topology.h"

namespace supple {

/// One step from #V vertices and #T triangles to vertices() and 4 #T. The old vertices come first, moved; then one for
/// each edge. Vertices of one point of the surface share a stencil and so stay together to the last bit: new vertex v
/// is the sum of weight[i] times old vertex from[i] for i in [first[p], first[p + 1]), p = weld.to_point[v].
struct Refinement {
  std::vector<Triangle> triangles;                  // 4 #T: the corners of each old one, then its middle
  std::vector<std::array<std::uint32_t, 2>> edges;  // the old vertices that new vertex #V + e lies between
  Weld weld;                                        // of the new vertices
  std::vector<std::uint32_t> first;                 // #points + 1
  std::vector<std::uint32_t> from;
  std::vector<float> weight;  // positive, of each point summing to one

  std::size_t vertices() const { return weld.to_point.size(); }
  std::size_t old_vertices() const { return vertices() - edges.size(); }
};

/// Loop's own weights (Loop 1987, "Smooth subdivision surfaces based on triangles"): 3/8 3/8 1/8 1/8 on an edge; at a
/// vertex of n neighbours 1 - n b and b = (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n. Where the surface ends, and where
/// edges belong to more than two triangles or to two that disagree about the outside, the curve itself is refined as a
/// uniform cubic B-spline: 1/2 1/2 on an edge, 1/8 3/4 1/8 at a vertex; a vertex where one such curve ends, or several
/// meet, stays.
///
/// Stencils are made of the first vertices of the points of `weld`, so that seams neither crack nor crease. The error
/// names a triangle out of range, or says that there would be more than can be numbered.
Result<Refinement> refine_loop(std::size_t vertex_count, std::span<const Triangle> triangles, const Weld& weld);

/// The values of the new vertices, by the stencils.
std::vector<Vec3f> refine(const Refinement& refinement, std::span<const Vec3f> values);

/// For what differs across a seam, as texture coordinates do: old vertices keep their values, a new one has the mean of
/// the ends of its edge.
template <std::size_t N>
std::vector<std::array<float, N>> refine_linearly(const Refinement& refinement,
                                                  std::span<const std::array<float, N>> values) {
  std::vector<std::array<float, N>> refined(values.begin(), values.end());
  refined.reserve(refinement.vertices());
  for (const auto& [a, b] : refinement.edges) {
    std::array<float, N> middle;
    for (std::size_t k = 0; k < N; ++k) middle[k] = 0.5f * (values[a][k] + values[b][k]);
    refined.push_back(middle);
  }
  return refined;
}

/// Positions and, where the mesh has them, normals (computed anew, smooth across seams). Vertices at one position are
/// one point.
Result<Mesh> subdivide(const Mesh& mesh);

}  // namespace supple
