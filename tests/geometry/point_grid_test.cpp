#include "supple/geometry/point_grid.h"

#include <gtest/gtest.h>

#include <random>

namespace supple {
namespace {

std::uint32_t nearest_of_all(std::span<const Vec3f> points, Vec3f to) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < points.size(); ++i)
    if (squared_length(Vec3d(points[i]) - Vec3d(to)) < squared_length(Vec3d(points[best]) - Vec3d(to))) best = i;
  return best;
}

TEST(PointGrid, FindsWhatLookingAtAllFinds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-1, 1);
  // A volume, a surface, a line, one place, one point.
  for (const Vec3f shape : {Vec3f{1, 1, 1}, Vec3f{1, 1, 0}, Vec3f{1, 0, 0}, Vec3f{0, 0, 0}}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{50}, std::size_t{2000}}) {
      std::vector<Vec3f> points;
      for (std::size_t i = 0; i < count; ++i)
        points.push_back({unit(random) * shape.x, unit(random) * shape.y, unit(random) * shape.z});
      const PointGrid grid(points);
      for (int i = 0; i < 200; ++i) {
        const Vec3f to{2 * unit(random), 2 * unit(random), 2 * unit(random)};  // also outside
        ASSERT_EQ(grid.nearest(to), nearest_of_all(points, to)) << count;
      }
      for (int i = 0; i < 20; ++i) {
        const Vec3f to{2 * unit(random), 2 * unit(random), 2 * unit(random)};
        std::vector<bool> visited(count);
        grid.each_near(to, 0.3f, [&](std::uint32_t p) {
          ASSERT_FALSE(visited[p]) << "twice";
          visited[p] = true;
        });
        for (std::size_t p = 0; p < count; ++p) ASSERT_TRUE(visited[p] || length(points[p] - to) >= 0.3f) << p;
      }
      for (std::size_t i = 0; i < count; i += 7) ASSERT_EQ(points[grid.nearest(points[i])], points[i]);
    }
  }
}

}  // namespace
}  // namespace supple
