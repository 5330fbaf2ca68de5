// Symmetric sparse matrices of 3x3 blocks: one row and column of blocks per node that moves in space.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace supple::simulate {

/// Where the lower triangle has blocks, by columns: those of column j are rows[first[j]] .. rows[first[j + 1]],
/// ascending and starting with the diagonal block. The values of block b are nine doubles, column by column, at
/// values[9 * b].
struct BlockPattern {
  std::vector<std::size_t> first{0};  // #columns + 1
  std::vector<std::uint32_t> rows;    // #blocks
  std::size_t size() const { return first.size() - 1; }
  std::size_t blocks() const { return rows.size(); }
  std::span<const std::uint32_t> column(std::size_t j) const {
    return {rows.data() + first[j], first[j + 1] - first[j]};
  }
};

/// The pattern with more blocks: pairs of nodes, in any order and as often as one likes.
BlockPattern with_blocks(const BlockPattern& pattern, std::span<const std::array<std::uint32_t, 2>> more);

/// y = A x, where x and y have 3 * pattern.size() entries.
void multiply(const BlockPattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> y);

}  // namespace supple::simulate
