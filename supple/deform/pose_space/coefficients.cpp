#include "supple/deform/pose_space/coefficients.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "supple/base/elementary.h"
#include "supple/rig/pose_space.h"

namespace supple {
namespace {

constexpr double smallest_pivot = 1e-12;  // of a matrix whose entries are at most one

/// r^1.5 of r^2.
double rounded(double squared) {
  const double r = std::sqrt(squared);
  return r * std::sqrt(r);
}

/// In place, by Gauss and Jordan with row exchanges.
bool invert(std::vector<double>& a, std::size_t n) {
  std::vector<std::size_t> exchanged(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(a[r * n + k]) > std::abs(a[pivot * n + k])) pivot = r;
    if (!(std::abs(a[pivot * n + k]) > smallest_pivot)) return false;
    exchanged[k] = pivot;
    std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(k * n),
                     a.begin() + static_cast<std::ptrdiff_t>((k + 1) * n),
                     a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
    const double scale = 1 / a[k * n + k];
    a[k * n + k] = 1;
    for (std::size_t c = 0; c < n; ++c) a[k * n + c] *= scale;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = a[r * n + k];
      a[r * n + k] = 0;
      for (std::size_t c = 0; c < n; ++c) a[r * n + c] -= factor * a[k * n + c];
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t r = 0; r < n; ++r) std::swap(a[r * n + k], a[r * n + exchanged[k]]);
  return true;
}

}  // namespace

bool solve_coefficients(std::span<const double> distances, std::size_t n, double ridge, std::span<double> out) {
  std::vector<double> c(n * n);
  std::transform(distances.begin(), distances.end(), c.begin(), [](double d) { return decay(rounded(d)); });
  for (std::size_t i = 1; i < n; ++i) c[i * n + i] += ridge;
  if (!invert(c, n)) return false;
  std::size_t next = n;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = 0;
    for (std::size_t j = 0; j < n; ++j) out[i] += c[i * n + j];
    for (std::size_t j = 0; j < i; ++j) out[next++] = (c[i * n + j] + c[j * n + i]) / 2;
  }
  return true;
}

void mix(std::span<const double> coefficients, std::span<const double> distances, std::span<double> out) {
  const std::size_t n = distances.size();
  std::array<double, PoseSpace::max_examples> phi, f;
  const double nearest = rounded(*std::min_element(distances.begin(), distances.end()));
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    phi[i] = decay(rounded(distances[i]) - nearest);  // a common factor does not matter, and none vanishes
    f[i] = coefficients[i] * phi[i];
    sum += f[i];
  }
  const double* c = &coefficients[n];
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double exchange = *c++ * (phi[j] - phi[i]);
      f[i] += exchange;
      f[j] -= exchange;
    }
  }
  sum = std::max(sum, double{PoseSpace::least_sum});
  for (std::size_t i = 1; i < n; ++i) out[i - 1] = f[i] / sum;
}

}  // namespace supple
