// Whether a deformation turns the inside over: the determinant of its derivative at interior points.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple::measure {

/// Points inside a closed mesh on a cubic grid of `spacing` metres centred on its bounds, at least `margin` metres from
/// the surface; ordered by z, then y, then x. Empty where the mesh is thinner than that.
Result<std::vector<Vec3d>> interior_points(const Mesh& mesh, double spacing, double margin = 0);

/// The spacing in metres at which a closed mesh has about `count` interior points.
Result<double> interior_spacing(const Mesh& mesh, std::size_t count);

/// Where a deformation takes a point, metres to metres. Called from several threads at once.
using PointMap = std::function<Vec3d(Vec3d)>;

/// det J at each point (#P by 3) by central differences: J's columns are (map(p + step e) - map(p - step e)) / (2
/// step). `step` in metres: about 1e-4 of the model's size leaves errors near 1e-8 for smooth maps. A value that is not
/// finite is an Error that names the point.
Result<std::vector<double>> jacobian_determinants(const PointMap& map, std::span<const Vec3d> points, double step);

/// det J is the local volume ratio: 1 for rigid motion, 0 or less where the inside is crushed or turned over.
struct JacobianSummary {
  double min = 0, mean = 0;
  std::size_t worst = 0;   // point with the smallest determinant; the first of several
  Vec3d worst_position{};  // where it is at rest, metres
  std::size_t non_positive = 0;
  double fraction_non_positive = 0;
  std::size_t count = 0;  // points measured; never 0
};
/// Of given determinants (#P) at given points (#P by 3, metres).
Result<JacobianSummary> summarize_jacobians(std::span<const double> determinants, std::span<const Vec3d> points);

/// jacobian_determinants and summarize_jacobians in one.
Result<JacobianSummary> measure_jacobian(const PointMap& map, std::span<const Vec3d> points, double step);

}  // namespace supple::measure
