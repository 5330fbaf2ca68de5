// Nested dissection: an order of elimination that keeps the factor of a matrix on a mesh sparse.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/author/simulate/sparse/block_matrix.h"
#include "supple/base/vec.h"

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

/// The same tree for a pattern that has more blocks: of two nodes that touch across it one moves up into the set that
/// separates them, of several the one that touches most. For a few blocks much quicker than a new tree, and nearly as
/// good. None where two nodes touch that have no set above both.
std::optional<Dissection> mended(const Dissection& tree, const BlockPattern& pattern);

}  // namespace supple::simulate
