#include "supple/simulate/sparse/block_matrix.h"

#include <algorithm>

namespace supple::simulate {

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
