#include "supple/learn/modes.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::learn {
namespace {
constexpr double noise = 1e-5;
constexpr std::size_t mode_vertices_at_once = 2048;
}  // namespace

PrincipalModes principal_modes(std::span<const std::span<const Vec3f>> examples, std::span<const float> weights,
                               std::size_t most) {
  const std::size_t n = examples.size(), vertices = n == 0 ? 0 : examples[0].size();
  DenseMatrix gram(n, n);
  parallel_for(n, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t v = 0; v < vertices; ++v) sum += dot(Vec3d(examples[i][v]), Vec3d(examples[j][v]));
        gram(i, j) = sum * std::sqrt(double{weights[i]} * double{weights[j]});
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) gram(i, j) = gram(j, i);
  const DenseEigen eigen = symmetric_eigen(std::move(gram));
  PrincipalModes result;
  for (const double value : eigen.values) result.singular_values.push_back(std::sqrt(std::max(0.0, value)));
  std::size_t kept = 0;
  while (kept < std::min(n, most) && result.singular_values[kept] > noise * result.singular_values[0] &&
         result.singular_values[kept] > 0)
    ++kept;
  result.coordinates = DenseMatrix(n, kept);
  result.modes.assign(kept, std::vector<Vec3f>(vertices));
  for (std::size_t m = 0; m < kept; ++m) {
    std::size_t largest = 0;
    for (std::size_t e = 1; e < n; ++e)
      if (std::abs(eigen.vectors(e, m)) > std::abs(eigen.vectors(largest, m)) * (1 + 1e-9)) largest = e;
    const double sign = eigen.vectors(largest, m) < 0 ? -1 : 1, size = result.singular_values[m];
    for (std::size_t e = 0; e < n; ++e)
      result.coordinates(e, m) = sign * size * eigen.vectors(e, m) / std::sqrt(double{weights[e]});
    std::vector<double> factor(n);
    for (std::size_t e = 0; e < n; ++e) factor[e] = sign * eigen.vectors(e, m) * std::sqrt(double{weights[e]}) / size;
    parallel_for(vertices, mode_vertices_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        Vec3d sum{};
        for (std::size_t e = 0; e < n; ++e) sum += Vec3d(examples[e][v]) * factor[e];
        result.modes[m][v] = Vec3f(sum);
      }
    });
  }
  return result;
}

std::vector<std::vector<Vec3f>> companion_modes(const PrincipalModes& modes,
                                                std::span<const std::span<const Vec3f>> examples,
                                                std::span<const float> weights) {
  const std::size_t n = examples.size(), vertices = n == 0 ? 0 : examples[0].size();
  std::vector<std::vector<Vec3f>> result;
  for (std::size_t m = 0; m < modes.modes.size(); ++m) {
    // Columns of the coordinates are orthogonal, so each field is a projection by itself.
    std::vector<double> factor(n);
    for (std::size_t e = 0; e < n; ++e)
      factor[e] = weights[e] * modes.coordinates(e, m) / (modes.singular_values[m] * modes.singular_values[m]);
    std::vector<Vec3f>& field = result.emplace_back(vertices);
    parallel_for(vertices, mode_vertices_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        Vec3d sum{};
        for (std::size_t e = 0; e < n; ++e) sum += Vec3d(examples[e][v]) * factor[e];
        field[v] = Vec3f(sum);
      }
    });
  }
  return result;
}

}  // namespace supple::learn
