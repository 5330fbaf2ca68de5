// Points tied to the elements of a volume mesh, so that a surface follows the volume it lies in.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/tet_mesh.h"

namespace supple {

/// For each point its element and the barycentric coordinates of the element's corners; they add up to 1. Outside the
/// mesh the element at the nearest point of the boundary is continued, so some coordinates are negative there.
struct Embedding {
  std::vector<std::uint32_t> elements;             // #P
  std::vector<std::array<double, 4>> coordinates;  // #P
  std::vector<float> outside;                      // #P: distance to the mesh, metres; 0 inside
};

/// Inside, the containing element (at common faces the one that the point lies deepest in). Outside, of all elements at
/// the nearest boundary point, the one whose coordinates are violated least. Elements with bent edges are inverted by
/// Newton's method. `mesh` has at least one element and passes validate().
Embedding embed(std::span<const Vec3f> points, const TetMesh& mesh);
Embedding embed(std::span<const Vec3d> points, const TetMesh& mesh);

struct EmbeddingError {
  std::size_t count_outside = 0;
  double max_distance = 0;  // metres
  std::size_t worst_point = 0;
  double rms = 0;  // metres, over all points, those inside counting as 0
};
EmbeddingError embedding_error(const Embedding& embedding);

/// Where the points go when the nodes are at `node_positions` (#N): linear or quadratic interpolation as the elements
/// of `topology` have it, exact for affine motions, and with quadratic elements for quadratic ones. `out` has #P.
void apply(const Embedding& embedding, const TetMesh& topology, std::span<const Vec3d> node_positions,
           std::span<Vec3f> out);
void apply(const Embedding& embedding, const TetMesh& topology, std::span<const Vec3d> node_positions,
           std::span<Vec3d> out);

/// N_a of the ten nodes at barycentric coordinates l: l_a (2 l_a - 1) at corners, 4 l_a l_b at middle nodes.
std::array<double, 10> quadratic_shape(const std::array<double, 4>& l);

}  // namespace supple
