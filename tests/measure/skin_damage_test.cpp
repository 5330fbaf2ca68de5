// Damage with known counts on flat grids, and on torn random ones by comparing everything with everything.
#include "supple/measure/skin_damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr double infinitely_far = std::numeric_limits<double>::infinity();

/// `nx` by `ny` squares of side `step` in the plane z = 0, each cut along its rising diagonal; vertex x + y (nx + 1).
Mesh flat_grid(std::uint32_t nx, std::uint32_t ny, float step, Vec3f low = {}) {
  Mesh m;
  for (std::uint32_t y = 0; y <= ny; ++y) {
    for (std::uint32_t x = 0; x <= nx; ++x)
      m.positions.push_back(low + Vec3f{static_cast<float>(x) * step, static_cast<float>(y) * step, 0});
  }
  for (std::uint32_t y = 0; y < ny; ++y) {
    for (std::uint32_t x = 0; x < nx; ++x) {
      const std::uint32_t a = x + y * (nx + 1), b = a + 1, c = a + nx + 1, d = c + 1;
      m.triangles.push_back({a, b, d});
      m.triangles.push_back({a, d, c});
    }
  }
  return m;
}

Mesh both(Mesh a, const Mesh& b) {
  const auto first = static_cast<std::uint32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

std::vector<Vec3f> times(std::vector<Vec3f> points, float factor) {
  for (Vec3f& p : points) p *= factor;
  return points;
}

/// The numbers of the vertices with blame 1, all others being 0.
std::set<std::uint32_t> blamed(std::span<const float> blame) {
  std::set<std::uint32_t> vertices;
  for (std::uint32_t v = 0; v < blame.size(); ++v) {
    EXPECT_TRUE(blame[v] == 0 || blame[v] == 1);
    if (blame[v] == 1) vertices.insert(v);
  }
  return vertices;
}

TEST(SkinDamageTest, KnowsSizeEdgesAndPairs) {
  const Mesh m = flat_grid(4, 3, 1);  // diagonal 5
  const SkinDamageTest test(m.positions, m.triangles);
  EXPECT_EQ(test.size(), 5);
  EXPECT_EQ(test.edges(), 4u * 4 + 5 * 3 + 12);               // along x, along y, diagonals
  EXPECT_EQ(test.pairs_of_triangles(), 4u * 2 + 3 * 3 + 12);  // all but the border
  EXPECT_EQ(test.close_pairs(), 0u);
  const Mesh split = test::unshared(m);
  const SkinDamageTest welded(split.positions, split.triangles);
  EXPECT_EQ(welded.pairs_of_triangles(), test.pairs_of_triangles());
  EXPECT_EQ(welded.edges(), 3u * 24);
  EXPECT_EQ(welded.close_pairs(), 0u) << "one piece";
}

TEST(SkinDamageTest, AVertexPulledOutTearsItsEdges) {
  const Mesh m = flat_grid(8, 4, 0.5f);
  const SkinDamageTest test(m.positions, m.triangles);
  const std::uint32_t v = 4 + 2 * 9;  // in the middle: four edges of 0.5 and two diagonals
  for (const float pulled : {0.5f, 1.0f, 1.5f}) {
    std::vector<Vec3f> after = m.positions;
    after[v].z = pulled;
    std::vector<float> blame(after.size());
    const SkinDamage damage = test.measure(m.positions, after, blame);
    // Twice as long from sqrt(3) = 1.73 sides on, the diagonals from sqrt(6) = 2.45 sides on.
    const std::set<std::uint32_t> cross{v, v - 1, v + 1, v - 9, v + 9};
    std::set<std::uint32_t> star = cross;
    star.insert({v - 10, v + 10});
    EXPECT_EQ(damage.torn, pulled < 1 ? 0u : pulled < 1.5f ? 4u : 6u);
    EXPECT_EQ(blamed(blame), pulled < 1 ? std::set<std::uint32_t>{} : pulled < 1.5f ? cross : star);
    EXPECT_EQ(damage.stretched, damage.torn);
    EXPECT_EQ(damage.stretched_before, 0u);
    EXPECT_EQ(damage.far_vertex, v);
    EXPECT_NEAR(damage.far, pulled / std::sqrt(20.0), 1e-12);  // 4 by 2
    const double side = std::sqrt(0.25 + pulled * pulled) / 0.5 - 1,
                 diagonal = std::sqrt(0.5 + pulled * pulled) / std::sqrt(0.5) - 1;
    EXPECT_NEAR(damage.strain,
                std::sqrt((4 * side * side + 2 * diagonal * diagonal) / static_cast<double>(test.edges())), 1e-12);
    EXPECT_EQ(damage.strain_before, 0);
    EXPECT_EQ(damage.folded + damage.folded_before + damage.parted + damage.opened, 0u);
    // Mended, it is no damage, however torn the other was.
    const SkinDamage mended = test.measure(after, m.positions);
    EXPECT_EQ(mended.torn, 0u);
    EXPECT_EQ(mended.strain_before, damage.strain);
    EXPECT_EQ(mended.stretched_before, damage.stretched);
  }
}

TEST(SkinDamageTest, WhatIsTornIsSeen) {
  // Edges of 0.5 % of the size, three times as long, are 1 % of the size longer: nobody sees it. Five times is torn.
  Mesh m = both(flat_grid(1, 1, 0.5f), flat_grid(1, 1, 0.5f, {10, 20, 0}));
  m.positions.back() = {60, 80, 0};
  const SkinDamageTest test(m.positions, m.triangles);
  ASSERT_EQ(test.size(), 100);
  std::vector<Vec3f> after = m.positions;
  after[1] = {1.5f, 0, 0};
  EXPECT_EQ(test.measure(m.positions, after).torn, 0u);
  EXPECT_EQ(test.measure(m.positions, after).stretched, 0u) << "0.5 % is not beyond 0.5 %";
  after[1] = {2.5f, 0, 0};
  EXPECT_EQ(test.measure(m.positions, after).torn, 0u) << "2 % is not beyond 2 %";
  after[1] = {2.625f, 0, 0};
  EXPECT_EQ(test.measure(m.positions, after).torn, 1u) << "the other side is 1.7 % longer";
  // Half of it is in the skin it was made from: not twice as long as before.
  std::vector<Vec3f> before = m.positions;
  before[1] = {1.375f, 0, 0};
  EXPECT_EQ(test.measure(before, after).torn, 0u);
}

TEST(SkinDamageTest, AFlapFoldsAlongItsHinge) {
  for (const bool split : {false, true}) {
    const Mesh m = split ? test::unshared(flat_grid(4, 3, 1)) : flat_grid(4, 3, 1);
    const SkinDamageTest test(m.positions, m.triangles);
    const auto flapped = [&](double degrees) {
      std::vector<Vec3f> points = m.positions;
      for (Vec3f& p : points) {
        const double x = double{p.x} - 2, angle = degrees * test::pi / 180;
        if (x > 0) p = Vec3f(Vec3d{2 + x * std::cos(angle), double{p.y}, x * std::sin(angle)});
      }
      return points;
    };
    for (const double degrees : {0.0, 90.0, 149.0, 151.0, 180.0}) {
      std::vector<float> blame(m.positions.size());
      const SkinDamage damage = test.measure(m.positions, flapped(degrees), blame);
      EXPECT_EQ(damage.folded, degrees < 150 ? 0u : 3u) << degrees;
      EXPECT_EQ(damage.new_folds(), degrees < 150 ? 0 : 3);
      EXPECT_EQ(damage.folded_before + damage.torn + damage.parted + damage.opened, 0u);
      EXPECT_NEAR(damage.strain, 0, 1e-7) << "a rigid motion on both sides of the hinge";
      for (std::size_t v = 0; v < blame.size(); ++v) {
        const float x = m.positions[v].x;
        if (x < 1 || x > 3 || degrees < 150) {
          EXPECT_EQ(blame[v], 0) << "not at the hinge";
        }
        if (x == 2 && !split && degrees > 150) {
          EXPECT_EQ(blame[v], 1);
        }
      }
      EXPECT_EQ(*std::max_element(blame.begin(), blame.end()), degrees < 150 ? 0 : 1);
    }
    std::vector<float> blame(m.positions.size());
    const SkinDamage same = test.measure(flapped(180), flapped(180), blame);
    EXPECT_EQ(same.folded, 3u);
    EXPECT_EQ(same.folded_before, 3u);
    EXPECT_TRUE(blamed(blame).empty()) << "not new";
  }
}

TEST(SkinDamageTest, ACreaseAtRestIsNoFold) {
  Mesh m = flat_grid(2, 1, 1);
  for (Vec3f& p : m.positions) {
    if (p.x == 2) p = {1, p.y, 1};  // a right angle: the cosine is not above 0
  }
  EXPECT_EQ(SkinDamageTest(m.positions, m.triangles).pairs_of_triangles(), 2u);
}

TEST(SkinDamageTest, TwoQuadsThatTouchPart) {
  Mesh m = both(flat_grid(1, 1, 32), flat_grid(1, 1, 32, {32.25f, 0, 0}));
  const SkinDamageTest test(m.positions, m.triangles);
  ASSERT_DOUBLE_EQ(test.size(), std::hypot(64.25, 32));  // so that they are 0.35 % apart
  EXPECT_EQ(test.close_pairs(), 2u);
  const auto apart = [&](double share) {
    std::vector<Vec3f> points = m.positions;
    for (std::size_t v = 4; v < 8; ++v) points[v].x += static_cast<float>(share * test.size()) - 0.25f;
    return points;
  };
  std::vector<float> blame(8);
  EXPECT_EQ(test.measure(m.positions, apart(0.0199), blame).parted, 0u);
  EXPECT_TRUE(blamed(blame).empty());
  // From nine tenths of the limit on a pair is nearly parted, and blamed where that is asked for.
  EXPECT_EQ(test.measure(m.positions, apart(0.0179), blame, true, true).nearly_parted, 0u);
  EXPECT_TRUE(blamed(blame).empty());
  std::vector<float> nearly(8);
  EXPECT_GT(test.measure(m.positions, apart(0.0181), nearly, true, true).nearly_parted, 0u);
  EXPECT_FALSE(blamed(nearly).empty());
  const SkinDamage damage = test.measure(m.positions, apart(0.0201), blame);
  EXPECT_EQ(damage.parted, 2u);
  EXPECT_EQ(blamed(blame), (std::set<std::uint32_t>{1, 3, 4, 6}));
  EXPECT_NEAR(damage.far, 0.0201 - 0.25 / test.size(), 1e-6);
  EXPECT_EQ(damage.torn + damage.folded + damage.opened, 0u);
  EXPECT_EQ(test.measure(apart(0.0099), apart(0.03)).parted, 2u);
  EXPECT_EQ(test.measure(apart(0.0101), apart(0.03)).parted, 0u) << "they were apart before";
  EXPECT_EQ(test.measure(apart(0.03), m.positions).parted, 0u);
}

TEST(SkinDamageTest, ManyClosePairsAreChosenEvenly) {
  // Two layers 0.1 % apart: each vertex is close to 69 of the other layer (lattice points within 4.9 sides), but for
  // the border. The far vertex gives the size.
  const float step = 1;
  Mesh m = both(flat_grid(40, 40, step), flat_grid(40, 40, step, {0, 0, 1}));
  m.positions.push_back({600, 800, 0});
  const SkinDamageTest test(m.positions, m.triangles);
  EXPECT_EQ(test.close_pairs(), 20000u);
  std::vector<Vec3f> after = m.positions;
  for (std::size_t v = 41 * 41; v < 2 * 41 * 41; ++v) after[v].z += 30;
  std::vector<float> blame(after.size());
  const SkinDamage damage = test.measure(m.positions, after, blame);
  EXPECT_EQ(damage.parted, 20000u);
  EXPECT_EQ(blamed(blame).size(), 2u * 41 * 41) << "one pair in five still names every vertex";
  // The first half of the lower layer is in half of the pairs, to the width of a row.
  after = m.positions;
  for (std::size_t v = 0; v < 41 * 41; ++v) after[v].z -= v < 41 * 20 ? 30.0f : 0.0f;
  EXPECT_NEAR(static_cast<double>(test.measure(m.positions, after).parted), 10000, 500);
}

TEST(SkinDamageTest, ASplitSeamOpens) {
  const Mesh m = both(flat_grid(1, 2, 1), flat_grid(1, 2, 1, {1, 0, 0}));  // 2 by 2
  const SkinDamageTest test(m.positions, m.triangles);
  EXPECT_EQ(test.close_pairs(), 0u) << "one piece by its seam";
  EXPECT_EQ(test.pairs_of_triangles(), 8u);
  const auto apart = [&](double share) {
    std::vector<Vec3f> points = m.positions;
    for (std::size_t v = 6; v < 12; ++v) points[v].z += static_cast<float>(share * test.size());
    return points;
  };
  std::vector<float> blame(12);
  EXPECT_EQ(test.measure(m.positions, apart(0.0019), blame).opened, 0u);
  EXPECT_TRUE(blamed(blame).empty());
  const SkinDamage damage = test.measure(m.positions, apart(0.0021), blame);
  EXPECT_EQ(damage.opened, 6u) << "three places of two vertices";
  EXPECT_EQ(blamed(blame), (std::set<std::uint32_t>{1, 3, 5, 6, 8, 10}));
  EXPECT_EQ(test.measure(apart(0.0009), apart(0.0021)).opened, 6u);
  EXPECT_EQ(test.measure(apart(0.0011), apart(0.0021)).opened, 0u) << "open before";
  EXPECT_EQ(test.measure(m.positions, apart(0.5)).parted, 0u) << "opened is not parted, too";
}

TEST(SkinDamageTest, AnyCopyOfAPlaceThatLeavesIsFound) {
  // A fan whose middle is split into one vertex for each of 40 triangles; any of them leaves, also together with
  // others.
  Mesh fan;
  const std::uint32_t n = 40;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const std::uint32_t k : {i, i + 1}) {
      const double angle = 2 * test::pi * k / n;
      fan.positions.push_back(Vec3f(Vec3d{std::cos(angle), std::sin(angle), 0}));
    }
    fan.positions.push_back({});
    fan.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const SkinDamageTest test(fan.positions, fan.triangles);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const std::uint32_t together : {1u, 5u, 20u}) {
      std::vector<Vec3f> after = fan.positions;
      for (std::uint32_t k = 0; k < together; ++k) after[3 * ((i + k) % n) + 2].z = 0.1f;
      std::vector<float> blame(after.size());
      EXPECT_GE(test.measure(fan.positions, after, blame).opened, 2u);
      EXPECT_EQ(blame[3 * i + 2], 1);
    }
  }
}

