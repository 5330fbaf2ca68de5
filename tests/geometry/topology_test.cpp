// Neighbours, welding and parts.
#include "supple/geometry/topology.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple {
namespace {

TEST(Neighbours, OfASphereAreItsEdges) {
  const Mesh m = test::sphere(1, 10, 14);
  const Adjacency a = vertex_neighbours(m.positions.size(), m.triangles);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle& t : m.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      edges.insert({t[k], t[(k + 1) % 3]});
      edges.insert({t[(k + 1) % 3], t[k]});
    }
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> listed;
  for (std::uint32_t v = 0; v < m.positions.size(); ++v) {
    EXPECT_TRUE(std::is_sorted(a.of(v).begin(), a.of(v).end()));
    for (const std::uint32_t n : a.of(v)) EXPECT_TRUE(listed.insert({v, n}).second);
  }
  EXPECT_EQ(listed, edges);
  // Euler: V - E + F = 2.
  EXPECT_EQ(m.positions.size() - edges.size() / 2 + m.triangles.size(), 2u);
}

TEST(Neighbours, SkipTheVertexItselfAndAllowLoneVertices) {
  const std::vector<Triangle> triangles{{0, 0, 2}};
  const Adjacency a = vertex_neighbours(4, triangles);
  EXPECT_EQ(a.of(0).size(), 1u);
  EXPECT_EQ(a.of(1).size(), 0u);
  EXPECT_EQ(a.of(2)[0], 0u);
  EXPECT_EQ(a.of(3).size(), 0u);
  EXPECT_EQ(vertex_neighbours(0, {}).first.size(), 1u);
}

TEST(Weld, RestoresASphereFromSeparateTriangles) {
  const Mesh whole = test::sphere(1, 20, 30), split = test::unshared(whole);
  const Weld w = weld(split.positions);
  EXPECT_EQ(w.points(), whole.positions.size());
  EXPECT_EQ(welded_triangles(split.triangles, w).size(), whole.triangles.size());
  for (std::size_t v = 0; v < split.positions.size(); ++v) {
    EXPECT_EQ(split.positions[w.to_vertex[w.to_point[v]]], split.positions[v]);
    EXPECT_LE(w.to_vertex[w.to_point[v]], v);
  }
  EXPECT_TRUE(std::is_sorted(w.to_vertex.begin(), w.to_vertex.end()));
}

TEST(Weld, ZerosOfBothSignsAreEqualAndNotANumberStaysAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const std::vector<Vec3f> p{{0, 0, 0}, {-0.0f, 0, -0.0f}, {1, 0, 0}, {nan, 0, 0}, {inf, 0, 0}, {0, -0.0f, 0}};
  for (const float tolerance : {0.0f, 1e-3f}) {
    const Weld w = weld(p, tolerance);
    EXPECT_EQ(w.to_point, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 0})) << tolerance;
  }
  EXPECT_EQ(weld({}).points(), 0u);
  EXPECT_EQ(weld({}, 1).points(), 0u);
}

TEST(Weld, ToleranceJoinsChainsButNothingFarther) {
  // Spacing is a power of two: distances are exact, so "at most the tolerance" is tested at equality.
  std::vector<Vec3f> p;
  for (int i = 0; i < 10; ++i) p.push_back({static_cast<float>(i) * 0.125f, 0, 0});
  EXPECT_EQ(weld(p, 0.125f).points(), 1u);
  EXPECT_EQ(weld(p, 0.1249f).points(), 10u);
  p[4].y = 0.03125f;  // breaks the chain between 3, 4 and 5
  EXPECT_EQ(weld(p, 0.125f).points(), 3u);
}

