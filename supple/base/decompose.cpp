// Cyclic Jacobi in both cases: two-sided for the eigenvalues, one-sided (Hestenes) for the singular values.
#include "supple/base/decompose.h"

#include <array>
#include <utility>

namespace supple {
namespace {

constexpr int max_sweeps = 30;  // convergence is quadratic: five or six are the rule
constexpr double relative_zero = 1e-16;

/// The rotation (c, s) that makes a symmetric 2x2 matrix (p, q; q, r) diagonal, with the smaller angle.
struct Rotation {
  double c = 1, s = 0;
};
Rotation diagonalizing(double p, double q, double r) {
  const double theta = (r - p) / (2 * q);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1);
  return {c, t * c};
}

void rotate_columns(Mat3d& m, std::size_t i, std::size_t j, Rotation r) {
  const Vec3d a = m[i], b = m[j];
  m[i] = a * r.c - b * r.s;
  m[j] = a * r.s + b * r.c;
}

constexpr std::array<std::array<std::size_t, 2>, 3> pairs{{{0, 1}, {0, 2}, {1, 2}}};

}  // namespace

SymmetricEigen symmetric_eigen(const Mat3d& a) {
  double m[3][3] = {
      {a.c0.x, a.c0.y, a.c0.z},
      {a.c0.y, a.c1.y, a.c1.z},
      {a.c0.z, a.c1.z, a.c2.z},
  };
  Mat3d v;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool done = true;
    for (const auto [i, j] : pairs) {
      const double scale = std::abs(m[i][i]) + std::abs(m[j][j]);
      if (std::abs(m[i][j]) <= relative_zero * scale) continue;
      done = false;
      const Rotation r = diagonalizing(m[i][i], m[i][j], m[j][j]);
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = m[k][i], y = m[k][j];
        m[k][i] = r.c * x - r.s * y;
        m[k][j] = r.s * x + r.c * y;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = m[i][k], y = m[j][k];
        m[i][k] = r.c * x - r.s * y;
        m[j][k] = r.s * x + r.c * y;
      }
      rotate_columns(v, i, j, r);
    }
    if (done) break;
  }
  SymmetricEigen result{{m[0][0], m[1][1], m[2][2]}, v};
  for (const auto [i, j] : {pairs[0], pairs[2], pairs[0]}) {
    if (result.values[j] < result.values[i]) {
      std::swap(result.values[i], result.values[j]);
      std::swap(result.vectors[i], result.vectors[j]);
      result.vectors[i] = -result.vectors[i];
    }
  }
  return result;
}

RotationSvd rotation_svd(const Mat3d& a) {
  Mat3d b = a, v;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool done = true;
    for (const auto [i, j] : pairs) {
      const double p = squared_length(b[i]), r = squared_length(b[j]), q = dot(b[i], b[j]);
      if (std::abs(q) <= relative_zero * std::sqrt(p * r)) continue;
      done = false;
      const Rotation turn = diagonalizing(p, q, r);
      rotate_columns(b, i, j, turn);
      rotate_columns(v, i, j, turn);
    }
    if (done) break;
  }
  Vec3d s{length(b.c0), length(b.c1), length(b.c2)};
  for (const auto [i, j] : {pairs[0], pairs[2], pairs[0]}) {
    if (s[i] < s[j]) {
      std::swap(s[i], s[j]);
      std::swap(b[i], b[j]);
      std::swap(v[i], v[j]);
      v[i] = -v[i];
      b[i] = -b[i];
    }
  }
  // The columns of b are u * diag(s). Where singular values vanish, any completion to a rotation will do.
  Mat3d u;
  u.c0 = normalized(b.c0, Vec3d{1, 0, 0});
  const Vec3d beside = b.c1 - u.c0 * dot(u.c0, b.c1);
  const Vec3d axis = std::abs(u.c0.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const bool rank_one = s.y <= 1e-300 || length(beside) <= 0.5 * s.y;
  u.c1 = normalized(rank_one ? cross(u.c0, axis) : beside);
  u.c2 = cross(u.c0, u.c1);
  s.z = dot(u.c2, b.c2);
  return {u, s, v};
}

}  // namespace supple