TEST(SkinDamageTest, NothingIsWrongWithTheSameSkin) {
  const Mesh m = both(test::torus(1, 0.4, 30, 16), test::unshared(test::sphere(0.5, 10, 12)));
  const SkinDamageTest test(m.positions, m.triangles);
  Rng rng(2);
  std::vector<Vec3f> posed = m.positions;
  for (Vec3f& p : posed) p += Vec3f(Vec3d{rng.uniform(), rng.uniform(), rng.uniform()});
  posed[7].y = not_a_number;
  posed[8].x = std::numeric_limits<float>::infinity();
  std::vector<float> blame(posed.size());
  const SkinDamage damage = test.measure(posed, posed, blame);
  EXPECT_EQ(damage.torn + damage.parted + damage.opened, 0u);
  EXPECT_GT(damage.folded, 0u);
  EXPECT_EQ(damage.folded, damage.folded_before);
  EXPECT_GT(damage.strain, 0.1);
  EXPECT_TRUE(std::isfinite(damage.strain));
  EXPECT_EQ(damage.strain, damage.strain_before);
  EXPECT_GT(damage.stretched, 0u);
  EXPECT_EQ(damage.stretched, damage.stretched_before);
  EXPECT_EQ(damage.far, 0);
  EXPECT_TRUE(blamed(blame).empty());
}

