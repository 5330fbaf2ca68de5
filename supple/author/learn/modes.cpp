#include "supple/author/learn/modes.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/base/wide.h"

namespace supple::learn {
namespace {
constexpr double noise = 1e-5;
constexpr std::size_t mode_vertices_at_once = 32;
constexpr std::size_t lanes = 8, fields_at_once = 4;
constexpr std::size_t tile = 32, piece = 1024;  // fields, and floats of each

/// Adds sums of products of floats with those of up to four other rows. In double precision: modes down to 1e-5 of the
/// largest are to be told from noise, and the matrix holds their squares.
SUPPLE_WIDE void add_products(const float* x, std::span<const float* const> others, std::size_t count, double* result) {
  const float* y[fields_at_once];
  for (std::size_t k = 0; k < fields_at_once; ++k) y[k] = others[std::min(k, others.size() - 1)];
  double sum[fields_at_once][lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double from{x[i + l]};
      for (std::size_t k = 0; k < fields_at_once; ++k) sum[k][l] += from * double{y[k][i + l]};
    }
  for (std::size_t k = 0; k < others.size(); ++k) {
    for (std::size_t rest = i; rest < count; ++rest) result[k] += double{x[rest]} * double{y[k][rest]};
    for (const double s : sum[k]) result[k] += s;
  }
}

/// Products of all pairs, a few fields with a few and a piece of them at a time, so that they stay in the cache.
DenseMatrix gram_matrix(std::span<const std::span<const Vec3f>> fields) {
  static_assert(sizeof(Vec3f) == 3 * sizeof(float));
  const std::size_t n = fields.size(), count = n == 0 ? 0 : 3 * fields[0].size();
  const std::size_t tiles = (n + tile - 1) / tile;
  DenseMatrix gram(n, n);
  parallel_for(tiles * (tiles + 1) / 2, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pair = begin; pair < end; ++pair) {
      std::size_t a = 0;
      while ((a + 1) * (a + 2) / 2 <= pair) ++a;
      const std::size_t b = pair - a * (a + 1) / 2;
      for (std::size_t at = 0; at < count; at += piece)
        for (std::size_t i = a * tile; i < std::min(n, (a + 1) * tile); ++i)
          for (std::size_t j = b * tile; j < std::min({n, (b + 1) * tile, i + 1}); j += fields_at_once) {
            const std::size_t others = std::min({fields_at_once, (b + 1) * tile - j, i + 1 - j});
            const float* y[fields_at_once];
            for (std::size_t k = 0; k < others; ++k) y[k] = &fields[j + k].data()->x + at;
            add_products(&fields[i].data()->x + at, {y, others}, std::min(piece, count - at), &gram(i, j));
          }
    }
  });
  return gram;
}

/// Field m is the sum of examples, each times factors(example, m).
std::vector<std::vector<Vec3f>> combined(std::span<const std::span<const Vec3f>> examples, const DenseMatrix& factors) {
  const std::size_t vertices = examples.empty() ? 0 : examples[0].size();
  std::vector<std::vector<Vec3f>> result(factors.columns, std::vector<Vec3f>(vertices));
  parallel_for(vertices, mode_vertices_at_once, [&](std::size_t begin, std::size_t end) {
    const std::size_t width = 3 * (end - begin);
    std::vector<double> sums(factors.columns * width, 0.0), piece_of(examples.size() * width), of_mode(examples.size());
    std::vector<const double*> rows;
    for (std::size_t e = 0; e < examples.size(); ++e) {
      rows.push_back(&piece_of[e * width]);
      for (std::size_t i = 0; i < width; ++i) piece_of[e * width + i] = double{examples[e][begin + i / 3][i % 3]};
    }
    for (std::size_t m = 0; m < factors.columns; ++m) {
      for (std::size_t e = 0; e < examples.size(); ++e) of_mode[e] = factors(e, m);
      add_scaled(std::span(sums).subspan(m * width, width), of_mode, rows);
    }
    for (std::size_t m = 0; m < factors.columns; ++m)
      for (std::size_t v = begin; v < end; ++v) {
        const double* from = &sums[m * width + 3 * (v - begin)];
        result[m][v] = Vec3f(Vec3d{from[0], from[1], from[2]});
      }
  });
  return result;
}
}  // namespace

PrincipalModes principal_modes(std::span<const std::span<const Vec3f>> examples, std::span<const float> weights,
                               std::size_t most) {
  const std::size_t n = examples.size();
  DenseMatrix gram = gram_matrix(examples);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      gram(i, j) = gram(j, i) = gram(i, j) * std::sqrt(double{weights[i]} * double{weights[j]});
  const DenseEigen eigen = largest_eigen(gram, std::min(n, most));
  PrincipalModes result;
  for (const double value : eigen.values) result.singular_values.push_back(std::sqrt(std::max(0.0, value)));
  std::size_t kept = 0;
  while (kept < std::min(n, most) && result.singular_values[kept] > noise * result.singular_values[0] &&
         result.singular_values[kept] > 0)
    ++kept;
  result.coordinates = DenseMatrix(n, kept);
  DenseMatrix factors(n, kept);
  for (std::size_t m = 0; m < kept; ++m) {
    std::size_t largest = 0;
    for (std::size_t e = 1; e < n; ++e)
      if (std::abs(eigen.vectors(e, m)) > std::abs(eigen.vectors(largest, m)) * (1 + 1e-9)) largest = e;
    const double sign = eigen.vectors(largest, m) < 0 ? -1 : 1, size = result.singular_values[m];
    for (std::size_t e = 0; e < n; ++e) {
      const double root = std::sqrt(double{weights[e]});
      result.coordinates(e, m) = sign * size * eigen.vectors(e, m) / root;
      factors(e, m) = sign * eigen.vectors(e, m) * root / size;
    }
  }
  result.modes = combined(examples, factors);
  return result;
}

std::vector<std::vector<Vec3f>> companion_modes(const PrincipalModes& modes,
                                                std::span<const std::span<const Vec3f>> examples,
                                                std::span<const float> weights) {
  // Columns of the coordinates are orthogonal, so each field is a projection by itself.
  DenseMatrix factors(examples.size(), modes.modes.size());
  for (std::size_t e = 0; e < factors.rows; ++e)
    for (std::size_t m = 0; m < factors.columns; ++m)
      factors(e, m) =
          double{weights[e]} * modes.coordinates(e, m) / (modes.singular_values[m] * modes.singular_values[m]);
  return combined(examples, factors);
}

}  // namespace supple::learn
