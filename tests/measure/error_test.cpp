// Errors of meshes that differ in a known way.
#include "supple/measure/error.h"

#include <gtest/gtest.h>

#include <limits>

#include "supple/base/parallel.h"
#include "support/shapes.h"

namespace supple::measure {
namespace {

using test::pi;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST(VertexError, OfATranslatedMeshIsTheTranslation) {
  const Mesh m = test::sphere(1, 10, 12);
  std::vector<Vec3f> moved = m.positions;
  for (Vec3f& p : moved) p += Vec3f{3, 0, 4};
  const ErrorSummary e = vertex_error(moved, m.positions).value();
  // Adding 3 and 4 to coordinates below 1 rounds at 2^-22.
  EXPECT_NEAR(e.rms, 5, 1e-6);
  EXPECT_NEAR(e.mean, 5, 1e-6);
  EXPECT_NEAR(e.max, 5, 1e-6);
  EXPECT_NEAR(e.p99, 5, 1e-6);
  EXPECT_EQ(e.count, m.positions.size());
}

TEST(VertexError, SaysWhichVertexIsWorstAndWhere) {
  std::vector<Vec3f> reference(200), measured(200);
  for (std::size_t v = 0; v < 200; ++v) measured[v] = reference[v] = {static_cast<float>(v), 0, 0};
  measured[17].y = 2;
  measured[150].z = -2;  // as bad, but later
  measured[30].x += 1;
  const ErrorSummary e = vertex_error(measured, reference).value();
  EXPECT_EQ(e.worst, 17u);
  EXPECT_EQ(e.worst_position, (Vec3f{17, 2, 0}));
  EXPECT_DOUBLE_EQ(e.max, 2);
  EXPECT_DOUBLE_EQ(e.mean, 5.0 / 200);
  EXPECT_DOUBLE_EQ(e.rms, std::sqrt(9.0 / 200));
  EXPECT_DOUBLE_EQ(e.p99, 1);  // 198 of 200 do not exceed it
}

TEST(VertexError, PercentileIsTheNearestRank) {
  for (const std::size_t n : {1u, 2u, 99u, 100u, 101u, 1000u, 1050u}) {
    std::vector<double> errors(n);
    for (std::size_t i = 0; i < n; ++i)
      errors[i] = static_cast<double>((i * 7919) % n);  // 7919 is prime: a permutation
    const double p99 = summarize(errors, std::vector<Vec3f>(n)).value().p99;
    std::size_t below = 0, strictly = 0;
    for (const double e : errors) {
      below += e <= p99;
      strictly += e < p99;
    }
    EXPECT_GE(100 * below, 99 * n) << n;
    EXPECT_LT(100 * strictly, 99 * n) << n;
  }
}

TEST(VertexError, RefusesWhatCannotBeCompared) {
  const std::vector<Vec3f> three(3), four(4);
  EXPECT_FALSE(vertex_error(three, four));
  EXPECT_FALSE(vertex_error({}, {}));
  std::vector<Vec3f> bad(4);
  bad[2].z = not_a_number;
  ASSERT_FALSE(vertex_error(bad, four));
  EXPECT_EQ(vertex_error(bad, four).error().item, "vertex 2");
  EXPECT_NE(vertex_error(bad, four).error().problem.find("measured"), std::string::npos);
  EXPECT_NE(vertex_error(four, bad).error().problem.find("reference"), std::string::npos);
  bad[2].z = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(vertex_error(bad, bad));
  EXPECT_FALSE(summarize(std::vector<double>{0, std::numeric_limits<double>::quiet_NaN()}, std::vector<Vec3f>(2)));
}

TEST(NormalError, IsTheAngleAlsoWhenItIsTinyOrStraight) {
  for (const double angle : {0.0, 1e-7, 1e-3, 1.0, pi / 2, 3.0, pi - 1e-6, pi}) {
    const Vec3f a{1, 0, 0}, b(Vec3d{std::cos(angle), std::sin(angle), 0});
    // b's coordinates are floats: up to half a unit in the last place of 1, except near the axis where they are exact.
    EXPECT_NEAR(angle_between(a, b), angle, 1e-7) << angle;
    EXPECT_NEAR(angle_between(a * 3.0f, b * 0.1f), angle, 1e-7) << angle;
  }
  EXPECT_NEAR(angle_between({1, 0, 0}, {1, 1e-7f, 0}), 1e-7, 1e-14);  // acos of a float dot product would say 0
}

TEST(NormalError, SummarizesRotatedNormals) {
  const Mesh m = test::sphere(1, 10, 12);
  std::vector<Vec3f> turned;
  const double angle = 0.3;
  for (const Vec3f& n : m.positions) {  // about y: a normal at latitude t turns by less
    turned.push_back(Vec3f(
        Vec3d{n.x * std::cos(angle) + n.z * std::sin(angle), n.y, n.z * std::cos(angle) - n.x * std::sin(angle)}));
  }
  const ErrorSummary e = normal_error(turned, m.positions, m.positions).value();
  EXPECT_NEAR(e.max, angle, 1e-6);
  EXPECT_NEAR(e.worst_position.y, 0, 1e-6);  // the equator turns by the full angle
  EXPECT_LT(e.mean, angle);
}

TEST(NormalError, RefusesNormalsWithoutDirection) {
  std::vector<Vec3f> a(3, Vec3f{0, 1, 0}), b = a;
  b[1] = {};
  ASSERT_FALSE(normal_error(a, b, a));
  EXPECT_EQ(normal_error(a, b, a).error().item, "vertex 1");
  b[1] = {not_a_number, 0, 0};
  EXPECT_FALSE(normal_error(a, b, a));
  EXPECT_FALSE(normal_error(a, a, std::span(a).first(2)));
}

TEST(SurfaceDistance, OfConcentricSpheresIsTheGap) {
  const Mesh inner = test::sphere(1, 48, 64), outer = test::sphere(1.5, 40, 50);
  const SurfaceDistance d = surface_distance(inner, outer).value();
  // Facets lie under their sphere by up to r (1 - cos(pi / 40)) = 0.005 r.
  EXPECT_NEAR(d.forward.mean, 0.5, 0.006);
  EXPECT_NEAR(d.backward.mean, 0.5, 0.004);
  EXPECT_LE(d.forward.max, 0.5 + 1e-6);
  EXPECT_GE(d.backward.max, 0.5 - 1e-6);
  EXPECT_NEAR(d.rms(), 0.5, 0.006);
  EXPECT_EQ(d.max(), std::max(d.forward.max, d.backward.max));
}

TEST(SurfaceDistance, DoesNotSeeTheTriangulation) {
  // The same plane faces split along their other diagonals: no distance, though vertices and triangles differ.
  Mesh a = test::box({0, 0, 0}, {1, 1, 1}), b = test::unshared(a);
  for (std::size_t t = 0; t < a.triangles.size(); t += 2) {
    const Triangle first = a.triangles[t], second = a.triangles[t + 1];  // i j k, i k l
    a.triangles[t] = {first[0], first[1], second[2]};
    a.triangles[t + 1] = {first[1], first[2], second[2]};
  }
  EXPECT_LT(surface_distance(a, b).value().max(), 1e-6);
}

TEST(SurfaceDistance, IsNotTheSameBothWays) {
  const Mesh box = test::box({0, 0, 0}, {1, 1, 1});
  Mesh two = box;
  const Mesh far = test::box({5, 0, 0}, {6, 1, 1});
  for (const Triangle& t : far.triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  two.positions.insert(two.positions.end(), far.positions.begin(), far.positions.end());
  const SurfaceDistance d = surface_distance(box, two).value();
  EXPECT_EQ(d.forward.max, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(d.backward.max), 5);
  EXPECT_EQ(d.backward.worst, 9u);
  EXPECT_EQ(d.backward.worst_position, (Vec3f{6, 0, 0}));
}

TEST(SurfaceDistance, IsTheSameForAnyNumberOfThreads) {
  const Mesh a = test::torus(1, 0.4, 40, 30), b = test::sphere(1.2, 30, 30);
  set_thread_count(1);
  const ErrorSummary one = surface_distance(a.positions, b).value();
  set_thread_count(3);
  const ErrorSummary three = surface_distance(a.positions, b).value();
  set_thread_count(0);
  EXPECT_EQ(one.rms, three.rms);
  EXPECT_EQ(one.worst, three.worst);
}

TEST(SurfaceDistance, RefusesWhatHasNoSurface) {
  const Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  Mesh bare = m;
  bare.triangles.clear();
  EXPECT_FALSE(surface_distance(m.positions, bare));
  Mesh bad = m;
  bad.positions[6].x = not_a_number;
  ASSERT_FALSE(surface_distance(bad, m));
  EXPECT_EQ(surface_distance(bad, m).error().item, "vertex 6");
  EXPECT_FALSE(surface_distance(m, bad));
  Mesh wild = m;
  wild.triangles[2][0] = 99;
  ASSERT_FALSE(surface_distance(m, wild));
  EXPECT_EQ(surface_distance(m, wild).error().item, "triangle 2");
}

}  // namespace
}  // namespace supple::measure
