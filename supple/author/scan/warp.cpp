#include "supple/author/scan/warp.h"

#include <cassert>
#include <cmath>
#include <string>

namespace supple::scan {
namespace {

/// Pivots of the kernel matrix, whose diagonal is 1, below this are rounding: two of the points are one.
constexpr double least_pivot = 1e-12;

/// Lower triangle by rows, packed: entry (i, j), j <= i.
std::size_t place(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

/// Cholesky factor in place; the row whose pivot vanishes, or n.
std::size_t factorize(std::vector<double>& lower, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = lower[place(i, j)];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[place(i, k)] * lower[place(j, k)];
      if (i == j) {
        if (!(sum > least_pivot)) return i;
        lower[place(i, i)] = std::sqrt(sum);
      } else {
        lower[place(i, j)] = sum / lower[place(j, j)];
      }
    }
  }
  return n;
}

void solve(const std::vector<double>& lower, std::vector<Vec3d>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= x[k] * lower[place(i, k)];
    x[i] = x[i] / lower[place(i, i)];
  }
  for (std::size_t i = x.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < x.size(); ++k) x[i] -= x[k] * lower[place(k, i)];
    x[i] = x[i] / lower[place(i, i)];
  }
}

}  // namespace

Result<PointWarp> PointWarp::build(std::span<const Vec3d> from, std::span<const Vec3d> to, double reach) {
  assert(from.size() == to.size());
  if (!(reach > 0) || !std::isfinite(reach)) {
    return Error{"feature reach", "is not a length", "give metres above 0, such as 1.6"};
  }
  const std::size_t n = from.size();
  std::vector<double> lower(place(n, 0));
  PointWarp warp;
  warp.reach_ = reach;
  warp.centres_.assign(from.begin(), from.end());
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_finite(from[i]) || !is_finite(to[i])) return Error{"feature " + std::to_string(i), "is not finite", ""};
    for (std::size_t j = 0; j <= i; ++j) lower[place(i, j)] = std::exp(-length(from[i] - from[j]) / reach);
    warp.coefficients_.push_back(to[i] - from[i]);
  }
  if (const std::size_t bad = factorize(lower, n); bad < n) {
    std::size_t nearest = 0;
    for (std::size_t j = 1; j < bad; ++j) {
      if (length(from[j] - from[bad]) < length(from[nearest] - from[bad])) nearest = j;
    }
    return Error{"features " + std::to_string(nearest) + " and " + std::to_string(bad), "lie in one place",
                 "remove one of them"};
  }
  solve(lower, warp.coefficients_);
  return warp;
}

Vec3d PointWarp::operator()(Vec3d p) const {
  Vec3d moved = p;
  for (std::size_t j = 0; j < centres_.size(); ++j) {
    moved += coefficients_[j] * std::exp(-length(p - centres_[j]) / reach_);
  }
  return moved;
}

}  // namespace supple::scan
