// A lattice of cubic cells around a skin: cells follow the surface, so that two limbs which meet in one cell get a copy
// of it each, and no closed surface is needed. Clothes, open shells and several parts share one lattice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/geometry/mesh.h"
#include "supple/rig/skeleton.h"
#include "supple/rig/skin_weights.h"

namespace supple::lattice {

/// A surface whose equal points are one vertex, with the joints that each vertex follows.
struct Surface {
  std::vector<Vec3f> positions;     // #V
  std::vector<Triangle> triangles;  // #T, none collapsed
  SkinWeights weights;              // #V; joints are places in `parents`
  std::vector<JointIndex> parents;  // #joints: the next joint above it that is in the list, or no_joint
};

/// Corner c of a cell lies at bit 2 of c along x, bit 1 along y, bit 0 along z.
using Cell = std::array<std::uint32_t, 8>;

struct Lattice {
  double edge = 1;                     // of a cell, in the units of the surface
  Vec3d origin{};                      // of the nodes' coordinates
  std::vector<Vec3f> nodes;            // #nodes, in edges from the origin
  std::vector<Cell> cells;             // #cells
  std::vector<std::uint32_t> cell_of;  // #V: the cell that carries a vertex
  std::vector<Vec3f> place;            // #V: where in its cell, 0 to 1 along each axis

  std::size_t tets() const { return 6 * cells.size(); }
  /// The trilinear weights of the corners of a vertex's cell.
  std::array<float, 8> shape(std::size_t vertex) const;
};

/// Cells around every triangle and inside the surface, about `cells` of them in all. An error only where there is no
/// triangle.
Result<Lattice> make_lattice(const Surface& surface, std::size_t cells);

/// The skin weights continued from the surface to the nodes: harmonic in the lattice, near the skin's at the skin.
/// Weights below a hundredth are left out. Joints as in the surface.
SkinWeights extend_weights(const Lattice& lattice, const Surface& surface);

/// Nodes are renamed: order[i] becomes node i.
void renumber(Lattice& lattice, std::span<const std::uint32_t> order);

}  // namespace supple::lattice
