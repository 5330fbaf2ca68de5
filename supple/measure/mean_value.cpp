// The weights of one triangle are those that give the mean vector m of its image on the unit sphere about the point x:
// sum_i w_i (p_i - x) = m, so w_i = n_i . m / (n_i . (p_i - x)), with m = 1/2 sum_i theta_i n_i, where theta_i is the
// angle of the side opposite to corner i and n_i its unit normal ("Mean Value Coordinates for Closed Triangular
// Meshes"). For a closed surface the mean vectors add up to zero, which is linear precision.
#include "supple/measure/mean_value.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "supple/measure/volume.h"

namespace supple::measure {
namespace {

/// Closer than this, relative to the distance of the corners, a point lies in the plane of a triangle: errors of
/// ignoring the distance and of dividing by it are then both about this size.
constexpr double in_plane = 1e-8;

/// theta / sin(theta) - 1 for the angle between unit vectors, from the squared half chord s^2 = sin^2(theta / 2).
double arc_excess(double s2) {
  if (s2 < 0.01) {
    // asin(s) / (s sqrt(1 - s^2)) = sum_n c_n s^2n with c_0 = 1, c_(n+1) = c_n (2n + 2) / (2n + 3); the first term left
    // out is below 1e-17. No digits are lost where the triangle is seen under a small angle, as nearly all are.
    constexpr std::array c{2.0 / 3,     8.0 / 15,      16.0 / 35,     128.0 / 315,
                           256.0 / 693, 1024.0 / 3003, 2048.0 / 6435, 32768.0 / 109395};
    double sum = 0;
    for (std::size_t n = c.size(); n-- > 0;) sum = (sum + c[n]) * s2;
    return sum;
  }
  const double s = std::sqrt(s2), cosine = std::sqrt(std::max(0.0, 1 - s2));
  return std::atan2(s, cosine) / (s * cosine) - 1;
}

/// Barycentric coordinates in the triangle a, b, c (relative to the point), of the point's foot in its plane.
Vec3d foot_coordinates(const std::array<Vec3d, 3>& corner, Vec3d normal) {
  const double area = squared_length(normal);
  return Vec3d{dot(cross(corner[1], corner[2]), normal), dot(cross(corner[2], corner[0]), normal),
               dot(cross(corner[0], corner[1]), normal)} /
         area;
}

}  // namespace

Result<MeanValueCoordinates> MeanValueCoordinates::make(const Mesh& mesh) {
  auto triangles = closed_triangles(mesh);
  if (!triangles) return triangles.error();
  MeanValueCoordinates coordinates;
  coordinates.positions_.assign(mesh.positions.size(), {});
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) coordinates.positions_[v] = Vec3d(mesh.positions[v]);
  coordinates.triangles_ = std::move(triangles).value();
  return coordinates;
}

std::vector<double> MeanValueCoordinates::weights(Vec3d p) const {
  std::vector<double> result(positions_.size(), 0.0), distance(positions_.size());
  std::vector<Vec3d> direction(positions_.size());
  for (std::size_t v = 0; v < positions_.size(); ++v) {
    const Vec3d to_vertex = positions_[v] - p;
    distance[v] = length(to_vertex);
    direction[v] = to_vertex / distance[v];  // not used where the distance is 0
  }
  double sum = 0;
  for (const Triangle& t : triangles_) {
    const std::array<double, 3> d{distance[t[0]], distance[t[1]], distance[t[2]]};
    const double farthest = std::max({d[0], d[1], d[2]});
    const std::array<Vec3d, 3> corner{positions_[t[0]] - p, positions_[t[1]] - p, positions_[t[2]] - p};
    const Vec3d normal = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const double area = length(normal), volume = dot(corner[0], normal);
    if (!(area > 0)) continue;  // seen under no solid angle from anywhere
    if (std::abs(volume) <= in_plane * area * farthest) {
      const Vec3d foot = foot_coordinates(corner, normal);
      if (std::min({foot.x, foot.y, foot.z}) < -in_plane) continue;  // edge-on: its image has no area
      result.assign(result.size(), 0.0);
      for (std::size_t k = 0; k < 3; ++k) result[t[k]] = foot[k];
      return result;
    }
    const std::array<Vec3d, 3> u{direction[t[0]], direction[t[1]], direction[t[2]]};
    std::array<Vec3d, 3> side;  // opposite to each corner: sin(theta) n
    // Twice the mean vector: sum theta n = sum sin(theta) n + sum (theta / sin(theta) - 1) sin(theta) n, of which the
    // first is the area vector of the plane triangle between the directions.
    Vec3d mean = cross(u[1] - u[0], u[2] - u[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d from = u[(k + 1) % 3], to = u[(k + 2) % 3];
      side[k] = cross(from, to);
      mean += side[k] * arc_excess(squared_length(to - from) / 4);
    }
    const double orientation = dot(u[0], side[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      const double weight = dot(side[k], mean) / (2 * orientation * d[k]);
      result[t[k]] += weight;
      sum += weight;
    }
  }
  const double scale = sum != 0 ? 1 / sum : std::numeric_limits<double>::quiet_NaN();
  for (double& w : result) w *= scale;
  return result;
}

Result<PointMap> mean_value_motion(const Mesh& rest, std::span<const Vec3f> posed) {
  auto coordinates = MeanValueCoordinates::make(rest);
  if (!coordinates) return coordinates.error();
  if (auto fits = check_posed(rest, posed); !fits) return fits.error();
  return PointMap(
      [inside = std::move(coordinates).value(), skin = std::vector<Vec3f>(posed.begin(), posed.end())](Vec3d p) {
        const std::vector<double> weights = inside.weights(p);
        Vec3d sum{};
        for (std::size_t v = 0; v < weights.size(); ++v) sum += Vec3d(skin[v]) * weights[v];
        return sum;
      });
}

Result<JacobianSummary> skin_jacobian(const Mesh& rest, std::span<const Vec3f> posed, std::size_t count) {
  auto motion = mean_value_motion(rest, posed);
  if (!motion) return motion.error();
  auto spacing = interior_spacing(rest, count);
  if (!spacing) return spacing.error();
  const double step = 1e-4 * bounds(rest.positions).diagonal();
  auto points = interior_points(rest, *spacing, 2 * step);  // no difference reaches across the skin
  if (!points) return points.error();
  return measure_jacobian(*motion, *points, step);
}

}  // namespace supple::measure
