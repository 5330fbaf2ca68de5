// Interior points by the inside test of the hierarchy; derivatives by central differences.
#include "supple/measure/jacobian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "supple/base/mat.h"
#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/measure/volume.h"

namespace supple::measure {
namespace {

constexpr double most_cells = 1e8;  // a minute of inside tests

Error bad_option(std::string name, double value) {
  return {std::move(name), std::to_string(value) + " metres", "give a positive length"};
}

}  // namespace

Result<std::vector<Vec3d>> interior_points(const Mesh& mesh, double spacing, double margin) {
  if (!(spacing > 0) || !std::isfinite(spacing)) return bad_option("spacing", spacing);
  if (!(margin >= 0) || !std::isfinite(margin)) return bad_option("margin", margin);
  auto triangles = closed_triangles(mesh);
  if (!triangles) return triangles.error();

  const Box box = bounds(mesh.positions);
  const Vec3d low(box.low), high(box.high);
  std::array<std::size_t, 3> cells{};
  double all_cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // An extent of a whole number of spacings, up to float rounding, has that many cells.
    const double count = std::max(1.0, std::ceil((high[axis] - low[axis]) / spacing - 1e-6));
    all_cells *= count;
    if (all_cells > most_cells) {
      return Error{"spacing", std::to_string(spacing) + " metres gives more than 100 million grid points",
                   "use a larger spacing"};
    }
    cells[axis] = static_cast<std::size_t>(count);
  }
  const auto coordinate = [&](std::size_t axis, std::size_t i) {
    const double middle = (low[axis] + high[axis]) / 2;
    return middle + spacing * (static_cast<double>(i) + 0.5 - static_cast<double>(cells[axis]) / 2);
  };

  const Bvh bvh(mesh.positions, *triangles);
  std::vector<std::vector<Vec3d>> rows(cells[1] * cells[2]);
  parallel_for(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t i = 0; i < cells[0]; ++i) {
        const Vec3d p{coordinate(0, i), coordinate(1, row % cells[1]), coordinate(2, row / cells[1])};
        const bool clear = margin == 0 || std::isinf(bvh.closest(Vec3f(p), static_cast<float>(margin)).distance);
        if (clear && bvh.inside(Vec3f(p))) rows[row].push_back(p);
      }
    }
  });
  std::vector<Vec3d> points;
  for (const std::vector<Vec3d>& row : rows) points.insert(points.end(), row.begin(), row.end());
  return points;
}

Result<double> interior_spacing(const Mesh& mesh, std::size_t count) {
  if (count == 0) return Error{"count", "no interior points are asked for", "ask for at least one"};
  auto volume = closed_volume(mesh);
  if (!volume) return volume.error();
  if (*volume == 0) return Error{"mesh", "it encloses no volume", "give a closed surface"};
  return std::cbrt(std::abs(*volume) / static_cast<double>(count));
}

Result<std::vector<double>> jacobian_determinants(const PointMap& map, std::span<const Vec3d> points, double step) {
  if (!(step > 0) || !std::isfinite(step)) return bad_option("step", step);
  std::vector<double> determinants(points.size());
  parallel_for(points.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Mat3d jacobian;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3d ahead = points[i], behind = points[i];
        ahead[axis] += step;
        behind[axis] -= step;
        // What was really added: far from the origin the sum rounds.
        jacobian[axis] = (map(ahead) - map(behind)) / (ahead[axis] - behind[axis]);
      }
      determinants[i] = determinant(jacobian);
    }
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(determinants[i])) {
      const Vec3d p = points[i];
      return Error{"point " + std::to_string(i),
                   "the deformation is not finite at (" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " +
                       std::to_string(p.z) + ")",
                   "check the pose, and that the point lies inside"};
    }
  }
  return determinants;
}

Result<JacobianSummary> summarize_jacobians(std::span<const double> determinants, std::span<const Vec3d> points) {
  if (points.empty()) return Error{"points", "there are no interior points to measure", "use a smaller spacing"};
  if (determinants.size() != points.size()) {
    return Error{"determinants",
                 std::to_string(determinants.size()) + " for " + std::to_string(points.size()) + " points",
                 "give one per point"};
  }
  JacobianSummary summary;
  summary.count = points.size();
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(determinants[i])) {
      return Error{"point " + std::to_string(i), "the determinant is not finite", "check the deformation there"};
    }
    sum += determinants[i];
    if (determinants[i] <= 0) ++summary.non_positive;
    if (determinants[i] < determinants[summary.worst]) summary.worst = i;
  }
  summary.min = determinants[summary.worst];
  summary.worst_position = points[summary.worst];
  summary.mean = sum / static_cast<double>(summary.count);
  summary.fraction_non_positive = static_cast<double>(summary.non_positive) / static_cast<double>(summary.count);
  return summary;
}

Result<JacobianSummary> measure_jacobian(const PointMap& map, std::span<const Vec3d> points, double step) {
  auto determinants = jacobian_determinants(map, points, step);
  if (!determinants) return determinants.error();
  return summarize_jacobians(*determinants, points);
}

}  // namespace supple::measure
