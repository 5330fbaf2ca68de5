// Tetrahedral meshes with linear or quadratic elements: connectivity, checks and measures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/geometry/mesh.h"

namespace supple {

/// Corners are positively oriented (det(x1-x0, x2-x0, x3-x0) > 0); the six middle nodes of a quadratic element follow
/// the corners, on edges 01 12 02 03 13 23.
struct TetMesh {
  std::vector<Vec3d> nodes;             // #N, metres
  std::uint32_t nodes_per_element = 4;  // 4: linear (T4), 10: quadratic (T10)
  std::vector<std::uint32_t> elements;  // #E * nodes_per_element

  std::size_t element_count() const { return elements.size() / nodes_per_element; }
  std::span<const std::uint32_t> element(std::size_t e) const {
    return {elements.data() + e * nodes_per_element, nodes_per_element};
  }
  Vec3d corner(std::size_t e, std::size_t c) const { return nodes[elements[e * nodes_per_element + c]]; }
};

/// Corners at the ends of each edge, in the order of the middle nodes.
inline constexpr std::array<std::array<std::uint8_t, 2>, 6> tet_edges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};
/// Corners of the face opposite to each corner, counter-clockwise seen from outside.
inline constexpr std::array<std::array<std::uint8_t, 3>, 4> tet_faces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// Cubic metres, negative where the corners are inside out.
double signed_volume(Vec3d x0, Vec3d x1, Vec3d x2, Vec3d x3);

/// The first element or node that is wrong: numbers out of range or repeated, positions that are not finite, volumes
/// that are not positive (of quadratic elements also anywhere at the corners and the four quadrature points), faces
/// with more than two elements or two on one side. Everything else here takes meshes that would pass.
Result<void> validate(const TetMesh& mesh);

/// The same shape with middle nodes half-way along the edges, numbered after the corners in the order in which the
/// elements first use them. A quadratic mesh is returned as it is.
TetMesh to_quadratic(const TetMesh& mesh);

inline constexpr std::uint32_t no_element = 0xffffffffu;
/// #E * 4: the element across the face opposite to each corner, or no_element.
std::vector<std::uint32_t> face_neighbours(const TetMesh& mesh);

/// The faces of one element only, by corner nodes, outward; in the order of the elements.
struct TetBoundary {
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> elements;  // #triangles: to which each belongs
};
TetBoundary boundary_faces(const TetMesh& mesh);
std::vector<Triangle> boundary_triangles(const TetMesh& mesh);

/// Parts are connected through whole faces: what hangs on by an edge or a node can turn freely about it.
struct TetParts {
  std::vector<std::uint32_t> of_element;  // #E: numbered in the order of their first elements
  std::vector<std::size_t> sizes;         // elements of each
};
TetParts connected_parts(const TetMesh& mesh);
/// The part with the most elements (the first of equals), in the given order without the nodes that are no longer used;
/// `dropped` receives the number of elements left out.
TetMesh largest_component(const TetMesh& mesh, std::size_t* dropped = nullptr);
/// The elements that `keep` names (in the order given), without the nodes that are no longer used; `source` receives
/// the old number of each node.
TetMesh extract_elements(const TetMesh& mesh, std::span<const std::uint32_t> keep,
                         std::vector<std::uint32_t>* source = nullptr);

/// How good the elements are, by their corners.
struct TetQuality {
  double volume = 0;  // cubic metres, of all elements
  double min_dihedral_degrees = 0, max_dihedral_degrees = 0;
  std::size_t min_dihedral_element = 0, max_dihedral_element = 0;
  double first_percentile_degrees = 0;               // of the smallest angle of each element
  std::array<std::size_t, 18> dihedral_histogram{};  // of all six angles of each element; 10 degrees a bin
  double min_edge = 0, mean_edge = 0, max_edge = 0;  // metres; the mean counts an edge once for each of its elements
  std::size_t components = 0;                        // connected through faces
};
TetQuality quality(const TetMesh& mesh);

}  // namespace supple
