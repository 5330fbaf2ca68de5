// The hierarchy against brute force and closed forms, also where rays and triangles are as unlucky as can be.
#include "supple/geometry/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Vec3f random_point(Rng& rng, double size) {
  return Vec3f(Vec3d{rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size)});
}

/// Triangles of all sizes; one in six is a point, a segment or a sliver.
Mesh soup(Rng& rng, std::size_t count) {
  Mesh m;
  for (std::uint32_t t = 0; t < count; ++t) {
    const Vec3f center = random_point(rng, 1);
    const double size = std::pow(10, rng.uniform(-4, -0.3));
    Vec3f a = center + random_point(rng, size), b = center + random_point(rng, size),
          c = center + random_point(rng, size);
    switch (rng.below(24)) {
      case 0:
        a = b = c;
        break;
      case 1:
        a = b;
        break;
      case 2:
        c = lerp(a, b, 0.25f);
        break;
      case 3:
        c = a;
        break;
      default:
        break;
    }
    m.positions.insert(m.positions.end(), {a, b, c});
    m.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return m;
}

TEST(ClosestOnTriangle, RegionsOfARightTriangle) {
  const Vec3f a{0, 0, 0}, b{2, 0, 0}, c{0, 2, 0};
  const struct {
    Vec3f query, point;
  } cases[] = {
      {{0.5f, 0.5f, 3}, {0.5f, 0.5f, 0}},
      {{-1, -1, 0}, {0, 0, 0}},
      {{5, -1, 1}, {2, 0, 0}},
      {{-1, 7, 0}, {0, 2, 0}},
      {{1, -1, 0}, {1, 0, 0}},
      {{-2, 0.5f, 1}, {0, 0.5f, 0}},
      {{2, 2, 0}, {1, 1, 0}},
  };
  for (const auto& each : cases) {
    const ClosestPoint found = closest_on_triangle(each.query, a, b, c);
    EXPECT_LT(length(found.point - each.point), 1e-6f);
    EXPECT_NEAR(found.distance, length(each.query - each.point), 1e-6);
    const Vec3f w = found.barycentric;
    EXPECT_LT(length(a * w.x + b * w.y + c * w.z - found.point), 1e-6f);
    EXPECT_NEAR(w.x + w.y + w.z, 1, 1e-6);
  }
}

TEST(ClosestOnTriangle, IsNeverFartherThanAnyOfItsPoints) {
  Rng rng(11);
  for (int i = 0; i < 300; ++i) {
    const Mesh m = soup(rng, 1);
    const Vec3f p = random_point(rng, 2);
    const ClosestPoint found = closest_on_triangle(p, m.positions[0], m.positions[1], m.positions[2]);
    ASSERT_TRUE(std::isfinite(found.distance) && is_finite(found.point) && is_finite(found.barycentric));
    EXPECT_NEAR(length(Vec3d(p) - Vec3d(found.point)), found.distance, 1e-6);
    for (int u = 0; u <= 16; ++u) {
      for (int v = 0; u + v <= 16; ++v) {
        const Vec3d sample = Vec3d(m.positions[0]) * (u / 16.0) + Vec3d(m.positions[1]) * (v / 16.0) +
                             Vec3d(m.positions[2]) * ((16 - u - v) / 16.0);
        // float results: six digits of a distance below 4
        EXPECT_LE(found.distance, length(Vec3d(p) - sample) + 1e-6);
      }
    }
  }
}

TEST(Bvh, ClosestAgreesWithBruteForce) {
  Rng rng(1);
  for (const std::size_t count : {1u, 2u, 5u, 100u, 2000u}) {
    const Mesh m = soup(rng, count);
    const Bvh bvh(m.positions, m.triangles);
    for (int q = 0; q < 100; ++q) {
      const Vec3f p = random_point(rng, 1.5);
      float best = infinity;
      for (const Triangle& t : m.triangles) {
        best = std::min(best, closest_on_triangle(p, m.positions[t[0]], m.positions[t[1]], m.positions[t[2]]).distance);
      }
      const ClosestPoint found = bvh.closest(p);
      EXPECT_NEAR(found.distance, best, 1e-6f * (1 + best));
      ASSERT_LT(found.triangle, count);
      const Triangle& t = m.triangles[found.triangle];
      const Vec3f w = found.barycentric;
      EXPECT_LT(length(m.positions[t[0]] * w.x + m.positions[t[1]] * w.y + m.positions[t[2]] * w.z - found.point),
                1e-5f);
      EXPECT_EQ(bvh.closest(p, best * 0.99f).distance, infinity);
      EXPECT_EQ(bvh.closest(p, best * 1.01f + 1e-6f).distance, found.distance);
    }
  }
}

TEST(Bvh, RaysAgreeWithTestingEveryTriangle) {
  // Reference: solve origin + t direction = a + u (b - a) + v (c - a) by Cramer's rule.
  Rng rng(2);
  const Mesh m = soup(rng, 1500);
  const Bvh bvh(m.positions, m.triangles);
  int hits = 0;
  for (int q = 0; q < 400; ++q) {
    const Vec3f o = random_point(rng, 1.5);
    Vec3f d = random_point(rng, 1);
    if (q % 4 == 0) d = Vec3f{0, q % 8 == 0 ? 1.0f : -2.0f, 0};  // along an axis: two slabs divide by zero
    double nearest = infinity;
    for (const Triangle& t : m.triangles) {
      const Vec3d a(m.positions[t[0]]), ab = Vec3d(m.positions[t[1]]) - a, ac = Vec3d(m.positions[t[2]]) - a;
      const Vec3d n = cross(ab, ac), ao = Vec3d(o) - a, direction(d);
      const Vec3d moment = cross(ao, direction);
      const double det = -dot(direction, n);
      const double u = dot(ac, moment) / det, v = -dot(ab, moment) / det, depth = dot(ao, n) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && depth > 0) nearest = std::min(nearest, depth);
    }
    const std::optional<RayHit> found = bvh.first_hit(o, d);
    ASSERT_EQ(found.has_value(), nearest < infinity) << "ray " << q;
    EXPECT_EQ(bvh.occluded(o, d, 0, infinity), found.has_value());
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(found->distance, nearest, 1e-5 * nearest);
    EXPECT_FALSE(bvh.occluded(o, d, 0, found->distance * 0.999f));
    EXPECT_FALSE(bvh.first_hit(o, d, 0, found->distance * 0.999f).has_value());
    const std::optional<RayHit> beyond = bvh.first_hit(o, d, found->distance * 1.0001f);
    if (beyond) {
      EXPECT_GT(beyond->distance, found->distance);
    }
  }
  EXPECT_GT(hits, 50);
}

