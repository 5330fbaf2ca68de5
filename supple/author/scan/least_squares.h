// Small problems of least squares with residuals of any form: Levenberg and Marquardt's steps, derivatives by
// differences.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace supple::scan {

/// Solves a x = b in place, a symmetric and positive (n by n, by rows; the lower triangle is read and overwritten).
/// False where it is not positive.
inline bool solve_positive(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 0)) return false;
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/// Improves `x`, all of whose members are of the size of 1, until the sum of squares of residuals(x, r) stays; returns
/// that sum.
template <class Residuals>
double least_squares(std::vector<double>& x, const Residuals& residuals, int iterations = 60) {
  constexpr double step = 1e-6, settled = 1e-10;
  const auto squares = [](const std::vector<double>& r) {
    double sum = 0;
    for (const double v : r) sum += v * v;
    return sum;
  };
  std::vector<double> r, shifted;
  residuals(x, r);
  double sum = squares(r), damping = 1e-4;
  const std::size_t n = x.size(), m = r.size();
  std::vector<double> jacobian(m * n);  // by columns
  for (int i = 0; i < iterations && n > 0; ++i) {
    for (std::size_t c = 0; c < n; ++c) {
      std::vector<double> moved = x;
      moved[c] += step;
      residuals(moved, shifted);
      for (std::size_t k = 0; k < m; ++k) jacobian[c * m + k] = (shifted[k] - r[k]) / step;
    }
    std::vector<double> normal(n * n), right(n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t k = 0; k < m; ++k) right[a] -= jacobian[a * m + k] * r[k];
      for (std::size_t b = 0; b <= a; ++b)
        for (std::size_t k = 0; k < m; ++k) normal[a * n + b] += jacobian[a * m + k] * jacobian[b * m + k];
    }
    double before = sum;
    for (; damping < 1e12; damping *= 10) {
      std::vector<double> damped = normal, change = right;
      for (std::size_t a = 0; a < n; ++a) damped[a * n + a] += damping * (normal[a * n + a] + 1e-12);
      if (!solve_positive(damped, change)) continue;
      std::vector<double> moved = x;
      for (std::size_t a = 0; a < n; ++a) moved[a] += change[a];
      residuals(moved, shifted);
      const double tried = squares(shifted);
      if (!(tried <= sum)) continue;
      x = std::move(moved);
      r = shifted;
      sum = tried;
      damping = std::max(damping / 10, 1e-9);
      break;
    }
    if (before - sum <= settled * (before + 1e-300)) break;
  }
  return sum;
}

}  // namespace supple::scan
