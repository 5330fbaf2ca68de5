// Normals, area, volume and defects against closed forms.
#include "supple/geometry/mesh.h"

#include <gtest/gtest.h>

#include <limits>

#include "supple/geometry/topology.h"
#include "support/shapes.h"

namespace supple {
namespace {

using test::pi;

double area(const Mesh& m) { return surface_area(m.positions, m.triangles); }
double volume(const Mesh& m) { return enclosed_volume(m.positions, m.triangles); }
std::vector<Vec3f> normals(const Mesh& m, std::span<const std::uint32_t> weld = {}) {
  std::vector<Vec3f> result(m.positions.size());
  compute_normals(m.positions, m.triangles, result, weld);
  return result;
}

TEST(Bounds, OfPointsAndOfNone) {
  EXPECT_EQ(bounds({}).diagonal(), 0);
  const Box box = bounds(test::box({-1, -2, -3}, {1, 0, 5}).positions);
  EXPECT_EQ(box.low, (Vec3f{-1, -2, -3}));
  EXPECT_EQ(box.high, (Vec3f{1, 0, 5}));
  EXPECT_EQ(box.center(), (Vec3f{0, -1, 1}));
}

TEST(Volume, BoxIsExactAlsoFarFromTheOrigin) {
  EXPECT_DOUBLE_EQ(volume(test::box({0, 0, 0}, {2, 3, 4})), 24);
  EXPECT_DOUBLE_EQ(area(test::box({0, 0, 0}, {2, 3, 4})), 52);
  // Coordinates of whole numbers are exact here: only the sum's own cancellation could show.
  EXPECT_DOUBLE_EQ(volume(test::box({1048576, 1048576, 1048576}, {1048577, 1048578, 1048579})), 6);
}

TEST(Volume, InsideOutIsNegativeAndNothingIsZero) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  for (Triangle& t : m.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(volume(m), -1);
  EXPECT_EQ(volume(Mesh{}), 0);
  EXPECT_EQ(area(Mesh{}), 0);
}

TEST(Volume, SphereAndTorusConvergeQuadratically) {
  // A surface inscribed with n facets around has volume and area short by O(1/n^2): halving the facets takes a quarter.
  const auto order = [](auto measure, auto coarse, auto fine, double exact) {
    return std::log2((exact - measure(coarse)) / (exact - measure(fine)));
  };
  const double v = 4 * pi / 3 * 8, a = 4 * pi * 4;
  const Mesh coarse = test::sphere(2, 32, 64), fine = test::sphere(2, 64, 128);
  EXPECT_NEAR(volume(fine), v, 3e-3 * v);
  EXPECT_NEAR(area(fine), a, 3e-3 * a);
  EXPECT_NEAR(order(volume, coarse, fine, v), 2, 0.02);
  EXPECT_NEAR(order(area, coarse, fine, a), 2, 0.02);

  // The inscribed torus: every cross-section is a regular polygon swept along another one.
  const std::uint32_t n = 48, m = 24;
  const double section = 0.5 * m * 0.25 * std::sin(2 * pi / m);
  const double prism = section * n * 2 * std::sin(pi / n) * std::cos(pi / n);  // Pappus, for straight pieces, R = 1
  EXPECT_NEAR(volume(test::torus(1, 0.5, n, m)), prism, 1e-2 * prism);
  const double exact = 2 * pi * pi * 0.25;
  EXPECT_NEAR(order(volume, test::torus(1, 0.5, n, m), test::torus(1, 0.5, 2 * n, 2 * m), exact), 2, 0.02);
  const double exact_area = 4 * pi * pi * 0.5;
  EXPECT_NEAR(order(area, test::torus(1, 0.5, n, m), test::torus(1, 0.5, 2 * n, 2 * m), exact_area), 2, 0.02);
}

TEST(Normals, OfABoxPointAlongTheDiagonalsHoweverItsFacesAreSplit) {
  // Angle weights: each of the three faces counts with a right angle at each corner, be it one triangle or two.
  const Mesh m = test::box({0, 0, 0}, {1, 2, 3});
  const std::vector<Vec3f> n = normals(m);
  const float s = std::sqrt(1.0f / 3);
  for (int v = 0; v < 8; ++v) {
    const Vec3f expected{(v & 1) != 0 ? s : -s, (v & 2) != 0 ? s : -s, (v & 4) != 0 ? s : -s};
    EXPECT_LT(length(n[v] - expected), 1e-6f) << "vertex " << v;
  }
}

TEST(Normals, OfASphereAndATorusAreTheirOwn) {
  const Mesh ball = test::sphere(2, 64, 128, {10, 0, 0});
  const std::vector<Vec3f> n = normals(ball);
  for (std::size_t v = 0; v < n.size(); ++v) {
    EXPECT_LT(length(n[v] - normalized(ball.positions[v] - Vec3f{10, 0, 0})), 4e-3f);
    EXPECT_NEAR(length(n[v]), 1, 1e-6);
  }
  const Mesh ring = test::torus(1, 0.5, 128, 64);
  const std::vector<Vec3f> r = normals(ring);
  for (std::size_t v = 0; v < r.size(); ++v) {
    const Vec3f p = ring.positions[v];
    const Vec3f middle = normalized(Vec3f{p.x, 0, p.z});
    EXPECT_LT(length(r[v] - normalized(p - middle)), 4e-3f);
  }
}

TEST(Normals, AreSmoothAcrossWeldedSeamsOnly) {
  const Mesh whole = test::sphere(1, 16, 24), split = test::unshared(whole);
  const Weld points = weld(split.positions);
  const std::vector<Vec3f> expected = normals(whole), smooth = normals(split, points.to_point), flat = normals(split);
  float flat_gap = 0;
  for (std::size_t t = 0; t < whole.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LT(length(smooth[3 * t + k] - expected[whole.triangles[t][k]]), 1e-6f);
      flat_gap = std::max(flat_gap, length(flat[3 * t + k] - expected[whole.triangles[t][k]]));
    }
  }
  EXPECT_GT(flat_gap, 0.1f);
}

TEST(Normals, WithoutAreaPointUp) {
  Mesh m;
  m.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
  m.triangles = {{0, 1, 2}, {0, 0, 1}};
  for (const Vec3f& n : normals(m)) EXPECT_EQ(n, (Vec3f{0, 1, 0}));
}

TEST(Normals, OfTinyTrianglesKeepTheirDirection) {
  Mesh m;
  const float e = 1e-18f;  // the float product of two edges would vanish
  m.positions = {{0, 0, 0}, {e, 0, 0}, {0, 0, e}};
  m.triangles = {{0, 1, 2}};
  for (const Vec3f& n : normals(m)) EXPECT_EQ(n, (Vec3f{0, -1, 0}));
}

TEST(Validate, NamesTheItem) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  EXPECT_TRUE(validate(m));
  EXPECT_TRUE(validate(Mesh{}));
  Mesh bad_index = m;
  bad_index.triangles[7][1] = 8;
  ASSERT_FALSE(validate(bad_index));
  EXPECT_EQ(validate(bad_index).error().item, "triangle 7");
  EXPECT_NE(validate(bad_index).error().problem.find("vertex 8 of 8"), std::string::npos);
  Mesh bad_position = m;
  bad_position.positions[3].y = std::numeric_limits<float>::quiet_NaN();
  ASSERT_FALSE(validate(bad_position));
  EXPECT_EQ(validate(bad_position).error().item, "vertex 3");
  Mesh few_normals = m;
  few_normals.normals.resize(7);
  EXPECT_FALSE(validate(few_normals));
  Mesh bad_normal = m;
  bad_normal.normals.resize(8);
  bad_normal.normals[5].x = std::numeric_limits<float>::infinity();
  ASSERT_FALSE(validate(bad_normal));
  EXPECT_EQ(validate(bad_normal).error().item, "vertex 5");
}

