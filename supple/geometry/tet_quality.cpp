// Angles, lengths and volumes of tetrahedra.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/geometry/tet_mesh.h"

namespace supple {
namespace {

struct Sums {
  double volume = 0, length = 0;
  double min_angle = 180, max_angle = 0, min_edge = 0, max_edge = 0;
  std::size_t min_element = 0, max_element = 0;
  std::array<std::size_t, 18> histogram{};
  bool empty = true;

  Sums& operator+=(const Sums& other) {
    if (other.empty) return *this;
    volume += other.volume;
    length += other.length;
    if (other.min_angle < min_angle || empty) {
      min_angle = other.min_angle;
      min_element = other.min_element;
    }
    if (other.max_angle > max_angle || empty) {
      max_angle = other.max_angle;
      max_element = other.max_element;
    }
    min_edge = empty ? other.min_edge : std::min(min_edge, other.min_edge);
    max_edge = empty ? other.max_edge : std::max(max_edge, other.max_edge);
    for (std::size_t bin = 0; bin < histogram.size(); ++bin) histogram[bin] += other.histogram[bin];
    empty = false;
    return *this;
  }
};

/// Between the faces at the edge a-b, in degrees; c and d are the other corners.
double dihedral(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const Vec3d n = cross(b - a, c - a), m = cross(b - a, d - a);
  return std::atan2(length(cross(n, m)), dot(n, m)) * 180 / std::numbers::pi;
}

}  // namespace

TetQuality quality(const TetMesh& mesh) {
  TetQuality result;
  const std::size_t count = mesh.element_count();
  if (count == 0) return result;
  std::vector<double> smallest(count);
  const Sums all = parallel_sum(count, 4096, Sums{}, [&](std::size_t begin, std::size_t end) {
    Sums sum;
    for (std::size_t e = begin; e < end; ++e) {
      const std::array<Vec3d, 4> x{mesh.corner(e, 0), mesh.corner(e, 1), mesh.corner(e, 2), mesh.corner(e, 3)};
      Sums one;
      one.empty = false;
      one.min_element = one.max_element = e;
      one.volume = signed_volume(x[0], x[1], x[2], x[3]);
      for (const auto& [a, b] : tet_edges) {
        std::size_t c = 0;
        while (c == a || c == b) ++c;
        const std::size_t d = 6u - a - b - c;
        const double angle = dihedral(x[a], x[b], x[c], x[d]), edge = length(x[b] - x[a]);
        one.min_angle = std::min(one.min_angle, angle);
        one.max_angle = std::max(one.max_angle, angle);
        one.length += edge;
        one.min_edge = one.min_edge == 0 ? edge : std::min(one.min_edge, edge);
        one.max_edge = std::max(one.max_edge, edge);
        ++one.histogram[std::min<std::size_t>(static_cast<std::size_t>(angle / 10), 17)];
      }
      smallest[e] = one.min_angle;
      sum += one;
    }
    return sum;
  });
  result.volume = all.volume;
  result.min_dihedral_degrees = all.min_angle;
  result.max_dihedral_degrees = all.max_angle;
  result.min_dihedral_element = all.min_element;
  result.max_dihedral_element = all.max_element;
  result.dihedral_histogram = all.histogram;
  result.min_edge = all.min_edge;
  result.mean_edge = all.length / (6.0 * static_cast<double>(count));
  result.max_edge = all.max_edge;
  const auto percentile = smallest.begin() + static_cast<std::ptrdiff_t>(count / 100);
  std::nth_element(smallest.begin(), percentile, smallest.end());
  result.first_percentile_degrees = *percentile;
  result.components = connected_parts(mesh).sizes.size();
  return result;
}

}  // namespace supple
