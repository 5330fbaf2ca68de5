#include "supple/author/learn/dense.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace supple::learn {
namespace {
constexpr int max_sweeps = 60;
}  // namespace

DenseEigen symmetric_eigen(DenseMatrix a) {
  const std::size_t n = a.rows;
  DenseMatrix v(n, n);
  for (std::size_t i = 0; i < n; ++i) v(i, i) = 1;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool done = true;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= 1e-17 * std::sqrt(std::abs(a(p, p) * a(q, q))) || a(p, q) == 0) continue;
        done = false;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a(k, p), y = a(k, q);
          a(k, p) = c * x - s * y;
          a(k, q) = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a(p, k), y = a(q, k);
          a(p, k) = c * x - s * y;
          a(q, k) = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = v(k, p), y = v(k, q);
          v(k, p) = c * x - s * y;
          v(k, q) = s * x + c * y;
        }
      }
    }
    if (done) break;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
  DenseEigen result{std::vector<double>(n), DenseMatrix(n, n)};
  for (std::size_t k = 0; k < n; ++k) {
    result.values[k] = a(order[k], order[k]);
    for (std::size_t i = 0; i < n; ++i) result.vectors(i, k) = v(i, order[k]);
  }
  return result;
}

std::optional<DenseMatrix> solve(DenseMatrix a, DenseMatrix b) {
  const std::size_t n = a.rows;
  double scale = 0;
  for (const double v : a.values) scale = std::max(scale, std::abs(v));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    if (!(std::abs(a(pivot, k)) > 1e-14 * scale)) return std::nullopt;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
      for (std::size_t j = 0; j < b.columns; ++j) std::swap(b(k, j), b(pivot, j));
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      for (std::size_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = 0; c < b.columns; ++c) {
      double sum = b(i, c);
      for (std::size_t j = i + 1; j < n; ++j) sum -= a(i, j) * b(j, c);
      b(i, c) = sum / a(i, i);
    }
  }
  return b;
}

}  // namespace supple::learn