TEST(SkinDamageTest, MeasuresHowFarRestMoved) {
  const Mesh m = flat_grid(4, 3, 1);  // diagonal 5
  const SkinDamageTest test(m.positions, m.triangles);
  EXPECT_EQ(test.moved_at_rest(m.positions), 0);
  std::vector<Vec3f> after = m.positions;
  after[3] += Vec3f{1, -2, 0.5f};
  EXPECT_EQ(test.moved_at_rest(after), 2.0 / 5);
  after[3].x = not_a_number;
  EXPECT_EQ(test.moved_at_rest(after), infinitely_far);
}

TEST(SkinDamageTest, BlameIsNeverLowered) {
  const Mesh m = flat_grid(2, 2, 1);
  std::vector<Vec3f> after = m.positions;
  after[0].z = 3;
  std::vector<float> blame(9, 0.25f);
  blame[0] = 2;
  SkinDamageTest(m.positions, m.triangles).measure(m.positions, after, blame);
  EXPECT_EQ(blame, (std::vector<float>{2, 1, 0.25f, 1, 1, 0.25f, 0.25f, 0.25f, 0.25f}));
}

TEST(SkinDamageTest, PositionsThatAreNoNumbersAreTorn) {
  const Mesh m = both(flat_grid(4, 4, 1), flat_grid(1, 4, 1, {4, 0, 0}));
  const SkinDamageTest test(m.positions, m.triangles);
  for (const float wrong :
       {not_a_number, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    std::vector<Vec3f> after = m.positions;
    after[12].y = wrong;  // six edges
    SkinDamage damage = test.measure(m.positions, after);
    EXPECT_EQ(damage.torn, 6u);
    EXPECT_EQ(damage.far, infinitely_far);
    EXPECT_EQ(damage.far_vertex, 12u);
    EXPECT_EQ(damage.strain, 0) << "of the edges that are left";
    EXPECT_EQ(damage.stretched + damage.folded + damage.opened, 0u);
    damage = test.measure(after, m.positions);
    EXPECT_EQ(damage.torn, 0u) << "mended";
    EXPECT_EQ(damage.far, 0);
    after = m.positions;
    after[14].x = wrong;  // at the seam
    EXPECT_EQ(test.measure(m.positions, after).opened, 2u);
  }
}

TEST(SkinDamageTest, TakesMeshesThatAreHardlyOnes) {
  const auto nothing_wrong = [](std::vector<Vec3f> rest, std::vector<Triangle> triangles) {
    const SkinDamageTest test(rest, triangles);
    std::vector<float> blame(rest.size());
    const SkinDamage damage = test.measure(rest, rest, blame);
    EXPECT_EQ(damage, (SkinDamage{}));
    EXPECT_TRUE(blamed(blame).empty());
    EXPECT_EQ(test.spread(blame, 0.1), blame);
    std::fill(blame.begin(), blame.end(), 1.0f);
    EXPECT_EQ(test.spread(blame, 0.1), blame);
    return test;
  };
  EXPECT_EQ(nothing_wrong({}, {}).size(), 0);
  EXPECT_EQ(nothing_wrong({{1, 2, 3}}, {}).size(), 0);
  EXPECT_EQ(nothing_wrong({{0, 0, 0}, {3, 4, 0}}, {}).size(), 5);
  nothing_wrong({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}});               // one point
  nothing_wrong({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}, {2, 1, 0}});    // no area
  nothing_wrong({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 1}, {2, 2, 2}});    // corners that coincide
  nothing_wrong({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}, {0, 1, ~0u}});  // no such vertices
  const SkinDamageTest broken = nothing_wrong({{0, 0, 0}, {3, 4, 0}, {not_a_number, 1, 0}}, {{0, 1, 2}});
  EXPECT_EQ(broken.size(), 5) << "of what is finite";
  EXPECT_EQ(broken.edges(), 1u);
  // A point that bursts.
  const std::vector<Vec3f> point(3);
  const SkinDamage burst = SkinDamageTest(point, std::vector<Triangle>{{0, 1, 2}})
                               .measure(point, std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  EXPECT_EQ(burst.torn, 3u);
  EXPECT_EQ(burst.opened, 3u);
  EXPECT_EQ(burst.far, infinitely_far);
  EXPECT_EQ(burst.strain, 0);
}

