#include "supple/author/simulate/sparse/block_matrix.h"

#include <algorithm>

namespace supple::simulate {

BlockPattern with_blocks(const BlockPattern& pattern, std::span<const std::array<std::uint32_t, 2>> more) {
  std::vector<std::vector<std::uint32_t>> columns(pattern.size());
  for (std::size_t j = 0; j < pattern.size(); ++j)
    columns[j].assign(pattern.column(j).begin(), pattern.column(j).end());
  for (const auto& [a, b] : more) columns[std::min(a, b)].push_back(std::max(a, b));
  BlockPattern result;
  for (auto& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    result.rows.insert(result.rows.end(), column.begin(), column.end());
    result.first.push_back(result.rows.size());
  }
  return result;
}

void multiply(const BlockPattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t j = 0; j < pattern.size(); ++j) {
    for (std::size_t b = pattern.first[j]; b < pattern.first[j + 1]; ++b) {
      const std::size_t i = pattern.rows[b];
      const double* block = &values[9 * b];
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t r = 0; r < 3; ++r) {
          y[3 * i + r] += block[3 * c + r] * x[3 * j + c];
          if (i != j) y[3 * j + c] += block[3 * c + r] * x[3 * i + r];
        }
      }
    }
  }
}

}  // namespace supple::simulate
