// Nested dissection: an order of elimination that keeps the factor of a matrix on a mesh sparse.
#pragma once

#include <span>
#include <vector>

#include "supple/base/vec.h"
#include "supple/simulate/sparse/block_matrix.h"

namespace supple::simulate {

/// A tree of sets of nodes, children before parents. A leaf is a small piece of the mesh; every other set separates the
/// pieces below it: no node of one child's subtree touches a node of the other's.
struct Dissection {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::vector<std::uint32_t> order;   // #N: the node eliminated at each place
  std::vector<std::uint32_t> first;   // #sets + 1: the places of set s are first[s] .. first[s + 1]
  std::vector<std::uint32_t> parent;  // #sets: none for roots
  std::size_t sets() const { return parent.size(); }
};

/// Cuts along coordinate planes; of several cuts the one with the fewest nodes on it is taken.
Dissection dissect(const BlockPattern& pattern, std::span<const Vec3d> places);

}  // namespace supple::simulate