/// Two noisy layers, the upper one split along all edges; `before` is bent, the more the larger the seed, and torn in
/// some places, `after` in others, too.
struct Tatters {
  Mesh rest;
  std::vector<Vec3f> before, after;

  explicit Tatters(std::uint64_t seed) {
    Rng rng(seed);
    const auto noisy = [&](std::vector<Vec3f>& points, double by) {
      for (Vec3f& p : points) p += Vec3f(Vec3d{rng.uniform(-by, by), rng.uniform(-by, by), rng.uniform(-by, by)});
    };
    const auto tear = [&](std::vector<Vec3f>& points) {
      for (int i = 0; i < 40; ++i) {
        Vec3f& p = points[rng.below(static_cast<std::uint32_t>(points.size()))];
        p += Vec3f(Vec3d{rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(-2, 2)});
      }
    };
    Mesh low = flat_grid(9, 7, 1), high = flat_grid(9, 7, 1, {0, 0, 0.04f});  // 0.35 % of the size
    noisy(low.positions, 0.02);
    noisy(high.positions, 0.02);
    rest = both(low, test::unshared(high));
    before = rest.positions;
    for (Vec3f& p : before) {  // what is together stays so
      const double bend = 0.4 * static_cast<double>(seed) * std::sin(2.0 * p.x + static_cast<double>(seed));
      p += Vec3f(Vec3d{bend, 0.5 * bend, bend});
    }
    tear(before);
    after = before;
    noisy(after, 0.008);
    tear(after);
  }
};

