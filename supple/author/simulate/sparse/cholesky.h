// Multifrontal Cholesky factorisation over a nested dissection tree (Duff and Reid 1983; Liu 1992): each set of the
// tree becomes one dense front, so all the work is dense matrix products.
#pragma once

#include <memory>
#include <vector>

#include "supple/author/simulate/sparse/dissection.h"
#include "supple/author/simulate/sparse/solver.h"

namespace supple::simulate {

class Cholesky final : public SparseSolver {
 public:
  /// `block`: numbers of a node. 3 for nodes that move in space; 1 where x, y and z have the same matrix, whose values
  /// are then one number for each block of the pattern.
  Cholesky(const BlockPattern& pattern, Dissection order, std::size_t block = 3);

  bool factorize(std::span<const double> values) override;
  void solve(std::span<double> x) override;
  double factor_entries() const override { return static_cast<double>(factor_.size()); }
  double factor_operations() const override { return operations_; }

  /// A dense piece of the factor: columns of consecutive places in the order, and the rows that they reach.
  struct Panel {
    std::uint32_t first = 0, columns = 0;    // places in the order, in nodes
    std::span<const std::uint32_t> below{};  // places of the further rows, ascending
    std::span<const double> values{};        // block * (columns + #below) rows by block * columns, by columns
  };
  /// The panels in the order of elimination, for solvers that want the factor in a layout of their own.
  std::vector<Panel> panels() const;
  /// The node eliminated at each place.
  std::span<const std::uint32_t> order() const { return tree_.order; }

 private:
  /// The dense front of one set: the set's own columns, and below them the rows of ancestors that they touch.
  struct Front {
    std::uint32_t first = 0, columns = 0;  // places in the order, in nodes
    std::vector<std::uint32_t> below;      // places of the further rows, ascending, in nodes
    std::vector<std::uint32_t> in_parent;  // #below: their row in the parent's front, in nodes
    std::vector<std::uint32_t> children;
    std::size_t offset = 0;  // of the panel in factor_: rows by block * columns, by columns
  };
  /// A block of the matrix and where it goes in the panels.
  struct Scatter {
    std::size_t block = 0, to = 0;
    std::uint32_t ld = 0;
    bool transposed = false, diagonal = false;
  };

  void find_rows(const BlockPattern& pattern);
  void plan_scatter(const BlockPattern& pattern);
  void plan_threads();
  bool factorize_front(std::size_t f);
  std::size_t rows(const Front& front) const { return block_ * (front.columns + front.below.size()); }
  template <std::size_t Block>
  void add_child(const Front& child, const double* update, Front& parent, double* parent_update);

  Dissection tree_;
  std::size_t block_ = 3;
  std::vector<Front> fronts_;
  std::vector<Scatter> scatter_;              // grouped by front
  std::vector<std::size_t> scatter_first_;    // #fronts + 1
  std::vector<std::uint32_t> subtree_roots_;  // independent of each other, together below everything in top_
  std::vector<std::uint32_t> subtree_begin_;  // #subtree_roots_: first front of each
  std::vector<std::uint32_t> top_;            // the fronts above them, in order
  std::vector<double> factor_;
  std::vector<std::unique_ptr<double[]>> updates_;  // #fronts: what a front leaves for its parent
  std::vector<double> permuted_;
  double operations_ = 0;
};

}  // namespace supple::simulate
