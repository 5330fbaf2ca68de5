// Thin separators: a cut through a graph made smaller by moving single nodes across it (Fiduccia and Mattheyses 1982,
// for vertex separators as Ashcraft and Liu 1994 have it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/author/simulate/sparse/block_matrix.h"

namespace supple::simulate {

/// Both directions of a pattern's off-diagonal blocks.
class NodeGraph {
 public:
  explicit NodeGraph(const BlockPattern& pattern);
  std::span<const std::uint32_t> of(std::uint32_t v) const {
    return {items_.data() + first_[v], first_[v + 1] - first_[v]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> items_;
};

enum class Side : std::uint8_t { outside, low, high, cut };

/// Nodes on each side of a cut and on it.
struct CutSizes {
  std::size_t low = 0, high = 0, cut = 0;
  /// How far from even, in [0, 1/2].
  double lean() const;
};

/// Whether a low node touches a high one.
bool on_low_border(const NodeGraph& graph, const std::vector<Side>& side, std::uint32_t node);

/// `side` (of all nodes of the graph) says low or high for the nodes of a piece and outside for all others. Makes the
/// low nodes that touch high ones the cut, then moves nodes as long as that makes the cut smaller, keeping either side
/// above a quarter of the piece.
CutSizes thin_separator(const NodeGraph& graph, std::span<const std::uint32_t> piece, std::vector<Side>& side);

}  // namespace supple::simulate