TEST(Bvh, ADistanceIsInUnitsOfTheDirection) {
  const Mesh m = test::box({-1, -1, -1}, {1, 1, 1});
  const Bvh bvh(m.positions, m.triangles);
  EXPECT_FLOAT_EQ(bvh.first_hit({0.25f, 0.5f, 5}, {0, 0, -2})->distance, 2);
  EXPECT_FLOAT_EQ(bvh.first_hit({0, 0, 0}, {0, 0, -2})->distance, 0.5f);  // from inside, through a diagonal
  EXPECT_FALSE(bvh.first_hit({0, 0, 5}, {0, 0, 2}).has_value());
  EXPECT_FALSE(bvh.first_hit({0, 0, 5}, {0, 0, 0}).has_value());
}

TEST(Bvh, NoRaySlipsThroughAnEdgeOrACorner) {
  // From the centre, rays aimed at the vertices, the middles of edges and points along edges of a closed surface.
  const Mesh m = test::sphere(1, 12, 20);
  const Bvh bvh(m.positions, m.triangles);
  for (const Triangle& t : m.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (const float s : {0.0f, 0.5f, 0.1f, 0.7f}) {
        const Vec3f target = lerp(m.positions[t[k]], m.positions[t[(k + 1) % 3]], s);
        EXPECT_TRUE(bvh.occluded({0, 0, 0}, target, 0, infinity));
        EXPECT_NEAR(bvh.first_hit({0, 0, 0}, target).value().distance, 1, 1e-6);
      }
    }
  }
}

