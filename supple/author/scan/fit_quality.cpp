#include "supple/author/scan/fit_quality.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

constexpr std::size_t points_a_chunk = 256;
/// Edges this many times as long as the base's: skin of a finger that bends by a right angle stretches to less than
/// twice.
constexpr double drawn_out = 5;

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

/// Vertices of which the scan can say nothing because a volume ends there: told by where blending put them, since a
/// fit that went astray may be nearest to anything.
std::vector<char> cut_off(std::span<const Vec3f> blended, const Mesh& scan, const Bvh& surface,
                          const std::vector<bool>& base_border, const std::vector<bool>& scan_border) {
  std::vector<char> cut(base_border.begin(), base_border.end());
  cut.resize(blended.size(), 0);
  if (scan_border.empty()) return cut;
  parallel_for(blended.size(), points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      for (const std::uint32_t corner : scan.triangles[surface.closest(blended[v]).triangle])
        cut[v] = cut[v] != 0 || scan_border[corner] ? 1 : 0;
    }
  });
  return cut;
}

void measure_stretch(const Mesh& base, std::span<const Vec3f> fitted, FitQuality& quality) {
  std::vector<double> ratios;
  ratios.reserve(3 * base.triangles.size());
  for (const Triangle& t : base.triangles) {
    bool long_edge = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double before = length(Vec3d(base.positions[b]) - Vec3d(base.positions[a]));
      const double after = length(Vec3d(fitted[b]) - Vec3d(fitted[a]));
      if (!(before > 0) || !(after > 0)) continue;
      long_edge = long_edge || after >= drawn_out * before;
      ratios.push_back(std::max(after / before, before / after));
      if (ratios.back() > quality.stretch_max) {
        quality.stretch_max = ratios.back();
        quality.worst_edge = {a, b};
      }
    }
    if (long_edge) ++quality.stretched;
  }
  if (ratios.empty()) return;
  const auto p99 = ratios.begin() + static_cast<std::ptrdiff_t>((ratios.size() * 99 - 1) / 100);
  std::nth_element(ratios.begin(), p99, ratios.end());
  quality.stretch_p99 = *p99;
}

}  // namespace

FitQuality measure_fit(const Mesh& base, const FittedSkin& fit, const Mesh& scan, const std::vector<bool>& base_border,
                       const std::vector<bool>& scan_border) {
  FitQuality quality;
  const std::vector<bool>& reliable = fit.reliable;
  const std::span<const Vec3f> fitted = fit.positions;
  const Bvh surface(scan.positions, scan.triangles);
  const Distances forward = distances(fitted, surface, [&](std::size_t v) { return reliable[v]; });
  const std::vector<char> cut = cut_off(fit.blended, scan, surface, base_border, scan_border);
  const Distances whole = distances(fitted, surface, [&](std::size_t v) { return cut[v] == 0; });
  const Distances backward = distances(scan.positions, Bvh(fitted, base.triangles),
                                       [&](std::size_t v) { return scan_border.empty() || !scan_border[v]; });
  quality.forward_rms = forward.rms;
  quality.forward_max = forward.max;
  quality.worst_vertex = forward.worst;
  quality.whole_rms = whole.rms;
  quality.whole_max = whole.max;
  quality.whole_worst = whole.worst;
  quality.backward_rms = backward.rms;
  quality.backward_max = backward.max;
  quality.worst_scan_vertex = backward.worst;
  count_flipped(fitted, base.triangles, quality);
  measure_stretch(base, fitted, quality);
  quality.unreliable = static_cast<std::size_t>(std::count(reliable.begin(), reliable.end(), false));
  return quality;
}

Warnings doubts_about_fit(const FitQuality& q, double reach) {
  Warnings doubts;
  constexpr const char* remedy = ": look at the fitted skin and at the feature points";
  char text[160];
  if (q.whole_max > reach) {
    std::snprintf(text, sizeof text, "the fitted skin lies up to %.0f mm from the scan, farthest at vertex %u",
                  1000 * q.whole_max, q.whole_worst);
    doubts.push_back(std::string(text) + remedy);
  }
  if (q.flipped > 0)
    doubts.push_back(std::to_string(q.flipped) + " triangles of the fitted skin are folded over, the first is " +
                     std::to_string(q.first_flipped) + remedy);
  if (q.stretched > 0) {
    std::snprintf(text, sizeof text,
                  "%zu triangles of the fitted skin are drawn out to %.0f times or more, %.0f at most", q.stretched,
                  drawn_out, q.stretch_max);
    doubts.push_back(std::string(text) + remedy);
  }
  return doubts;
}

}  // namespace supple::scan
