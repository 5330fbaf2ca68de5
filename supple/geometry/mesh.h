// Indexed triangle mesh and its basic measures.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple {

/// Vertex numbers, counter-clockwise seen from outside.
using Triangle = std::array<std::uint32_t, 3>;

struct Mesh {
  std::vector<Vec3f> positions;     // #V, metres
  std::vector<Vec3f> normals;       // #V unit vectors, or empty
  std::vector<Triangle> triangles;  // #T
};

struct Box {
  Vec3f low{}, high{};
  Vec3f center() const { return (low + high) * 0.5f; }
  float diagonal() const { return length(high - low); }
};
/// Of no points: the empty box at the origin.
Box bounds(std::span<const Vec3f> points);

/// Which triangle names a vertex that does not exist, or which position or normal is not finite. Everything else here
/// takes meshes that would pass.
Result<void> validate(const Mesh& mesh);

/// Vertex normals as the angle-weighted mean of face normals (independent of how a polygon was triangulated). With
/// `weld`, vertices that share a welded number share their normal, so that texture seams stay smooth. A vertex without
/// area gets +y. `normals` has #V entries, `weld` #V or none.
void compute_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles, std::span<Vec3f> normals,
                     std::span<const std::uint32_t> weld = {});

/// Volume in cubic metres enclosed by a closed surface, negative where it is inside out (divergence theorem in double
/// precision about the bounds' centre).
double enclosed_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
/// Square metres.
double surface_area(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

/// A triangle lower than this times its longest edge has no usable area: the rounding of float coordinates alone tilts
/// it.
inline constexpr double degenerate_height = 1e-6;

/// What keeps a surface from being closed and oriented, after `weld` (empty: as indexed). The first of each kind is the
/// first in the order of the triangles, named by the vertices of the mesh, not by welded points.
struct Defects {
  std::size_t boundary_edges = 0;        // used by one triangle
  std::size_t non_manifold_edges = 0;    // used by three or more, or twice in the same direction
  std::size_t degenerate_triangles = 0;  // without area, or with two corners at one welded point
  std::size_t unused_vertices = 0;       // of no triangle
  Triangle first_degenerate{};
  std::array<std::uint32_t, 2> first_boundary{};
  std::array<std::uint32_t, 2> first_non_manifold{};
  // Used more often in one direction than in the other: what a surface that encloses a volume cannot have. Two boxes
  // that touch along an edge are not manifold there, but balanced.
  std::size_t unbalanced_edges = 0;
  std::array<std::uint32_t, 2> first_unbalanced{};
  bool closed() const { return boundary_edges == 0 && non_manifold_edges == 0; }
};
Defects find_defects(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                     std::span<const std::uint32_t> weld = {});

}  // namespace supple
