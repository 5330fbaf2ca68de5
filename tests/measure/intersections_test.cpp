// Skins that cut through themselves: counted by brute force, measured by closed forms.
#include "supple/measure/intersections.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/triangle_intersection.h"
#include "support/shapes.h"

namespace supple::measure {
namespace {

Mesh together(Mesh a, const Mesh& b) {
  const auto first = static_cast<std::uint32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

std::vector<Vec3f> moved(const Mesh& m, Vec3f by) {
  std::vector<Vec3f> positions = m.positions;
  for (Vec3f& p : positions) p += by;
  return positions;
}

/// A capsule along y bent in its middle about x by linear blending of two bones, as skinning does.
std::vector<Vec3f> bent(const Mesh& m, double degrees) {
  std::vector<Vec3f> posed;
  const double c = std::cos(degrees * test::pi / 180), s = std::sin(degrees * test::pi / 180);
  for (const Vec3f& p : m.positions) {
    const double weight = std::clamp(p.y / 0.1 + 0.5, 0.0, 1.0);  // of the upper bone: over 10 cm
    const Vec3d q(p), turned{q.x, q.y * c - q.z * s, q.y * s + q.z * c};
    posed.push_back(Vec3f(lerp(q, turned, weight)));
  }
  return posed;
}

Mesh capsule() {
  Mesh m = test::sphere(1, 60, 24);
  for (Vec3f& p : m.positions) p = {p.x * 0.06f, p.y * 0.3f, p.z * 0.06f};
  return m;
}

TEST(SelfIntersections, AgreeWithBruteForce) {
  Rng rng(5);
  for (int round = 0; round < 4; ++round) {
    Mesh m;
    for (int v = 0; v < 90; ++v) {
      const auto coordinate = [&] {
        const double x = rng.uniform(-1, 1);
        return static_cast<float>(round % 2 == 0 ? x : std::round(x * 3) / 4);  // on a lattice every other time
      };
      const float x = coordinate(), y = coordinate();
      m.positions.push_back({x, y, coordinate()});
    }
    for (int t = 0; t < 150; ++t) m.triangles.push_back({rng.below(90), rng.below(90), rng.below(90)});
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    std::set<std::uint32_t> involved;
    for (std::uint32_t i = 0; i < m.triangles.size(); ++i) {
      for (std::uint32_t j = i + 1; j < m.triangles.size(); ++j) {
        const Triangle &a = m.triangles[i], &b = m.triangles[j];
        if (!triangles_cross({m.positions[a[0]], m.positions[a[1]], m.positions[a[2]]},
                             {m.positions[b[0]], m.positions[b[1]], m.positions[b[2]]}))
          continue;
        expected.insert({i, j});
        involved.insert({i, j});
      }
    }
    const SelfIntersections found = self_intersections(m, m.positions, 1000000).value();
    ASSERT_GT(expected.size(), 100u);
    EXPECT_EQ(found.pairs, expected.size());
    EXPECT_EQ(found.triangles, involved.size());
    EXPECT_EQ(found.new_pairs, 0u);
    ASSERT_EQ(found.crossings.size(), expected.size());
    auto next = expected.begin();
    for (const Crossing& c : found.crossings) {
      EXPECT_EQ((std::pair{c.first, c.second}), *next++);
      EXPECT_LE(c.length, found.worst.length);
      EXPECT_TRUE(c.at_rest);
    }
  }
}

TEST(SelfIntersections, SpheresCutEachOtherInACircle) {
  // Unit spheres 1.2 apart cross in a circle of radius 0.8; 40 x 80 facets are within 1e-3 of the sphere.
  const Mesh m = together(test::sphere(1, 40, 80), test::sphere(1, 40, 80, {1.2, 0.01, 0.02}));
  const SelfIntersections cut = self_intersections(m, m.positions).value();
  EXPECT_NEAR(cut.length, 2 * test::pi * 0.8, 0.01);
  EXPECT_EQ(cut.crossings.size(), 100u) << "the list is limited, the count is not";
  EXPECT_GT(cut.pairs, 100u);
  EXPECT_NEAR(cut.worst.position.x, 0.6, 0.02);
  EXPECT_LT(cut.worst.first, cut.worst.second);
}

TEST(SelfIntersections, ClosedShapesHaveNone) {
  for (const Mesh& m : {test::torus(1, 0.4, 60, 30), test::sphere(1, 20, 30), test::box({0, 0, 0}, {1, 2, 3}),
                        test::unshared(test::torus(1, 0.4, 30, 16)), capsule()}) {
    EXPECT_TRUE(self_intersections(m, m.positions).value().none());
    // Also far from the origin, where facets are bent by rounding.
    EXPECT_TRUE(self_intersections(m, moved(m, {300, -200, 100})).value().none());
  }
}

TEST(SelfIntersections, BoxesCrossInASquare) {
  const Mesh apart = together(test::box({0, 0, 0}, {1, 1, 1}), test::box({3, 0.25f, 0.25f}, {4, 0.75f, 0.75f}));
  std::vector<Vec3f> posed = apart.positions;
  const auto shift = [&](float x) {
    for (std::size_t v = 8; v < 16; ++v) posed[v] = apart.positions[v] + Vec3f{x, 0, 0};
    return self_intersections(apart, posed).value();
  };
  EXPECT_TRUE(shift(-1.9f).none()) << "not yet";
  const SelfIntersections through = shift(-2.5f);
  EXPECT_EQ(through.new_pairs, through.pairs);
  EXPECT_NEAR(through.length, 2.0, 1e-6) << "a square of half a metre";
  // Face to face: they overlap in a plane, which is counted although nothing is pierced.
  EXPECT_FALSE(shift(-2.0f).none());
}

TEST(SelfIntersections, ALimbBentTooFarHasSome) {
  const Mesh limb = capsule();
  const SelfIntersectionTest test = SelfIntersectionTest::make(limb).value();
  EXPECT_TRUE(test.run(limb.positions).value().none());
  EXPECT_TRUE(test.run(bent(limb, 20)).value().none());
  const SelfIntersections folded = test.run(bent(limb, 130)).value();
  EXPECT_GT(folded.triangles, 10u);
  EXPECT_EQ(folded.new_triangles, folded.triangles);
  EXPECT_LT(length(folded.worst.position), 0.12) << "at the elbow";
  const unsigned before = thread_count();
  for (const unsigned threads : {1u, 2u, 3u}) {
    set_thread_count(threads);
    const SelfIntersections again = test.run(bent(limb, 130)).value();
    EXPECT_EQ(again.pairs, folded.pairs);
    EXPECT_EQ(again.length, folded.length);
    EXPECT_EQ(again.worst.first, folded.worst.first);
  }
  set_thread_count(before);
}

TEST(SelfIntersections, WhatRestHasIsNotNew) {
  // Two spheres that cut each other at rest, and a third that a pose drives into the first.
  Mesh m = together(test::sphere(1, 12, 20), test::sphere(1, 12, 20, {1.5, 0.1, 0.2}));
  const std::size_t third = m.positions.size();
  m = together(m, test::sphere(1, 12, 20, {-9, 0.1, 0.2}));
  const SelfIntersections rest = self_intersections(m, m.positions).value();
  EXPECT_GT(rest.pairs, 0u);
  EXPECT_EQ(rest.new_pairs, 0u);
  EXPECT_TRUE(rest.worst.at_rest);
  EXPECT_GT(rest.worst.position.x, 0.5);
  std::vector<Vec3f> posed = m.positions;
  for (std::size_t v = third; v < posed.size(); ++v) posed[v].x += 7.2f;
  const SelfIntersections pressed = self_intersections(m, posed).value();
  EXPECT_EQ(pressed.pairs, rest.pairs + pressed.new_pairs);
  EXPECT_GT(pressed.new_pairs, 0u);
  EXPECT_FALSE(pressed.worst.at_rest);
  EXPECT_LT(pressed.worst.position.x, -0.5);
}

TEST(SelfIntersections, SeamsAreOnePointUntilTheyOpen) {
  const Mesh m = test::unshared(test::sphere(1, 12, 20));
  Rng rng(2);
  std::vector<Vec3f> posed = m.positions;
  for (Vec3f& p : posed) p += Vec3f{static_cast<float>(rng.uniform(-1e-6, 1e-6)), 0, 0};  // rounding of a skinning
  EXPECT_TRUE(self_intersections(m, posed).value().none());
  // Two triangles back to back, closed lips, that open: no crossing, and no triangle is dragged along by the other.
  Mesh lips;
  lips.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  lips.triangles = {{0, 1, 2}, {3, 5, 4}};
  EXPECT_EQ(self_intersections(lips, lips.positions).value().pairs, 1u);
  std::vector<Vec3f> open = lips.positions;
  for (std::size_t v = 3; v < 6; ++v) open[v].z = -0.1f;
  EXPECT_TRUE(self_intersections(lips, open).value().none());
}

TEST(SelfIntersections, RefuseBadInput) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  EXPECT_FALSE(self_intersections(m, std::span(m.positions).first(7)));
  std::vector<Vec3f> posed = m.positions;
  posed[4].y = std::numeric_limits<float>::quiet_NaN();
  ASSERT_FALSE(self_intersections(m, posed));
  EXPECT_EQ(self_intersections(m, posed).error().item, "vertex 4");
  m.triangles.push_back({0, 1, 99});
  EXPECT_FALSE(self_intersections(m, m.positions));
  EXPECT_TRUE(self_intersections(Mesh{}, {}).value().none());
}

}  // namespace
}  // namespace supple::measure
