// Rays that meet corners, edges and faces as exactly as can be: all coordinates are small whole numbers.
#include "supple/geometry/ray_triangle.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace supple {
namespace {

int crossings(const Mesh& m, Vec3f origin, Vec3f direction) {
  const RayFrame ray(origin, direction);
  int sum = 0;
  for (const Triangle& t : m.triangles) {
    sum += ray.crossing(m.positions[t[0]], m.positions[t[1]], m.positions[t[2]]);
  }
  return sum;
}

TEST(RayTriangle, EveryDirectionFromInsideLeavesABoxOnce) {
  // From a whole-number point in a box of 4: among the directions are all corners, points of all edges, of the faces'
  // diagonals, and rays within the planes of triangles' sides.
  const Mesh m = test::box({-2, -2, -2}, {2, 2, 2});
  int checked = 0;
  for (int place = 0; place < 27; ++place) {
    const Vec3f origin(Vec3d{place % 3 - 1.0, place / 3 % 3 - 1.0, place / 9 - 1.0});
    for (int d = 0; d < 9 * 9 * 9; ++d) {
      const Vec3f direction(Vec3d{d % 9 - 4.0, d / 9 % 9 - 4.0, d / 81 - 4.0});
      if (direction == Vec3f{}) continue;
      ASSERT_EQ(crossings(m, origin, direction), 1) << "place " << place << ", direction " << d;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 27 * 728);
}

TEST(RayTriangle, EveryDirectionFromOutsideCrossesAsOftenInAsOut) {
  const Mesh m = test::box({-2, -2, -2}, {2, 2, 2});
  for (const Vec3f& origin : {Vec3f{4, 0, 0}, {4, 4, 0}, {-4, 4, 4}, {3, 1, -1}, {0, -5, 2}, {2, 2, 5}, {-3, 2, 0}}) {
    for (int d = 0; d < 15 * 15 * 15; ++d) {
      const Vec3f direction(Vec3d{d % 15 - 7.0, d / 15 % 15 - 7.0, d / 225 - 7.0});
      if (direction == Vec3f{}) continue;
      // The plane of a face through the origin is not crossed; its triangles are seen edge-on.
      ASSERT_EQ(crossings(m, origin, direction), 0) << "direction " << d;
    }
  }
}

TEST(RayTriangle, LeavingIsPositiveForAllMajorAxes) {
  const Vec3f a{1, 0, 0}, b{0, 1, 0}, c{0, 0, 1};  // seen from (1, 1, 1) counter-clockwise
  for (const Vec3f& direction : {Vec3f{1, 0.5f, 0.5f}, {0.5f, 1, 0.5f}, {0.5f, 0.5f, 1}}) {
    EXPECT_EQ(RayFrame({0, 0, 0}, direction).crossing(a, b, c), 1);
    EXPECT_EQ(RayFrame({0, 0, 0}, direction).crossing(a, c, b), -1);
    EXPECT_EQ(RayFrame(direction, -direction).crossing(a, b, c), -1);
    EXPECT_EQ(RayFrame({0, 0, 0}, -direction).crossing(a, b, c), 0);
    EXPECT_DOUBLE_EQ(RayFrame({0, 0, 0}, direction).hit(a, b, c).value(), 0.5);
    EXPECT_DOUBLE_EQ(RayFrame({0, 0, 0}, direction).hit(a, c, b).value(), 0.5);
    EXPECT_DOUBLE_EQ(RayFrame({0, 0, 0}, -direction).hit(a, b, c).value(), -0.5);
  }
}

TEST(RayTriangle, EdgesAndCornersAreHitFromBothNeighbours) {
  const Vec3f a{0, 0, 1}, b{2, 0, 1}, c{0, 2, 1}, d{2, 2, 1};
  const RayFrame middle({1, 1, 0}, {0, 0, 1}), corner({2, 0, 0}, {0, 0, 1}), outside({3, 0, 0}, {0, 0, 1});
  EXPECT_DOUBLE_EQ(middle.hit(a, b, c).value(), 1);
  EXPECT_DOUBLE_EQ(middle.hit(b, d, c).value(), 1);
  EXPECT_EQ(middle.crossing(a, b, c) + middle.crossing(b, d, c), 1);
  EXPECT_DOUBLE_EQ(corner.hit(a, b, c).value(), 1);
  EXPECT_DOUBLE_EQ(corner.hit(b, d, c).value(), 1);
  EXPECT_FALSE(outside.hit(a, b, c).has_value());
}

TEST(RayTriangle, TrianglesWithoutAreaOrSeenEdgeOnAreMissed) {
  const RayFrame ray({0, 0, 0}, {0, 0, 1});
  EXPECT_FALSE(ray.hit({0, 0, 1}, {0, 0, 1}, {0, 0, 1}).has_value());
  EXPECT_FALSE(ray.hit({-1, 0, 1}, {1, 0, 1}, {0, 0, 1}).has_value());
  EXPECT_FALSE(ray.hit({-1, 0, 1}, {1, 0, 1}, {0, 0, 3}).has_value());
  EXPECT_EQ(ray.crossing({0, 0, 1}, {0, 0, 1}, {0, 0, 1}), 0);
}

}  // namespace
}  // namespace supple
