#include "supple/geometry/patch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "supple/base/rng.h"

namespace supple {
namespace {

std::vector<Vec3f> scattered(std::size_t count) {
  Rng rng(3);
  std::vector<Vec3f> points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back(Vec3f(Vec3d{rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0, 0.01)}));
  return points;
}

TEST(PatchOrder, EveryPointComesOnceAndPatchesAreSmall) {
  const std::vector<Vec3f> points = scattered(1003);
  const auto order = patch_order(points);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0u);
  ASSERT_EQ(sorted, all);
  // Sixteen of 1003 points of a unit square fill an eighth of its side; rows of halves are at most twice as long.
  for (std::size_t begin = 0; begin < order.size(); begin += 16) {
    std::vector<Vec3f> patch;
    for (std::size_t i = begin; i < std::min(begin + 16, order.size()); ++i) patch.push_back(points[order[i]]);
    EXPECT_LT(bounds(patch).diagonal(), 0.35f) << begin;
  }
}

TEST(PatchOrder, PointsInOnePlaceKeepTheirOrder) {
  const std::vector<Vec3f> points(100, Vec3f{1, 2, 3});
  const auto order = patch_order(points);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(patch_order({}).empty());
}

TEST(PatchOrder, AMeshStaysTheSameSurface) {
  Mesh mesh;
  mesh.positions = scattered(60);
  for (std::size_t v = 0; v < 60; ++v) mesh.normals.push_back(normalized(mesh.positions[v]));
  for (std::uint32_t t = 0; t + 2 < 60; ++t) mesh.triangles.push_back({t, t + 1, t + 2});
  const Mesh sorted = in_patches(mesh);
  ASSERT_EQ(sorted.triangles.size(), mesh.triangles.size());
  const auto corners = [](const Mesh& m) {
    std::vector<std::array<float, 9>> result;
    for (const Triangle& t : m.triangles) {
      auto& corner = result.emplace_back();
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t r = 0; r < 3; ++r) corner[3 * i + r] = m.positions[t[i]][r];
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  EXPECT_EQ(corners(sorted), corners(mesh));
  for (std::size_t v = 0; v < 60; ++v) EXPECT_EQ(sorted.normals[v], normalized(sorted.positions[v]));
}

}  // namespace
}  // namespace supple
