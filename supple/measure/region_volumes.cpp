#include "supple/measure/region_volumes.h"

#include <algorithm>
#include <map>

#include "supple/base/disjoint_sets.h"
#include "supple/geometry/topology.h"

namespace supple::measure {
namespace {

using Edge = std::array<std::uint32_t, 2>;

/// Edges of a region's triangles that none of them runs along the other way.
std::vector<Edge> boundary_of(std::span<const Triangle> triangles) {
  std::map<Edge, int> balance;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  std::vector<Edge> edges;
  for (const auto& [edge, sum] : balance) {
    for (int i = 0; i < sum; ++i) edges.push_back({edge[1], edge[0]});  // against the triangle
    for (int i = 0; i > sum; --i) edges.push_back(edge);
  }
  return edges;
}

/// Six times the signed volume of the tetrahedron with the origin.
double six_volumes(Vec3d a, Vec3d b, Vec3d c) { return dot(a, cross(b, c)); }

}  // namespace

RegionVolumes::RegionVolumes(const Mesh& rest, std::span<const std::uint32_t> region_of, std::size_t count)
    : loops_of_(count) {
  const Weld points = weld(rest.positions);
  std::vector<std::vector<Triangle>> by_region(count);
  for (std::size_t i = 0; i < rest.triangles.size(); ++i) {
    Triangle t;
    for (std::size_t k = 0; k < 3; ++k) t[k] = points.to_vertex[points.to_point[rest.triangles[i][k]]];
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    triangles_.push_back(t);
    region_.push_back(region_of[i]);
    by_region[region_of[i]].push_back(t);
  }
  for (std::size_t r = 0; r < count; ++r) {
    const std::vector<Edge> boundary = boundary_of(by_region[r]);
    DisjointSets sets(rest.positions.size());
    for (const Edge& e : boundary) sets.join(e[0], e[1]);
    std::map<std::uint32_t, Loop> loops;
    for (const Edge& e : boundary) loops[sets.root(e[0])].edges.push_back(e);
    for (auto& [root, loop] : loops) loops_of_[r].push_back(std::move(loop));
  }
}

std::vector<double> RegionVolumes::of(std::span<const Vec3f> positions) const {
  std::vector<double> volumes(count());
  const Vec3d origin = positions.empty() ? Vec3d{} : Vec3d(positions[0]);  // near the surface: less is lost to rounding
  const auto at = [&](std::uint32_t v) { return Vec3d(positions[v]) - origin; };
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const Triangle& t = triangles_[i];
    volumes[region_[i]] += six_volumes(at(t[0]), at(t[1]), at(t[2])) / 6;
  }
  for (std::size_t r = 0; r < count(); ++r) {
    for (const Loop& loop : loops_of_[r]) {
      Vec3d middle{};
      for (const Edge& e : loop.edges) middle += at(e[0]) / static_cast<double>(loop.edges.size());
      for (const Edge& e : loop.edges) volumes[r] += six_volumes(at(e[0]), at(e[1]), middle) / 6;
    }
  }
  return volumes;
}

}  // namespace supple::measure