TEST(Bvh, InsideOfABoxOnAGridOfPoints) {
  const Mesh m = test::box({0, 0, 0}, {4, 4, 4});
  const Bvh bvh(m.positions, m.triangles);
  for (int x = -2; x <= 10; ++x) {
    for (int y = -2; y <= 10; ++y) {
      for (int z = -2; z <= 10; ++z) {
        if (x == 0 || x == 8 || y == 0 || y == 8 || z == 0 || z == 8) continue;  // in the plane of a face
        const bool expected = x > 0 && x < 8 && y > 0 && y < 8 && z > 0 && z < 8;
        EXPECT_EQ(bvh.inside(Vec3f(Vec3d{x * 0.5, y * 0.5, z * 0.5})), expected) << x << ' ' << y << ' ' << z;
      }
    }
  }
}

TEST(Bvh, InsideCountsRaysThroughEdgesAndCornersOnce) {
  // Points from which a test ray meets a vertex or an edge head on: the shape is moved so that the directions the test
  // uses pass exactly there. Directions are tried in both signs, so every ray of the vote is hit.
  const Mesh m = test::sphere(1, 8, 12);
  const Bvh bvh(m.positions, m.triangles);
  const Vec3f directions[] = {
      {0.8153f, 0.3691f, 0.4459f}, {-0.3127f, 0.8917f, -0.3271f}, {-0.2689f, -0.4283f, 0.8627f}};
  int checked = 0;
  for (const Triangle& t : m.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (const float s : {0.0f, 0.5f}) {
        const Vec3f target = lerp(m.positions[t[k]], m.positions[t[(k + 1) % 3]], s);
        for (const Vec3f& d : directions) {
          for (const float back : {0.25f, 0.5f, 1.0f, 4.0f}) {
            const Vec3f p = target - d * back;
            const ClosestPoint c = bvh.closest(p);
            if (c.distance < 1e-4f) continue;
            // A sphere's polyhedron is convex: the point is inside where it lies below every face.
            bool expected = true;
            for (const Triangle& f : m.triangles) {
              const Vec3d a(m.positions[f[0]]);
              const Vec3d n = cross(Vec3d(m.positions[f[1]]) - a, Vec3d(m.positions[f[2]]) - a);
              expected = expected && dot(Vec3d(p) - a, n) < 0;
            }
            EXPECT_EQ(bvh.inside(p), expected);
            ++checked;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(Bvh, InsideOfATorusHasAHole) {
  const Mesh m = test::torus(1, 0.4, 64, 32);
  const Bvh bvh(m.positions, m.triangles);
  Rng rng(5);
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3f p = random_point(rng, 1.5);
    const double section = std::hypot(std::hypot(p.x, p.z) - 1.0, p.y);
    if (std::abs(section - 0.4) < 0.005) continue;  // between the torus and its facets
    EXPECT_EQ(bvh.inside(p), section < 0.4);
    inside += section < 0.4;
    // The facets lie at most 0.003 under the true surface.
    EXPECT_NEAR(bvh.signed_distance(p), section - 0.4, 0.004);
  }
  EXPECT_GT(inside, 100);
}

TEST(Bvh, WindingNumberTellsOverlapAndInsideOut) {
  Mesh m = test::box({0, 0, 0}, {2, 2, 2});
  const Mesh other = test::box({1, 1, 1}, {3, 3, 3});
  for (const Triangle& t : other.triangles) m.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  m.positions.insert(m.positions.end(), other.positions.begin(), other.positions.end());
  const Bvh bvh(m.positions, m.triangles);
  EXPECT_EQ(bvh.winding_number({0.4f, 0.5f, 0.6f}), 1);
  EXPECT_EQ(bvh.winding_number({1.4f, 1.5f, 1.6f}), 2);
  EXPECT_EQ(bvh.winding_number({0.4f, 0.5f, 2.6f}), 0);
  for (Triangle& t : m.triangles) std::swap(t[0], t[1]);
  const Bvh reversed(m.positions, m.triangles);
  EXPECT_EQ(reversed.winding_number({1.4f, 1.5f, 1.6f}), -2);
  EXPECT_TRUE(reversed.inside({0.4f, 0.5f, 0.6f}));
}

TEST(Bvh, NothingIsNowhere) {
  const Bvh empty;
  const Bvh none({}, {});
  for (const Bvh* bvh : {&empty, &none}) {
    EXPECT_TRUE(bvh->empty());
    EXPECT_EQ(bvh->closest({0, 0, 0}).distance, infinity);
    EXPECT_FALSE(bvh->first_hit({0, 0, 0}, {1, 0, 0}).has_value());
    EXPECT_FALSE(bvh->occluded({0, 0, 0}, {1, 0, 0}, 0, 1));
    EXPECT_FALSE(bvh->inside({0, 0, 0}));
    EXPECT_EQ(bvh->signed_distance({0, 0, 0}), infinity);
  }
}

TEST(Bvh, LeavesOutWhatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.positions.push_back({nan, 0, 0});
  m.positions.push_back({infinity, 0, 0});
  m.triangles.insert(m.triangles.begin(), {{0, 1, 8}, {1, 9, 2}});
  const Bvh bvh(m.positions, m.triangles);
  EXPECT_FLOAT_EQ(bvh.closest({0.5f, 0.5f, 3}).distance, 2);
  EXPECT_GE(bvh.closest({0.5f, 0.5f, 3}).triangle, 2u);
  EXPECT_TRUE(bvh.inside({0.5f, 0.5f, 0.4f}));
  EXPECT_EQ(bvh.closest({nan, 0, 0}).distance, infinity);
  EXPECT_FALSE(bvh.inside({nan, 0, 0}));
}

TEST(Bvh, SurvivesTrianglesThatCannotBeSplit) {
  // Many copies of one triangle, and triangles whose places halve towards a corner: as deep as a tree can get.
  Mesh m;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const auto x = static_cast<float>(i < 1000 ? 0 : std::ldexp(1.0, -static_cast<int>(i % 140)));
    m.positions.insert(m.positions.end(), {{x, 0, 0}, {x, x, 0}, {x, 0, x}});
    m.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const Bvh bvh(m.positions, m.triangles);
  EXPECT_FLOAT_EQ(bvh.closest({-1, 0, 0}).distance, 1);
  EXPECT_FLOAT_EQ(bvh.closest({2, 0.25f, 0.25f}).distance, 1);
  EXPECT_FLOAT_EQ(bvh.first_hit({2, 0.25f, 0.25f}, {-1, 0, 0}).value().distance, 1);
}

TEST(Bvh, FindsWhatReachesABox) {
  Rng rng(11);
  const Mesh m = soup(rng, 400);
  const Bvh bvh(m.positions, m.triangles);
  std::size_t found = 0;
  for (int i = 0; i < 200; ++i) {
    // Boxes of triangles themselves, too: those touch at corners, exactly.
    const Triangle& t = m.triangles[rng.below(400)];
    const Vec3f p = m.positions[t[0]], q = i % 2 == 0 ? m.positions[t[1]] : random_point(rng, 1);
    const Vec3f low = min(p, q), high = max(p, q);
    std::vector<std::uint32_t> expected, visited;
    for (std::uint32_t k = 0; k < m.triangles.size(); ++k) {
      const Vec3f a = m.positions[3 * k], b = m.positions[3 * k + 1], c = m.positions[3 * k + 2];
      const Vec3f l = min(a, min(b, c)), h = max(a, max(b, c));
      bool apart = false;
      for (std::size_t axis = 0; axis < 3; ++axis) apart = apart || l[axis] > high[axis] || h[axis] < low[axis];
      if (!apart) expected.push_back(k);
    }
    bvh.each_in_box(low, high, [&](std::uint32_t k) { visited.push_back(k); });
    std::sort(visited.begin(), visited.end());
    ASSERT_EQ(visited, expected);
    found += expected.size();
  }
  EXPECT_GT(found, 1000u);
  Bvh().each_in_box({-1, -1, -1}, {1, 1, 1}, [](std::uint32_t) { FAIL(); });
}

}  // namespace
}  // namespace supple
