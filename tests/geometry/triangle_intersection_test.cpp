// The exact test against separating planes in whole numbers, over all degenerate positions of small lattices.
#include "supple/geometry/triangle_intersection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "supple/base/rng.h"
#include "supple/geometry/bvh.h"

namespace supple {
namespace {

using Lattice = Vec3<long>;
using LatticeTriangle = std::array<Lattice, 3>;

/// Two convex sets without their boundaries are apart exactly where a plane separates them that does not hold both. Of
/// two triangles the plane can be chosen among those of the triangles, those along a side of each, and for triangles in
/// one plane those through a side.
bool separable(const LatticeTriangle& a, const LatticeTriangle& b) {
  const auto side = [](const LatticeTriangle& t, std::size_t k) { return t[(k + 1) % 3] - t[k]; };
  const Lattice of_a = cross(side(a, 0), side(a, 1)), of_b = cross(side(b, 0), side(b, 1));
  std::vector<Lattice> normals{of_a, of_b};
  for (std::size_t i = 0; i < 3; ++i) {
    normals.push_back(cross(of_a, side(a, i)));
    normals.push_back(cross(of_b, side(b, i)));
    for (std::size_t j = 0; j < 3; ++j) normals.push_back(cross(side(a, i), side(b, j)));
  }
  return std::any_of(normals.begin(), normals.end(), [&](Lattice n) {
    const auto [low_a, high_a] = std::minmax({dot(n, a[0]), dot(n, a[1]), dot(n, a[2])});
    const auto [low_b, high_b] = std::minmax({dot(n, b[0]), dot(n, b[1]), dot(n, b[2])});
    const bool holds_both = low_a == high_a && low_b == high_b && low_a == low_b;
    return !holds_both && (high_a <= low_b || high_b <= low_a);
  });
}

bool has_area(const LatticeTriangle& t) { return cross(t[1] - t[0], t[2] - t[0]) != Lattice{}; }

TriangleCorners corners(const LatticeTriangle& t) { return {Vec3f(t[0]), Vec3f(t[1]), Vec3f(t[2])}; }

TEST(TrianglesCross, AgreesWithSeparatingPlanesOnSmallLattices) {
  Rng rng(7);
  std::array<int, 2> seen{};
  int shared = 0, in_one_plane = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::uint32_t size = 2 + rng.below(4);
    const bool flat = rng.below(4) == 0;
    const auto point = [&] {
      const long x = rng.below(size), y = rng.below(size);
      return Lattice{x, y, flat ? x + y : static_cast<long>(rng.below(size))};
    };
    LatticeTriangle a{point(), point(), point()}, b{point(), point(), point()};
    for (std::size_t k = rng.below(4); k < 3; ++k) b[k] = rng.below(2) == 0 ? a[k] : b[k];  // neighbours
    const bool expected = has_area(a) && has_area(b) && !separable(a, b);
    const bool cross = triangles_cross(corners(a), corners(b));
    ASSERT_EQ(cross, expected) << i;
    ++seen[cross ? 1 : 0];
    if (cross && std::any_of(a.begin(), a.end(), [&](Lattice p) { return std::count(b.begin(), b.end(), p) > 0; }))
      ++shared;
    if (cross && flat) ++in_one_plane;
    std::swap(a, b);
    std::rotate(a.begin(), a.begin() + 1, a.end());
    std::swap(b[0], b[1]);
    ASSERT_EQ(triangles_cross(corners(a), corners(b)), expected) << i;
  }
  EXPECT_GT(seen[0], 10000);
  EXPECT_GT(seen[1], 2000);
  EXPECT_GT(shared, 500);
  EXPECT_GT(in_one_plane, 500);
}

TEST(TrianglesCross, ContactDoesNotCount) {
  const TriangleCorners floor{Vec3f{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const auto with = [&](Vec3f a, Vec3f b, Vec3f c) { return triangles_cross(floor, {a, b, c}); };
  EXPECT_TRUE(with({1, 1, -1}, {1, 1, 1}, {2, 1, 1})) << "through";
  EXPECT_FALSE(with({1, 1, 0}, {1, 1, 1}, {2, 1, 1})) << "a corner stands on it";
  EXPECT_FALSE(with({1, 1, 0}, {2, 1, 0}, {2, 1, 1})) << "a side lies on it";
  EXPECT_FALSE(with({0, 0, 0}, {4, 0, 0}, {2, 0, 3})) << "neighbour along a side";
  EXPECT_FALSE(with({0, 0, 0}, {4, 0, 0}, {2, -3, 0})) << "flat neighbour along a side";
  EXPECT_TRUE(with({0, 0, 0}, {4, 0, 0}, {1, 1, 0})) << "neighbour folded onto it";
  EXPECT_TRUE(with({0, 0, 0}, {4, 0, 0}, {0, 4, 0})) << "the same";
  EXPECT_TRUE(with({0, 0, 0}, {0, 4, 0}, {4, 0, 0})) << "the same from the other side";
  EXPECT_FALSE(with({0, 0, 0}, {-1, 0, 1}, {0, -1, 1})) << "neighbour at a corner";
  EXPECT_TRUE(with({0, 0, 0}, {1, 1, 1}, {1, 1.5f, -1})) << "neighbour at a corner that pierces it";
  EXPECT_FALSE(with({0, 0, 0}, {-1, -1, 1}, {-1, -1, -1})) << "neighbour at a corner through its plane outside";
  EXPECT_FALSE(with({4, 4, 0}, {4, 0, 0}, {0, 4, 0})) << "flat neighbour on the other side";
  EXPECT_FALSE(with({2, 2, -1}, {2, 2, 1}, {5, 5, 0})) << "only touches its side";
  EXPECT_TRUE(with({1.9f, 2, -1}, {1.9f, 2, 1}, {5, 5, 0}));
  EXPECT_FALSE(with({1, 1, -1}, {1, 1, 1}, {1, 1, 3})) << "a needle has no area";
  EXPECT_FALSE(with({1, 1, 0}, {1, 1, 0}, {1, 1, 0})) << "nor has a point";
  EXPECT_FALSE(triangles_cross({Vec3f{1, 1, 0}, {2, 1, 0}, {3, 1, 0}}, floor));
  EXPECT_TRUE(with({1, 1, 0}, {1.5f, 1, 0}, {1, 1.5f, 0})) << "inside, in its plane";
}

TEST(TrianglesCross, IsExactWhereDoublesAreNot) {
  // The wall's plane is x = y; one unit in the last place of a corner decides.
  const float far = 16777216.0f, beyond = std::nextafter(1.0f, 2.0f);
  const TriangleCorners wall{Vec3f{-far, -far, -far}, {far, far, -far}, {0.25f, 0.25f, far}};
  EXPECT_FALSE(triangles_cross(wall, {Vec3f{1, 1, 0}, {2, 1, 0}, {2, 1, 1}}));
  EXPECT_TRUE(triangles_cross(wall, {Vec3f{1, beyond, 0}, {2, 1, 0}, {2, 1, 1}}));
  EXPECT_FALSE(triangles_cross(wall, {Vec3f{beyond, 1, 0}, {2, 1, 0}, {2, 1, 1}}));
}

TEST(CrossingOf, LiesInBothTriangles) {
  Rng rng(3);
  const auto point = [&](double size) {
    const double x = rng.uniform(-size, size), y = rng.uniform(-size, size);
    return Vec3f(Vec3d{x, y, rng.uniform(-size, size)});
  };
  int crossings = 0;
  for (int i = 0; i < 20000; ++i) {
    const TriangleCorners a{point(1), point(1), point(1)}, b{point(1), point(1), point(1)};
    if (!triangles_cross(a, b)) continue;
    ++crossings;
    const LineSegment line = crossing_of(a, b);
    for (const Vec3d end : {line.from, line.to, line.middle()}) {
      // Rounding to float is 1e-7 of the size; a needle's plane is uncertain by more, at the same distance from it.
      EXPECT_LT(closest_on_triangle(Vec3f(end), a[0], a[1], a[2]).distance, 1e-6f) << i;
      EXPECT_LT(closest_on_triangle(Vec3f(end), b[0], b[1], b[2]).distance, 1e-6f) << i;
    }
  }
  EXPECT_GT(crossings, 1000);
}

TEST(CrossingOf, IsAsLongAsTheOverlap) {
  const TriangleCorners floor{Vec3f{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const LineSegment line = crossing_of(floor, {Vec3f{1, 1, -1}, {1, 1, 1}, {9, 1, 1}});
  EXPECT_NEAR(length(line.to - line.from), 2, 1e-12);  // from (1, 1) to (3, 1)
  EXPECT_NEAR(length(line.middle() - Vec3d{2, 1, 0}), 0, 1e-12);
  // In one plane: a unit right triangle lies wholly inside.
  const LineSegment flat = crossing_of(floor, {Vec3f{1, 1, 0}, {2, 1, 0}, {1, 2, 0}});
  EXPECT_NEAR(length(flat.to - flat.from), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(length(flat.middle() - Vec3d{1.5, 1.5, 0}), 0, 1e-12);
}

}  // namespace
}  // namespace supple
