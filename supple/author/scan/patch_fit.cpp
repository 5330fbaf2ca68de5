#include "supple/author/scan/patch_fit.h"

#include <array>
#include <cassert>
#include <cmath>

#include "supple/base/quat.h"

namespace supple::scan {
namespace {

constexpr int iterations = 8;
/// Pull towards staying, against a mean square of 1 for a direction that every normal tells.
constexpr double pull = 0.1;

using Vec6 = std::array<double, 6>;  // rotation times the size of the patch, then shift; metres

/// Solves the symmetric positive definite system in place, by Gaussian elimination without pivots.
Vec6 solve_six(std::array<Vec6, 6> a, Vec6 b) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 6; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < 6; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t k = i + 1; k < 6; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

Affined to_motion(const Vec6& x, Vec3d centre, double size) {
  const Vec3d turn = Vec3d{x[0], x[1], x[2]} / size, shift{x[3], x[4], x[5]};
  const double angle = length(turn);
  const Mat3d rotation = to_matrix(from_axis_angle(normalized(turn, {1, 0, 0}), angle));
  return {rotation, centre + shift - rotation * centre};
}

}  // namespace

std::optional<PatchFit> fit_patch(std::span<const Vec3d> points, std::span<const Vec3d> normals,
                                  const FacingSurface& surface, const TargetLimits& limits, double least_share) {
  assert(points.size() == normals.size());
  if (points.empty()) return std::nullopt;
  Vec3d centre{};
  for (const Vec3d p : points) centre += p;
  centre = centre / static_cast<double>(points.size());
  double size = 0;
  for (const Vec3d p : points) size += squared_length(p - centre);
  size = std::sqrt(size / static_cast<double>(points.size()));
  if (!(size > 0)) return std::nullopt;

  Vec6 x{};
  PatchFit fit;
  for (int iteration = 0; iteration <= iterations; ++iteration) {
    fit.motion = to_motion(x, centre, size);
    std::array<Vec6, 6> a{};
    Vec6 b{};
    std::size_t kept = 0;
    double squares = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3d p = fit.motion.point(points[i]);
      const auto target = surface.nearest(p, fit.motion.vector(normals[i]), limits.reach, limits.least_cosine);
      if (!target || target->at_border) continue;
      ++kept;
      const double off = dot(target->normal, target->point - p);
      squares += off * off;
      const Vec3d lever = cross(p - centre, target->normal) / size;
      const Vec6 row{lever.x, lever.y, lever.z, target->normal.x, target->normal.y, target->normal.z};
      double linear = off;  // what the total motion should be along this row
      for (std::size_t k = 0; k < 6; ++k) linear += row[k] * x[k];
      for (std::size_t k = 0; k < 6; ++k) {
        b[k] += row[k] * linear;
        for (std::size_t l = 0; l < 6; ++l) a[k][l] += row[k] * row[l];
      }
    }
    if (static_cast<double>(kept) < least_share * static_cast<double>(points.size())) return std::nullopt;
    fit.residual = std::sqrt(squares / static_cast<double>(kept));
    if (iteration == 0) fit.before = fit.residual;
    for (std::size_t k = 0; k < 6; ++k) a[k][k] += pull * static_cast<double>(kept);
    if (iteration < iterations) x = solve_six(a, b);
  }
  return fit;
}

}  // namespace supple::scan
