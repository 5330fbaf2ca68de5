// Symmetric matrices on the nodes of a lattice, the same for x, y and z, and their Cholesky factors in the layout of
// the kernels.
#pragma once

#include <span>

#include "supple/author/lattice/projective_kernel.h"

namespace supple::lattice {

/// One number for each pair of nodes that share a cell.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(const Lattice& lattice);

  void add(std::uint32_t a, std::uint32_t b, double value);
  /// A spring between two nodes: `stiffness` on the diagonal, its negative beside it.
  void add_edge(std::uint32_t a, std::uint32_t b, double stiffness);

 private:
  friend class Factor;
  std::vector<std::size_t> first_{0};  // #nodes + 1: columns of the lower triangle
  std::vector<std::uint32_t> rows_;    // rising within a column
  std::vector<double> values_;
  std::vector<Vec3d> places_;  // #nodes
};

/// The matrix must be positive definite.
class Factor {
 public:
  explicit Factor(const SymmetricMatrix& matrix);

  /// Where a node's numbers are in what solve() takes: nodes are sorted for elimination.
  std::uint32_t place(std::uint32_t node) const { return place_[node]; }
  /// The node at each place.
  std::span<const std::uint32_t> order() const { return order_; }
  std::size_t entries() const { return values_.size(); }
  /// Overwrites the right-hand side (#nodes by 3, by places) with the solution.
  void solve(Lanes* x) const;

 private:
  std::vector<std::uint32_t> order_, place_;
  std::vector<FactorPanel> panels_;
  std::vector<std::uint32_t> below_;
  std::vector<float> values_;
};

}  // namespace supple::lattice
