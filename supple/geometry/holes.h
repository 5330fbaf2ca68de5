// Holes of a surface, found as the loops of edges with one triangle, and caps that close them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/geometry/topology.h"

namespace supple {

/// One loop of boundary edges that passes no point twice: where a boundary does, it is parted there. Seams are no
/// boundary: vertices at one point of the weld count as one.
struct Hole {
  std::vector<std::uint32_t> vertices;  // in the order of a cap: counter-clockwise seen from outside
  Vec3d centre{};                       // mean along the loop
  Vec3d normal{0, 1, 0};                // of the plane through the centre with the largest area; outward
  double perimeter = 0;                 // metres
  double area = 0;                      // of the loop's shadow on that plane, square metres
  double off_plane = 0;                 // farthest vertex from that plane, metres
  bool simple = true;                   // false: runs along or meets an edge of three or more triangles
};

/// In the order of their first triangles. `weld` empty: vertices at equal positions are one.
std::vector<Hole> find_holes(const Mesh& mesh, const Weld& weld);
std::vector<Hole> find_holes(const Mesh& mesh);

struct CloseOptions {
  float weld_tolerance = 0;                                        // metres
  double max_perimeter = std::numeric_limits<double>::infinity();  // larger holes stay open
  // Loops that are not simple stay open. Otherwise they are closed too: every edge is then used as often in one
  // direction as in the other, which is all that inside and outside need, but some have four triangles.
  bool manifold_only = true;
};

struct Cap {
  Hole hole;
  std::uint32_t first_triangle = 0, triangle_count = 0;  // of the closed mesh
  std::optional<std::uint32_t> centre_vertex;            // new vertex, the mean of the hole's vertices
};

struct ClosedSurface {
  Mesh mesh;  // the given vertices and triangles, then new ones
  std::vector<Cap> caps;
  std::vector<Hole> open;  // left open: larger than allowed, or not simple
};

/// Caps have the least area, and among flat ones the shortest edges; no edge of a cap is one that the surface has
/// already. Where there is no such cap without a new vertex, or the loop is very long, a fan about the centre closes
/// it.
ClosedSurface close_holes(const Mesh& mesh, const CloseOptions& options = {});

}  // namespace supple
