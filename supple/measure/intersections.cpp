// Candidates by their boxes through the hierarchy, decided by the exact test.
#include "supple/measure/intersections.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/geometry/triangle_intersection.h"
#include "supple/measure/volume.h"

namespace supple::measure {
namespace {

constexpr std::size_t chunk = 256;  // triangles

TriangleCorners corners_of(std::span<const Vec3f> positions, const Triangle& t) {
  return {positions[t[0]], positions[t[1]], positions[t[2]]};
}

/// How many different triangles the pairs name.
template <class Pairs>
std::size_t count_triangles(const Pairs& pairs) {
  std::vector<std::uint32_t> named;
  for (const auto& [first, second] : pairs) named.insert(named.end(), {first, second});
  std::sort(named.begin(), named.end());
  return static_cast<std::size_t>(std::unique(named.begin(), named.end()) - named.begin());
}

}  // namespace

Result<SelfIntersectionTest> SelfIntersectionTest::make(const Mesh& rest) {
  if (auto valid = validate(rest); !valid) return valid.error();
  SelfIntersectionTest test;
  test.rest_ = {rest.positions, {}, rest.triangles};
  const Weld points = weld(rest.positions, seam_tolerance(rest.positions));
  std::vector<std::uint32_t> last = points.to_vertex;
  for (std::uint32_t v = 0; v < rest.positions.size(); ++v)
    test.same_before_.push_back(std::exchange(last[points.to_point[v]], v));
  test.at_rest_ = test.pairs(test.joined(rest.positions));
  return test;
}

/// A vertex takes the place of the first one that it belongs to and is still with.
std::vector<Vec3f> SelfIntersectionTest::joined(std::span<const Vec3f> posed) const {
  const double tolerance = double{seam_tolerance(posed)};
  std::vector<Vec3f> positions(posed.begin(), posed.end());
  for (std::size_t v = 0; v < posed.size(); ++v) {
    for (std::size_t last = v; same_before_[last] != last;) {
      last = same_before_[last];
      if (!(length(Vec3d(posed[v]) - Vec3d(positions[last])) <= tolerance)) continue;
      positions[v] = positions[last];  // which is where the first of those that are together is
      break;
    }
  }
  return positions;
}

std::vector<SelfIntersectionTest::Pair> SelfIntersectionTest::pairs(std::span<const Vec3f> positions) const {
  const Bvh bvh(positions, rest_.triangles);
  std::vector<std::vector<Pair>> found((rest_.triangles.size() + chunk - 1) / chunk);
  parallel_for(rest_.triangles.size(), chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const TriangleCorners a = corners_of(positions, rest_.triangles[t]);
      bvh.each_in_box(min(a[0], min(a[1], a[2])), max(a[0], max(a[1], a[2])), [&](std::uint32_t other) {
        if (other <= t || !triangles_cross(a, corners_of(positions, rest_.triangles[other]))) return;
        found[begin / chunk].push_back({static_cast<std::uint32_t>(t), other});
      });
    }
  });
  std::vector<Pair> all;
  for (const std::vector<Pair>& part : found) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return all;
}

Result<SelfIntersections> SelfIntersectionTest::run(std::span<const Vec3f> posed, std::size_t listed) const {
  if (auto fits = check_posed(rest_, posed); !fits) return fits.error();
  const std::vector<Vec3f> positions = joined(posed);
  const std::vector<Pair> all = pairs(positions);
  std::vector<Pair> fresh;
  std::set_difference(all.begin(), all.end(), at_rest_.begin(), at_rest_.end(), std::back_inserter(fresh));

  SelfIntersections result;
  result.pairs = all.size();
  result.triangles = count_triangles(all);
  result.new_pairs = fresh.size();
  result.new_triangles = count_triangles(fresh);
  result.crossings.reserve(std::min(listed, all.size()));
  bool any = false;
  for (const Pair& pair : all) {
    const LineSegment segment =
        crossing_of(corners_of(positions, rest_.triangles[pair[0]]), corners_of(positions, rest_.triangles[pair[1]]));
    const Crossing crossing{pair[0], pair[1], segment.middle(), supple::length(segment.to - segment.from),
                            std::binary_search(at_rest_.begin(), at_rest_.end(), pair)};
    result.length += crossing.length;
    const bool counts = !crossing.at_rest || fresh.empty();
    if (counts && (!any || crossing.length > result.worst.length)) {
      result.worst = crossing;
      any = true;
    }
    if (result.crossings.size() < listed) result.crossings.push_back(crossing);
  }
  return result;
}

Result<SelfIntersections> self_intersections(const Mesh& rest, std::span<const Vec3f> posed, std::size_t listed) {
  const auto test = SelfIntersectionTest::make(rest);
  if (!test) return test.error();
  return test->run(posed, listed);
}

}  // namespace supple::measure
