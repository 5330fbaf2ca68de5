#include "supple/learn/modes.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::learn {
namespace {
constexpr double noise = 1e-5;
constexpr std::size_t mode_vertices_at_once = 64;
constexpr std::size_t lanes = 4, fields_at_once = 4;

/// Sums over vertices of products with up to four fields at once. In double precision: modes down to 1e-5 of the
/// largest are to be told from noise, and the matrix holds their squares.
void field_products(std::span<const Vec3f> a, std::span<const std::span<const Vec3f>> others, double* result) {
  static_assert(sizeof(Vec3f) == 3 * sizeof(float));
  std::fill_n(result, others.size(), 0.0);
  if (a.empty()) return;
  const float *x = &a.data()->x, *y[fields_at_once];
  for (std::size_t k = 0; k < fields_at_once; ++k) y[k] = &others[std::min(k, others.size() - 1)].data()->x;
  const std::size_t count = 3 * a.size();
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

/// Field m is the sum of examples, each times factors(example, m).
std::vector<std::vector<Vec3f>> combined(std::span<const std::span<const Vec3f>> examples, const DenseMatrix& factors) {
  const std::size_t vertices = examples.empty() ? 0 : examples[0].size();
  std::vector<std::vector<Vec3f>> result(factors.columns, std::vector<Vec3f>(vertices));
  parallel_for(vertices, mode_vertices_at_once, [&](std::size_t begin, std::size_t end) {
    const std::size_t width = 3 * (end - begin);
    std::vector<double> sums(factors.columns * width, 0.0), example(width);
    for (std::size_t e = 0; e < examples.size(); ++e) {
      for (std::size_t i = 0; i < width; ++i) example[i] = double{examples[e][begin + i / 3][i % 3]};
      for (std::size_t m = 0; m < factors.columns; ++m) {
        const double factor = factors(e, m);
        double* to = &sums[m * width];
        for (std::size_t i = 0; i < width; ++i) to[i] += factor * example[i];
      }
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
  DenseMatrix gram(n, n);
  parallel_for(n, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j <= i; j += fields_at_once) {
        const std::size_t count = std::min(fields_at_once, i + 1 - j);
        field_products(examples[i], examples.subspan(j, count), &gram(i, j));
        for (std::size_t k = j; k < j + count; ++k) gram(i, k) *= std::sqrt(double{weights[i]} * double{weights[k]});
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) gram(i, j) = gram(j, i);
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