TEST(Defects, NoneInClosedShapes) {
  for (const Mesh& m : {test::box({0, 0, 0}, {1, 1, 1}), test::sphere(1, 9, 12), test::torus(1, 0.3, 12, 7)}) {
    const Defects d = find_defects(m.positions, m.triangles);
    EXPECT_TRUE(d.closed());
    EXPECT_EQ(d.degenerate_triangles + d.unused_vertices, 0u);
  }
  EXPECT_TRUE(find_defects({}, {}).closed());
}

TEST(Defects, AHoleIsAsLongAsItsTriangle) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.triangles.erase(m.triangles.begin() + 3);  // 1 7 5
  const Defects d = find_defects(m.positions, m.triangles);
  EXPECT_FALSE(d.closed());
  EXPECT_EQ(d.boundary_edges, 3u);
  EXPECT_EQ(d.non_manifold_edges, 0u);
  // The first side in triangle order that has lost its partner: 7 1 of triangle 1 3 7.
  EXPECT_EQ(d.first_boundary, (std::array<std::uint32_t, 2>{7, 1}));
}

TEST(Defects, SeamsAreBoundariesUntilWelded) {
  const Mesh m = test::unshared(test::box({0, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(find_defects(m.positions, m.triangles).boundary_edges, 36u);
  EXPECT_TRUE(find_defects(m.positions, m.triangles, weld(m.positions).to_point).closed());
}

TEST(Defects, FlippedAndSurplusTrianglesAreNotManifold) {
  Mesh flipped = test::box({0, 0, 0}, {1, 1, 1});
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  EXPECT_EQ(find_defects(flipped.positions, flipped.triangles).non_manifold_edges, 3u);
  EXPECT_EQ(find_defects(flipped.positions, flipped.triangles).boundary_edges, 0u);

  Mesh fin = test::box({0, 0, 0}, {1, 1, 1});
  fin.positions.push_back({0.5f, 0.5f, 2});
  fin.triangles.push_back({4, 5, 8});
  const Defects d = find_defects(fin.positions, fin.triangles);
  EXPECT_EQ(d.non_manifold_edges, 1u);
  EXPECT_EQ(d.boundary_edges, 2u);
  EXPECT_EQ(d.first_non_manifold, (std::array<std::uint32_t, 2>{5, 4}));
}

TEST(Defects, TwoBoxesThatTouchAlongAnEdgeAreBalanced) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  const Mesh other = test::box({1, 1, 0}, {2, 2, 1});
  for (const Triangle& t : other.triangles) m.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  m.positions.insert(m.positions.end(), other.positions.begin(), other.positions.end());
  const Defects d = find_defects(m.positions, m.triangles, weld(m.positions).to_point);
  EXPECT_EQ(d.non_manifold_edges, 1u);
  EXPECT_EQ(d.first_non_manifold, (std::array<std::uint32_t, 2>{3, 7}));
  EXPECT_EQ(d.unbalanced_edges, 0u);
  m.triangles.erase(m.triangles.begin());
  EXPECT_EQ(find_defects(m.positions, m.triangles, weld(m.positions).to_point).unbalanced_edges, 3u);
}

TEST(Defects, DegenerateTrianglesAndUnusedVerticesAreCounted) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.positions.push_back({0.25f, 0, 0});  // on the edge 0 1
  m.positions.push_back({0.2f, 0.3f, 0.7f});
  m.triangles.push_back({0, 8, 1});
  m.triangles.push_back({2, 2, 3});
  const Defects d = find_defects(m.positions, m.triangles);
  EXPECT_EQ(d.degenerate_triangles, 2u);
  EXPECT_EQ(d.first_degenerate, (Triangle{0, 8, 1}));
  EXPECT_EQ(d.unused_vertices, 1u);
}

TEST(Defects, ATriangleCollapsedByWeldingClosesNothing) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.positions.push_back(m.positions[0]);
  m.triangles.push_back({0, 8, 1});
  EXPECT_FALSE(find_defects(m.positions, m.triangles).closed());
  const Defects d = find_defects(m.positions, m.triangles, weld(m.positions).to_point);
  EXPECT_TRUE(d.closed());
  EXPECT_EQ(d.degenerate_triangles, 1u);
}

}  // namespace
}  // namespace supple
