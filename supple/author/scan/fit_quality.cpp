#include "supple/author/scan/fit_quality.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

constexpr std::size_t points_a_chunk = 256;

struct Distances {
  double rms = 0, max = 0;
  std::uint32_t worst = 0;
};

/// Of the points for which `counts`.
template <class Counts>
Distances distances(std::span<const Vec3f> points, const Bvh& surface, Counts&& counts) {
  std::vector<float> each(points.size(), -1);
  parallel_for(points.size(), points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (counts(v)) each[v] = surface.closest(points[v]).distance;
    }
  });
  Distances result;
  double squares = 0;
  std::size_t count = 0;
  for (std::uint32_t v = 0; v < each.size(); ++v) {
    if (each[v] < 0) continue;
    squares += double{each[v]} * double{each[v]};
    ++count;
    if (each[v] > result.max) result.max = each[v], result.worst = v;
  }
  result.rms = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
  return result;
}

/// A triangle that is folded over faces against the mean normal of its corners, which the others around it decide.
void count_flipped(std::span<const Vec3f> positions, std::span<const Triangle> triangles, FitQuality& quality) {
  std::vector<Vec3f> normals(positions.size());
  compute_normals(positions, triangles, normals);
  for (std::uint32_t number = 0; number < triangles.size(); ++number) {
    const Triangle& t = triangles[number];
    const Vec3d a(positions[t[0]]), b(positions[t[1]]), c(positions[t[2]]);
    if (dot(cross(b - a, c - a), Vec3d(normals[t[0]] + normals[t[1]] + normals[t[2]])) >= 0) continue;
    if (quality.flipped++ == 0) quality.first_flipped = number;
  }
}

void measure_stretch(const Mesh& base, std::span<const Vec3f> fitted, FitQuality& quality) {
  std::vector<double> ratios;
  ratios.reserve(3 * base.triangles.size());
  for (const Triangle& t : base.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double before = length(Vec3d(base.positions[b]) - Vec3d(base.positions[a]));
      const double after = length(Vec3d(fitted[b]) - Vec3d(fitted[a]));
      if (!(before > 0) || !(after > 0)) continue;
      ratios.push_back(std::max(after / before, before / after));
      if (ratios.back() > quality.stretch_max) {
        quality.stretch_max = ratios.back();
        quality.worst_edge = {a, b};
      }
    }
  }
  if (ratios.empty()) return;
  const auto p99 = ratios.begin() + static_cast<std::ptrdiff_t>((ratios.size() * 99 - 1) / 100);
  std::nth_element(ratios.begin(), p99, ratios.end());
  quality.stretch_p99 = *p99;
}

}  // namespace

FitQuality measure_fit(const Mesh& base, std::span<const Vec3f> fitted, const std::vector<bool>& reliable,
                       const Mesh& scan, const std::vector<bool>& scan_border) {
  FitQuality quality;
  const Distances forward =
      distances(fitted, Bvh(scan.positions, scan.triangles), [&](std::size_t v) { return reliable[v]; });
  const Distances backward = distances(scan.positions, Bvh(fitted, base.triangles),
                                       [&](std::size_t v) { return scan_border.empty() || !scan_border[v]; });
  quality.forward_rms = forward.rms;
  quality.forward_max = forward.max;
  quality.worst_vertex = forward.worst;
  quality.backward_rms = backward.rms;
  quality.backward_max = backward.max;
  quality.worst_scan_vertex = backward.worst;
  count_flipped(fitted, base.triangles, quality);
  measure_stretch(base, fitted, quality);
  quality.unreliable = static_cast<std::size_t>(std::count(reliable.begin(), reliable.end(), false));
  return quality;
}

}  // namespace supple::scan