/// The same by definition: every vertex with every other, every triangle with every other.
struct SlowDamage {
  SkinDamage damage;
  std::set<std::uint32_t> blame;
  std::size_t edges = 0, pairs = 0, close = 0;

  SlowDamage(const Mesh& rest, const std::vector<Vec3f>& before, const std::vector<Vec3f>& after) {
    const auto n = static_cast<std::uint32_t>(rest.positions.size());
    const auto distance = [](const std::vector<Vec3f>& p, std::uint32_t a, std::uint32_t b) {
      return length(Vec3d(p[a]) - Vec3d(p[b]));
    };
    const Box box = bounds(rest.positions);
    const double size = length(Vec3d(box.high) - Vec3d(box.low));
    std::vector<std::uint32_t> place(n), piece(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      piece[v] = place[v] = v;
      for (std::uint32_t u = v; u-- > 0;) {
        if (distance(rest.positions, u, v) <= 1e-5 * size) place[v] = u;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      const auto lower = [&](std::uint32_t a, std::uint32_t b) {
        if (piece[a] > piece[b]) piece[a] = piece[b], changed = true;
        if (piece[b] > piece[a]) piece[b] = piece[a], changed = true;
      };
      for (const Triangle& t : rest.triangles) lower(t[0], t[1]), lower(t[1], t[2]);
      for (std::uint32_t v = 0; v < n; ++v) lower(v, place[v]);
    }

    std::set<std::pair<std::uint32_t, std::uint32_t>> sides;
    for (const Triangle& t : rest.triangles) {
      for (const auto& [a, b] : {std::pair{t[0], t[1]}, std::pair{t[1], t[2]}, std::pair{t[2], t[0]}})
        sides.insert({std::min(a, b), std::max(a, b)});
    }
    edges = sides.size();
    for (const auto& [a, b] : sides) {
      const double r = distance(rest.positions, a, b), was = distance(before, a, b), is = distance(after, a, b);
      damage.strain += (is / r - 1) * (is / r - 1) / static_cast<double>(edges);
      damage.strain_before += (was / r - 1) * (was / r - 1) / static_cast<double>(edges);
      damage.stretched += is - 2 * r > 0.005 * size ? 1 : 0;
      damage.stretched_before += was - 2 * r > 0.005 * size ? 1 : 0;
      if (is > 2 * was && is > 2 * r && is - was > 0.02 * size) ++damage.torn, blame.insert({a, b});
    }
    damage.strain = std::sqrt(damage.strain);
    damage.strain_before = std::sqrt(damage.strain_before);

    for (std::uint32_t a = 0; a < n; ++a) {
      bool open = false;
      for (std::uint32_t b = 0; b < n; ++b) {
        const double was = distance(before, a, b), is = distance(after, a, b);
        if (a != b && place[a] == place[b] && was <= 0.001 * size && is > 0.002 * size) open = true;
        if (a < b && piece[a] != piece[b] && distance(rest.positions, a, b) <= 0.005 * size) {
          ++close;
          if (was <= 0.01 * size && is > 0.02 * size) ++damage.parted, blame.insert({a, b});
          if (was <= 0.01 / 0.9 * size && is > 0.9 * 0.02 * size) ++damage.nearly_parted;
        }
      }
      if (open) ++damage.opened, blame.insert(a);
      const double moved = length(Vec3d(after[a]) - Vec3d(before[a])) / size;
      if (moved > damage.far) damage.far = moved, damage.far_vertex = a;
    }

    const auto cosine = [&](const std::vector<Vec3f>& p, const Triangle& s, const Triangle& t) {
      const auto unit = [&](const Triangle& c) {
        return normalized(cross(Vec3d(p[c[1]]) - Vec3d(p[c[0]]), Vec3d(p[c[2]]) - Vec3d(p[c[0]])));
      };
      return dot(unit(s), unit(t));
    };
    for (std::size_t i = 0; i < rest.triangles.size(); ++i) {
      for (std::size_t j = i + 1; j < rest.triangles.size(); ++j) {
        const Triangle &s = rest.triangles[i], &t = rest.triangles[j];
        int shared = 0;
        for (const std::uint32_t a : s)
          for (const std::uint32_t b : t) shared += place[a] == place[b] ? 1 : 0;
        if (shared != 2 || cosine(rest.positions, s, t) <= 0) continue;
        ++pairs;
        const bool was = cosine(before, s, t) < -0.866, is = cosine(after, s, t) < -0.866;
        damage.folded_before += was ? 1 : 0;
        damage.folded += is ? 1 : 0;
        if (is && !was) blame.insert({s[0], s[1], s[2], t[0], t[1], t[2]});
      }
    }
  }
};

TEST(SkinDamageTest, AgreesWithComparingEverythingWithEverything) {
  SkinDamage all;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Tatters tatters(seed);
    const SlowDamage slow(tatters.rest, tatters.before, tatters.after);
    const SkinDamageTest test(tatters.rest.positions, tatters.rest.triangles);
    EXPECT_EQ(test.edges(), slow.edges);
    EXPECT_EQ(test.pairs_of_triangles(), slow.pairs);
    EXPECT_EQ(test.close_pairs(), slow.close);
    std::vector<float> blame(test.vertices());
    SkinDamage fast = test.measure(tatters.before, tatters.after, blame);
    EXPECT_EQ(blamed(blame), slow.blame);
    // Sums and roots in another order.
    EXPECT_NEAR(fast.strain, slow.damage.strain, 1e-12);
    EXPECT_NEAR(fast.strain_before, slow.damage.strain_before, 1e-12);
    EXPECT_NEAR(fast.far, slow.damage.far, 1e-12);
    fast.strain = slow.damage.strain;
    fast.strain_before = slow.damage.strain_before;
    fast.far = slow.damage.far;
    EXPECT_EQ(fast, slow.damage);
    all.torn += fast.torn;
    all.folded += fast.folded;
    all.folded_before += fast.folded_before;
    all.parted += fast.parted;
    all.opened += fast.opened;
    all.stretched_before += fast.stretched_before;
  }
  // There was something to find of every kind.
  for (const std::size_t found : {all.torn, all.folded, all.folded_before, all.parted, all.opened})
    EXPECT_GT(found, 20u);
}

