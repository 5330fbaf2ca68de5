#include "supple/geometry/patch_order.h"

#include <algorithm>
#include <numeric>

namespace supple {
namespace {

std::size_t longest_axis(std::span<const Vec3f> points, std::span<const std::uint32_t> some) {
  Vec3f low = points[some[0]], high = low;
  for (const std::uint32_t v : some) {
    low = min(low, points[v]);
    high = max(high, points[v]);
  }
  const Vec3f size = high - low;
  std::size_t axis = size.y > size.x ? 1 : 0;
  return size.z > size[axis] ? 2 : axis;
}

void halve(std::span<const Vec3f> points, std::size_t patch, std::span<std::uint32_t> order) {
  while (order.size() > patch) {
    const std::size_t axis = longest_axis(points, order), patches = (order.size() + patch - 1) / patch;
    // Ties go by number: every machine gives the same order.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const float x = points[a][axis], y = points[b][axis];
      return x < y || (x == y && a < b);
    });
    const std::size_t first = (patches / 2) * patch;
    halve(points, patch, order.first(first));
    order = order.subspan(first);
  }
}

}  // namespace

std::vector<std::uint32_t> patch_order(std::span<const Vec3f> points, std::size_t patch) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  halve(points, patch, order);
  return order;
}

Mesh in_patches(const Mesh& mesh) {
  const std::vector<std::uint32_t> order = patch_order(mesh.positions);
  std::vector<std::uint32_t> place(order.size());
  Mesh result;
  for (std::uint32_t v = 0; v < order.size(); ++v) {
    place[order[v]] = v;
    result.positions.push_back(mesh.positions[order[v]]);
    if (!mesh.normals.empty()) result.normals.push_back(mesh.normals[order[v]]);
  }
  for (const Triangle& t : mesh.triangles) result.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  std::stable_sort(result.triangles.begin(), result.triangles.end(), [](const Triangle& a, const Triangle& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
  return result;
}

}  // namespace supple