TEST(Weld, AgreesWithComparingAllPairs) {
  Rng rng(7);
  for (const double tolerance : {1e-4, 0.02, 0.05, 0.3}) {
    std::vector<Vec3f> p;
    for (int i = 0; i < 400; ++i) p.push_back(Vec3f(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}));
    for (int i = 0; i < 100; ++i) {  // near copies, some within the tolerance
      const Vec3d shift{rng.uniform(-1, 1) * tolerance, rng.uniform(-1, 1) * tolerance, 0};
      p.push_back(Vec3f(Vec3d(p[rng.below(400)]) + shift));
    }
    const auto t = static_cast<float>(tolerance);
    std::vector<std::uint32_t> smallest(p.size());
    for (std::uint32_t i = 0; i < p.size(); ++i) smallest[i] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < p.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const bool near = squared_length(Vec3d(p[i]) - Vec3d(p[j])) <= double{t} * double{t};
          if (near && smallest[i] != smallest[j]) {
            smallest[i] = smallest[j] = std::min(smallest[i], smallest[j]);
            changed = true;
          }
        }
      }
    }
    const Weld w = weld(p, t);
    for (std::size_t v = 0; v < p.size(); ++v) EXPECT_EQ(w.to_vertex[w.to_point[v]], smallest[v]) << "vertex " << v;
  }
}

TEST(Weld, AToleranceAsLargeAsTheModelIsNotQuadratic) {
  // A hundred thousand points in a few cells: comparing all pairs would take minutes.
  Rng rng(3);
  std::vector<Vec3f> p(100000);
  for (Vec3f& v : p) v = Vec3f(Vec3d{rng.uniform(), rng.uniform(), rng.uniform()});
  EXPECT_EQ(weld(p, 0.5f).points(), 1u);
}

TEST(Weld, ExtremeCoordinatesAndTolerancesAreHarmless) {
  const std::vector<Vec3f> p{{3e38f, -3e38f, 0}, {3e38f, -3e38f, 0}, {1e-45f, 0, 0}, {0, 0, 0}, {-3e38f, 3e38f, 1}};
  EXPECT_EQ(weld(p, 1e-45f).points(), 3u);
  EXPECT_EQ(weld(p, 1e-3f).points(), 3u);
}

TEST(WeldedTriangles, ThatCollapseAreDropped) {
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const std::vector<Triangle> t{{0, 1, 2}, {1, 3, 2}, {0, 3, 2}};
  EXPECT_EQ(welded_triangles(t, weld(p)), (std::vector<Triangle>{{0, 1, 2}, {0, 1, 2}}));
}

TEST(ConnectedParts, AreNumberedByTheirFirstVertices) {
  // Two boxes whose vertices interleave, and a lone vertex.
  const Mesh a = test::box({0, 0, 0}, {1, 1, 1}), b = test::box({5, 0, 0}, {6, 1, 1});
  Mesh m;
  for (std::size_t v = 0; v < 8; ++v) {
    m.positions.push_back(b.positions[v]);
    m.positions.push_back(a.positions[v]);
  }
  m.positions.push_back({9, 9, 9});
  for (const Triangle& t : a.triangles) m.triangles.push_back({2 * t[0] + 1, 2 * t[1] + 1, 2 * t[2] + 1});
  for (const Triangle& t : b.triangles) m.triangles.push_back({2 * t[0], 2 * t[1], 2 * t[2]});
  m.normals.resize(m.positions.size());
  compute_normals(m.positions, m.triangles, m.normals);

  const Parts parts = connected_parts(m.positions.size(), m.triangles);
  ASSERT_EQ(parts.count, 3u);
  EXPECT_EQ(parts.of_vertex[0], 0u);
  EXPECT_EQ(parts.of_vertex[1], 1u);
  EXPECT_EQ(parts.of_vertex[16], 2u);
  std::vector<std::uint32_t> source;
  const Mesh second = extract_part(m, parts, 1, &source);
  EXPECT_EQ(second.positions, a.positions);
  EXPECT_EQ(second.triangles, a.triangles);
  ASSERT_EQ(source.size(), 8u);
  for (std::uint32_t v = 0; v < 8; ++v) {
    EXPECT_EQ(source[v], 2 * v + 1);
    EXPECT_EQ(second.normals[v], m.normals[source[v]]);
  }
  EXPECT_EQ(extract_part(m, parts, 2).positions.size(), 1u);
  EXPECT_EQ(connected_parts(0, {}).count, 0u);
}

}  // namespace
}  // namespace supple