TEST(SkinDamageTest, ScaleChangesNothing) {
  const Tatters tatters(1);
  const SkinDamageTest test(tatters.rest.positions, tatters.rest.triangles);
  std::vector<float> blame(test.vertices());
  const SkinDamage damage = test.measure(tatters.before, tatters.after, blame);
  const std::vector<float> smooth = test.spread(blame, 0.05);
  EXPECT_GT(damage.torn, 0u);
  for (const float scale : {0x1p-20f, 0.5f, 0x1p20f}) {  // exact in binary, so that every bit must be the same
    const SkinDamageTest scaled(times(tatters.rest.positions, scale), tatters.rest.triangles);
    EXPECT_EQ(scaled.size(), test.size() * double{scale});
    std::vector<float> scaled_blame(test.vertices());
    EXPECT_EQ(scaled.measure(times(tatters.before, scale), times(tatters.after, scale), scaled_blame), damage);
    EXPECT_EQ(scaled_blame, blame);
    EXPECT_EQ(scaled.spread(blame, 0.05), smooth);
  }
}

TEST(SkinDamageTest, MeasuresOnSeveralThreads) {
  const Tatters tatters(3);
  const SkinDamageTest test(tatters.rest.positions, tatters.rest.triangles);
  const SkinDamage expected = test.measure(tatters.before, tatters.after);
  std::vector<SkinDamage> found(4);
  std::vector<std::thread> threads;
  for (SkinDamage& damage : found) threads.emplace_back([&] { damage = test.measure(tatters.before, tatters.after); });
  for (std::thread& thread : threads) thread.join();
  for (const SkinDamage& damage : found) EXPECT_EQ(damage, expected);
}

