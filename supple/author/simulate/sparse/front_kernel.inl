// Body of the dense kernels. The including file names the instruction set (SUPPLE_KERNEL) and its vector width in
// doubles (SUPPLE_KERNEL_WIDTH).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "supple/author/simulate/sparse/front_kernel.h"

namespace supple::simulate {
namespace SUPPLE_KERNEL {
namespace {

constexpr std::size_t width = SUPPLE_KERNEL_WIDTH;
using Vector = double __attribute__((vector_size(width * sizeof(double))));

// A tile of c stays in registers: two vectors high, six columns wide. Packed blocks of a stay in the second level of
// cache. The depth decides where partial sums are rounded and must be the same for every instruction set.
constexpr std::size_t tile_rows = 2 * width, tile_columns = 6;
constexpr std::size_t block_rows = 96, block_columns = 192, depth = 256;

/// Copies `rows` by `k` of a column-major matrix into strips of `Strip` rows each, short strips filled with zeros.
template <std::size_t Strip>
void pack(const double* from, std::size_t ld, std::size_t rows, std::size_t k, double* to) {
  for (std::size_t i = 0; i < rows; i += Strip) {
    const std::size_t count = std::min(Strip, rows - i);
    for (std::size_t p = 0; p < k; ++p, to += Strip) {
      std::memcpy(to, from + i + p * ld, count * sizeof(double));
      if (count < Strip) std::memset(to + count, 0, (Strip - count) * sizeof(double));
    }
  }
}

void tile(const double* a, const double* b, std::size_t k, double* c, std::size_t ldc, std::size_t rows,
          std::size_t columns) {
  Vector low[tile_columns] = {}, high[tile_columns] = {};
  for (std::size_t p = 0; p < k; ++p, a += tile_rows, b += tile_columns) {
    Vector x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, a + width, sizeof y);
    for (std::size_t j = 0; j < tile_columns; ++j) {
      low[j] += x * b[j];
      high[j] += y * b[j];
    }
  }
  if (rows == tile_rows && columns == tile_columns) {
    for (std::size_t j = 0; j < tile_columns; ++j, c += ldc) {
      Vector x, y;
      std::memcpy(&x, c, sizeof x);
      std::memcpy(&y, c + width, sizeof y);
      x -= low[j];
      y -= high[j];
      std::memcpy(c, &x, sizeof x);
      std::memcpy(c + width, &y, sizeof y);
    }
    return;
  }
  for (std::size_t j = 0; j < columns; ++j, c += ldc) {
    for (std::size_t i = 0; i < rows; ++i) c[i] -= i < width ? low[j][i] : high[j][i - width];
  }
}

void subtract_product(const ProductBlock& block) {
  thread_local std::vector<double> packed_a, packed_b;
  packed_a.resize((block_rows + tile_rows) * depth);
  packed_b.resize((block_columns + tile_columns) * depth);
  for (std::size_t p = 0; p < block.k; p += depth) {
    const std::size_t k = std::min(depth, block.k - p);
    for (std::size_t j = 0; j < block.n; j += block_columns) {
      const std::size_t n = std::min(block_columns, block.n - j);
      pack<tile_columns>(block.b + j + p * block.ldb, block.ldb, n, k, packed_b.data());
      for (std::size_t i = block.lower ? j / block_rows * block_rows : 0; i < block.m; i += block_rows) {
        const std::size_t m = std::min(block_rows, block.m - i);
        pack<tile_rows>(block.a + i + p * block.lda, block.lda, m, k, packed_a.data());
        for (std::size_t jj = 0; jj < n; jj += tile_columns) {
          for (std::size_t ii = 0; ii < m; ii += tile_rows) {
            if (block.lower && i + ii + tile_rows <= j + jj) continue;
            tile(&packed_a[ii * k], &packed_b[jj * k], k, block.c + (i + ii) + (j + jj) * block.ldc, block.ldc,
                 std::min(tile_rows, m - ii), std::min(tile_columns, n - jj));
          }
        }
      }
    }
  }
}

bool factor_panel(double* panel, std::size_t ld, std::size_t n, std::size_t w) {
  double reciprocal[64];
  for (std::size_t c = 0; c < w; ++c) {
    double* column = panel + c * ld;
    for (std::size_t d = 0; d < c; ++d) {
      const double* left = panel + d * ld;
      const double factor = left[c];
      for (std::size_t i = c; i < w; ++i) column[i] -= left[i] * factor;
    }
    if (!(column[c] > 0)) return false;
    column[c] = std::sqrt(column[c]);
    reciprocal[c] = 1 / column[c];
    for (std::size_t i = c + 1; i < w; ++i) column[i] *= reciprocal[c];
  }
  // Rows below, a few at a time so that they stay in the first level of cache while all columns pass over them.
  constexpr std::size_t rows_at_once = 128;
  for (std::size_t begin = w; begin < n; begin += rows_at_once) {
    const std::size_t end = std::min(n, begin + rows_at_once);
    for (std::size_t c = 0; c < w; ++c) {
      double* column = panel + c * ld;
      for (std::size_t d = 0; d < c; ++d) {
        const double* left = panel + d * ld;
        const double factor = left[c];
        for (std::size_t i = begin; i < end; ++i) column[i] -= left[i] * factor;
      }
      for (std::size_t i = begin; i < end; ++i) column[i] *= reciprocal[c];
    }
  }
  return true;
}

}  // namespace

#define SUPPLE_TEXT_OF(name) #name
#define SUPPLE_TEXT(name) SUPPLE_TEXT_OF(name)
extern const FrontKernel kernel;
const FrontKernel kernel{subtract_product, factor_panel, SUPPLE_TEXT(SUPPLE_KERNEL)};

}  // namespace SUPPLE_KERNEL
}  // namespace supple::simulate