TEST(SkinDamageTest, SpreadsBlameAlongEdges) {
  const Mesh m = flat_grid(20, 1, 1);  // size sqrt(401)
  const SkinDamageTest test(m.positions, m.triangles);
  std::vector<float> blame(m.positions.size());
  blame[10] = 1;
  const double reach = 6;
  const std::vector<float> smooth = test.spread(blame, reach / test.size());
  for (std::uint32_t x = 0; x <= 20; ++x) {
    const double share = std::min(std::abs(static_cast<double>(x) - 10) / reach, 1.0);
    EXPECT_NEAR(smooth[x], 1 - share * share * (3 - 2 * share), 1e-6) << x;  // lengths and values are floats
  }
  EXPECT_EQ(test.spread(blame, 0), blame);
  EXPECT_EQ(test.spread(blame, not_a_number), blame);
  EXPECT_EQ(test.spread(blame, infinitely_far), std::vector<float>(blame.size(), 1.0f));
  // Half blame is blame half the reach away.
  blame[10] = 0.5f;
  const std::vector<float> half = test.spread(blame, reach / test.size());
  EXPECT_EQ(half[10], 0.5f);
  EXPECT_NEAR(half[11], smooth[14], 1e-6);
  EXPECT_NEAR(half[12], smooth[15], 1e-6);
  EXPECT_NEAR(half[13], 0, 1e-6);
}

TEST(SkinDamageTest, SpreadBlameIsContinuousAndOneAtWeldedCopies) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Tatters tatters(seed);
    const Mesh& m = tatters.rest;
    const SkinDamageTest test(m.positions, m.triangles);
    Rng rng(seed);
    std::vector<float> blame(test.vertices());
    for (int i = 0; i < 8; ++i)
      blame[rng.below(static_cast<std::uint32_t>(blame.size()))] = static_cast<float>(1 - 0.5 * rng.uniform());
    const double reach = 0.3;
    const std::vector<float> smooth = test.spread(blame, reach);
    for (std::size_t v = 0; v < blame.size(); ++v) {
      EXPECT_GE(smooth[v], blame[v]);
      EXPECT_LE(smooth[v], 1);
      for (std::size_t u = 0; u < v; ++u) {
        if (m.positions[u] == m.positions[v]) {
          EXPECT_EQ(smooth[u], smooth[v]);
        }
      }
    }
    // The falloff is nowhere steeper than 1.5 / reach.
    for (const Triangle& t : m.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k], b = t[(k + 1) % 3];
        const double apart = length(Vec3d(m.positions[a]) - Vec3d(m.positions[b])) / test.size();
        EXPECT_LE(std::abs(double{smooth[a]} - double{smooth[b]}), 1.5 * apart / reach + 1e-6);
      }
    }
  }
}

TEST(SkinDamageTest, SpreadsBlameOverClosePieces) {
  // Three grids in a row: one gap is close, the other is not.
  const Mesh m = both(both(flat_grid(8, 4, 1), flat_grid(8, 4, 1, {8.0625f, 0, 0})), flat_grid(8, 4, 1, {16.5f, 0, 0}));
  const SkinDamageTest test(m.positions, m.triangles);
  ASSERT_EQ(test.close_pairs(), 5u);
  std::vector<float> blame(m.positions.size());
  blame[8] = 1;  // at the gap
  const std::vector<float> smooth = test.spread(blame, 0.9);
  const double share = 0.0625 / (0.9 * test.size());
  EXPECT_NEAR(smooth[45], 1 - share * share * (3 - 2 * share), 1e-6);
  for (std::uint32_t v = 45; v < 90; ++v) EXPECT_GT(smooth[v], 0);
  for (std::uint32_t v = 90; v < 135; ++v) EXPECT_EQ(smooth[v], 0);
}

TEST(DamageTotals, SumUpFrames) {
  DamageTotals totals;
  EXPECT_EQ(totals.strain(), 0);
  EXPECT_FALSE(totals.bad(0)) << "no frames";
  SkinDamage frame;
  frame.strain = 3;
  frame.far = 0.5;
  frame.folded = 2;
  frame.folded_before = 1;
  totals.add(frame);
  EXPECT_EQ(totals.worst, frame);
  EXPECT_EQ(totals.damaged_frames, 0u);
  frame = {};
  frame.strain = 4;
  frame.strain_before = 1;
  frame.opened = 1;
  totals.add(frame);
  totals.add({});
  EXPECT_EQ(totals.frames, 3u);
  EXPECT_EQ(totals.worst_frame, 1u);
  EXPECT_EQ(totals.worst, frame);
  EXPECT_EQ(totals.damaged_frames, 1u);
  EXPECT_EQ(totals.far, 0.5);
  EXPECT_DOUBLE_EQ(totals.strain(), std::sqrt(25.0 / 3));
  EXPECT_DOUBLE_EQ(totals.strain_before(), std::sqrt(1.0 / 3));
  // One new fold in three frames, where 0.0005 pairs are tolerated in each.
  EXPECT_TRUE(totals.bad(666));
  EXPECT_FALSE(totals.bad(667));
}

TEST(DamageTotals, FoldsThatAreMendedCountAgainstNewOnes) {
  DamageTotals totals;
  SkinDamage frame;
  frame.folded = 10;
  totals.add(frame);
  EXPECT_TRUE(totals.bad(10000));
  std::swap(frame.folded, frame.folded_before);
  totals.add(frame);
  EXPECT_FALSE(totals.bad(0));
}

TEST(DamageTotals, ASingleTearOrGapIsBad) {
  for (std::size_t SkinDamage::*what : {&SkinDamage::torn, &SkinDamage::parted}) {
    DamageTotals totals;
    SkinDamage frame;
    for (int i = 0; i < 100; ++i) totals.add(frame);
    EXPECT_FALSE(totals.bad(1000));
    frame.*what = 1;
    totals.add(frame);
    EXPECT_TRUE(totals.bad(1000));
  }
  DamageTotals totals;
  totals.moved_at_rest = 0.0011;
  EXPECT_TRUE(totals.bad(1000));
}

}  // namespace
}  // namespace supple
