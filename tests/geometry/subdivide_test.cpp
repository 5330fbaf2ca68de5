// Loop subdivision against closed forms and a second implementation that walks round every vertex by brute force.
#include "supple/geometry/subdivide.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;
Edge edge_of(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

Vec3f random_point(Rng& random) { return Vec3f(Vec3d{random.uniform(), random.uniform(), random.uniform()}); }

/// Loop's rules spelt out for manifold meshes without seams, in double precision.
struct Naive {
  std::vector<Vec3d> vertices;
  std::map<Edge, Vec3d> middles;
};
Naive naive_loop(const Mesh& m) {
  std::map<Edge, std::vector<std::uint32_t>> opposite;
  for (const Triangle& t : m.triangles) {
    for (std::size_t k = 0; k < 3; ++k) opposite[edge_of(t[k], t[(k + 1) % 3])].push_back(t[(k + 2) % 3]);
  }
  const auto at = [&](std::uint32_t v) { return Vec3d(m.positions[v]); };
  Naive result;
  for (const auto& [e, others] : opposite) {
    result.middles[e] = others.size() == 2
                            ? (at(e.first) + at(e.second)) * 0.375 + (at(others[0]) + at(others[1])) * 0.125
                            : (at(e.first) + at(e.second)) * 0.5;
  }
  for (std::uint32_t v = 0; v < m.positions.size(); ++v) {
    Vec3d ring{}, rim{};
    double n = 0, ends = 0;
    for (const auto& [e, others] : opposite) {
      if (e.first != v && e.second != v) continue;
      const Vec3d other = at(e.first == v ? e.second : e.first);
      ring += other;
      ++n;
      if (others.size() == 1) {
        rim += other;
        ++ends;
      }
    }
    const double c = 3.0 / 8 + 1.0 / 4 * std::cos(2 * test::pi / n), alpha = 5.0 / 8 - c * c;
    result.vertices.push_back(ends == 2 ? at(v) * 0.75 + rim * 0.125 : at(v) * (1 - alpha) + ring * (alpha / n));
  }
  return result;
}

/// Single precision at the mesh's size, a few roundings.
constexpr double rounding = 3e-7;

void expect_as_naive(const Mesh& mesh) {
  const Mesh fine = subdivide(mesh).value();
  const Naive naive = naive_loop(mesh);
  const Refinement r = refine_loop(mesh.positions.size(), mesh.triangles, weld(mesh.positions)).value();
  ASSERT_EQ(fine.positions.size(), naive.vertices.size() + naive.middles.size());
  ASSERT_EQ(r.edges.size(), naive.middles.size());
  for (std::size_t v = 0; v < naive.vertices.size(); ++v)
    EXPECT_LT(length(Vec3d(fine.positions[v]) - naive.vertices[v]), rounding) << v;
  for (std::size_t e = 0; e < r.edges.size(); ++e) {
    const Vec3d expected = naive.middles.at({r.edges[e][0], r.edges[e][1]});
    EXPECT_LT(length(Vec3d(fine.positions[naive.vertices.size() + e]) - expected), rounding) << e;
  }
}

/// The triangular grid of the plane, sheared into squares: n by m cells.
Mesh grid(std::uint32_t n, std::uint32_t m) {
  Mesh mesh;
  for (std::uint32_t j = 0; j <= m; ++j) {
    for (std::uint32_t i = 0; i <= n; ++i) mesh.positions.push_back({static_cast<float>(i), static_cast<float>(j), 0});
  }
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return j * (n + 1) + i; };
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

Mesh icosahedron() {
  Mesh m;
  const float g = 1.618034f;
  for (const float a : {-1.0f, 1.0f}) {
    for (const float b : {-g, g}) {
      m.positions.push_back({0, a, b});
      m.positions.push_back({a, b, 0});
      m.positions.push_back({b, 0, a});
    }
  }
  // Triples at mutual distance 2, turned outward.
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (std::uint32_t j = i + 1; j < 12; ++j) {
      for (std::uint32_t k = j + 1; k < 12; ++k) {
        const Vec3f a = m.positions[i], b = m.positions[j], c = m.positions[k];
        if (length(a - b) > 2.01f || length(b - c) > 2.01f || length(c - a) > 2.01f) continue;
        const bool outward = dot(cross(b - a, c - a), a) > 0;
        m.triangles.push_back(outward ? Triangle{i, j, k} : Triangle{i, k, j});
      }
    }
  }
  return m;
}

TEST(Subdivide, AgreesWithANaiveImplementation) {
  expect_as_naive(icosahedron());
  expect_as_naive(test::sphere(1, 7, 9));
  expect_as_naive(test::torus(1, 0.3, 12, 8));
  expect_as_naive(test::box({-1, -1, -1}, {1, 1, 1}));  // valences 4, 5 and 6
  Rng random(7);
  Mesh rough = grid(6, 5);
  for (Vec3f& p : rough.positions) p = (p + random_point(random)) * 0.1f;
  expect_as_naive(rough);
}

TEST(Subdivide, AFlatRegularPatchIsItself) {
  const Mesh mesh = grid(8, 8), fine = subdivide(mesh).value();
  const auto inside = [](Vec3f p) { return p.x > 0 && p.y > 0 && p.x < 8 && p.y < 8; };
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (inside(mesh.positions[v])) {  // linear functions are reproduced where six neighbours lie round a vertex
      EXPECT_LT(length(fine.positions[v] - mesh.positions[v]), 1e-6f);
    }
  }
  for (const Vec3f& p : fine.positions) EXPECT_EQ(p.z, 0);
  const Refinement r = refine_loop(mesh.positions.size(), mesh.triangles, weld(mesh.positions)).value();
  for (std::size_t e = 0; e < r.edges.size(); ++e) {
    const Vec3f middle = (mesh.positions[r.edges[e][0]] + mesh.positions[r.edges[e][1]]) * 0.5f;
    EXPECT_LT(length(fine.positions[mesh.positions.size() + e] - middle), 1e-6f);
  }
}

TEST(Subdivide, AnIcosahedronTendsToItsLimit) {
  // The limit of a vertex is (1 - n g) v + g sum of its neighbours, g = 1 / (3 / (8 b) + n): the left eigenvector of
  // the subdivision matrix. By symmetry the twelve vertices go along their own directions.
  const double b = (5.0 / 8 - std::pow(3.0 / 8 + std::cos(2 * test::pi / 5) / 4, 2)) / 5, g = 1 / (3 / (8 * b) + 5);
  const double radius = length(Vec3d{0, 1, 1.618034});
  // A neighbour's component along the vertex is cos(63.43 degrees) = 1 / sqrt(5) of the radius.
  const double limit = radius * (1 - 5 * g + 5 * g / std::sqrt(5.0));
  Mesh mesh = icosahedron();
  for (int level = 0; level < 5; ++level) mesh = subdivide(mesh).value();
  for (std::size_t v = 0; v < 12; ++v) EXPECT_NEAR(length(Vec3d(mesh.positions[v])), limit, 2e-4 * limit);
  EXPECT_EQ(mesh.triangles.size(), 20u * 1024);
}

std::ptrdiff_t euler_of(const Mesh& m) {
  std::set<Edge> edges;
  for (const Triangle& t : m.triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.insert(edge_of(t[k], t[(k + 1) % 3]));
  return static_cast<std::ptrdiff_t>(m.positions.size() + m.triangles.size()) -
         static_cast<std::ptrdiff_t>(edges.size());
}

TEST(Subdivide, KeepsTheTopology) {
  const std::pair<Mesh, std::ptrdiff_t> shapes[] = {
      {icosahedron(), 2}, {test::torus(1, 0.3, 9, 5), 0}, {grid(3, 4), 1}, {test::sphere(1, 5, 6), 2}};
  for (const auto& [mesh, characteristic] : shapes) {
    const Mesh once = subdivide(mesh).value(), twice = subdivide(once).value();
    EXPECT_EQ(twice.triangles.size(), 16 * mesh.triangles.size());
    EXPECT_EQ(euler_of(twice), characteristic);
    const Defects before = find_defects(mesh.positions, mesh.triangles),
                  after = find_defects(twice.positions, twice.triangles);
    EXPECT_EQ(after.boundary_edges, 4 * before.boundary_edges);
    EXPECT_EQ(after.non_manifold_edges, 0u);
    EXPECT_EQ(after.degenerate_triangles, 0u);
    EXPECT_TRUE(validate(twice));
  }
}

TEST(Subdivide, TheRimIsACubicBSpline) {
  Mesh mesh = grid(5, 4);
  Rng random(3);
  for (Vec3f& p : mesh.positions) p = p + random_point(random) * 0.5f;
  std::vector<std::uint32_t> rim;  // counter-clockwise
  for (std::uint32_t i = 0; i < 5; ++i) rim.push_back(i);
  for (std::uint32_t j = 0; j < 4; ++j) rim.push_back(5 + 6 * j);
  for (std::uint32_t i = 5; i > 0; --i) rim.push_back(24 + i);
  for (std::uint32_t j = 4; j > 0; --j) rim.push_back(6 * j);
  // Where a uniform cubic B-spline meets its knots: (p[i-1] + 4 p[i] + p[i+1]) / 6, for every level's curve the same.
  std::vector<Vec3d> limit;
  for (std::size_t i = 0; i < rim.size(); ++i) {
    const auto at = [&](std::size_t k) { return Vec3d(mesh.positions[rim[k % rim.size()]]); };
    limit.push_back((at(i + rim.size() - 1) + at(i) * 4.0 + at(i + 1)) * (1.0 / 6));
  }
  for (int level = 0; level < 5; ++level) mesh = subdivide(mesh).value();
  // The distance of control points from the curve falls to a quarter with each level: 4^-5 of the steps between them.
  for (std::size_t i = 0; i < rim.size(); ++i) EXPECT_LT(length(Vec3d(mesh.positions[rim[i]]) - limit[i]), 1e-3) << i;
}

TEST(Subdivide, WeightsArePositiveAndSumToOne) {
  for (const Mesh& mesh : {icosahedron(), grid(4, 3), test::sphere(1, 4, 40), test::unshared(icosahedron())}) {
    const Refinement r = refine_loop(mesh.positions.size(), mesh.triangles, weld(mesh.positions)).value();
    ASSERT_EQ(r.first.size(), r.weld.points() + 1);
    for (std::size_t p = 0; p < r.weld.points(); ++p) {
      double sum = 0;
      for (std::uint32_t i = r.first[p]; i < r.first[p + 1]; ++i) {
        EXPECT_GT(r.weight[i], 0);
        EXPECT_LT(r.from[i], mesh.positions.size());
        sum += double{r.weight[i]};
      }
      EXPECT_NEAR(sum, 1, 1e-6);  // rounded to float one by one
    }
  }
}

TEST(Subdivide, SeamsStayClosed) {
  const Mesh joined = test::sphere(1, 6, 9), split = test::unshared(joined);
  const Mesh fine = subdivide(subdivide(split).value()).value();
  const Mesh expected = subdivide(subdivide(joined).value()).value();
  ASSERT_EQ(fine.triangles.size(), expected.triangles.size());
  // Corner by corner the same surface, up to the order in which neighbours are summed.
  for (std::size_t t = 0; t < fine.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3f a = fine.positions[fine.triangles[t][k]], b = expected.positions[expected.triangles[t][k]];
      EXPECT_LT(length(a - b), 5e-7f);
    }
  const Weld points = weld(fine.positions);
  EXPECT_EQ(points.points(), expected.positions.size());
  EXPECT_TRUE(find_defects(fine.positions, fine.triangles, points.to_point).closed());
}

TEST(Subdivide, TheNewWeldIsTheWeldOfTheNewPositions) {
  const Mesh mesh = test::unshared(test::sphere(1, 6, 9));
  const Refinement r = refine_loop(mesh.positions.size(), mesh.triangles, weld(mesh.positions)).value();
  const Weld again = weld(refine(r, mesh.positions));
  EXPECT_EQ(r.weld.to_point, again.to_point);
  EXPECT_EQ(r.weld.to_vertex, again.to_vertex);
}

TEST(Subdivide, TextureCoordinatesAreLinearOnEachSide) {
  const Mesh mesh = test::unshared(grid(1, 1));
  const std::vector<std::array<float, 2>> uv{{0, 0}, {1, 0}, {1, 1}, {5, 5}, {6, 6}, {5, 6}};
  const Refinement r = refine_loop(6, mesh.triangles, weld(mesh.positions)).value();
  const auto fine = refine_linearly<2>(r, uv);
  ASSERT_EQ(fine.size(), r.vertices());
  for (std::size_t v = 0; v < 6; ++v) EXPECT_EQ(fine[v], uv[v]);
  for (std::size_t e = 0; e < r.edges.size(); ++e) {
    const auto [a, b] = r.edges[e];
    EXPECT_EQ(fine[6 + e], (std::array{(uv[a][0] + uv[b][0]) / 2, (uv[a][1] + uv[b][1]) / 2}));
  }
}

TEST(Subdivide, OddMeshesAreTaken) {
  const std::vector<std::pair<const char*, std::vector<Triangle>>> cases{
      {"nothing", {}},
      {"one triangle", {{0, 1, 2}}},
      {"three sheets on one edge", {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}},
      {"neighbours that disagree about the outside", {{0, 1, 2}, {0, 1, 3}}},
      {"the same triangle twice", {{0, 1, 2}, {0, 1, 2}}},
      {"front and back", {{0, 1, 2}, {0, 2, 1}}},
      {"two cones at one tip", {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 5, 4}, {0, 6, 5}, {0, 4, 6}}},
      {"triangles without area", {{0, 0, 1}, {1, 1, 1}, {0, 1, 2}}}};
  std::vector<Vec3f> positions;
  Rng random(11);
  for (int v = 0; v < 7; ++v) positions.push_back(random_point(random));
  for (const auto& [name, triangles] : cases) {
    Mesh mesh{positions, {}, triangles};
    for (int level = 0; level < 3; ++level) {
      auto fine = subdivide(mesh);
      ASSERT_TRUE(fine) << name;
      EXPECT_EQ(fine->triangles.size(), 4 * mesh.triangles.size()) << name;
      EXPECT_TRUE(validate(*fine)) << name;
      mesh = std::move(*fine);
    }
    for (const Vec3f& p : mesh.positions) {  // positive weights keep the hull
      EXPECT_GE(p.x, 0) << name;
      EXPECT_LE(p.x, 1) << name;
    }
  }
  // The tip of two cones and the ends of unlike curves are not pulled to either side.
  const Mesh tip = subdivide(Mesh{positions, {}, cases[6].second}).value();
  EXPECT_EQ(tip.positions[0], positions[0]);
  // Three sheets: the common edge has one curve for all.
  const Mesh sheets = subdivide(Mesh{positions, {}, cases[2].second}).value();
  EXPECT_EQ(sheets.positions.size(), 7u + 7u);
}

TEST(Subdivide, BadMeshesAreNamed) {
  const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}, {{0, 1, 2}, {0, 1, 3}}};
  const auto fine = subdivide(mesh);
  ASSERT_FALSE(fine);
  EXPECT_NE(fine.error().message().find("triangle 1"), std::string::npos) << fine.error().message();
  EXPECT_FALSE(refine_loop(3, mesh.triangles, weld(mesh.positions)));
  EXPECT_FALSE(refine_loop(4, mesh.triangles, weld(mesh.positions))) << "the weld is of three vertices";
}

TEST(Subdivide, TheSameBytesWithAnyNumberOfThreads) {
  const Mesh mesh = test::torus(1, 0.3, 120, 60);
  set_thread_count(1);
  const Mesh one = subdivide(mesh).value();
  set_thread_count(5);
  const Mesh five = subdivide(mesh).value();
  set_thread_count(0);
  EXPECT_EQ(one.positions, five.positions);
  EXPECT_EQ(one.triangles, five.triangles);
}

}  // namespace
}  // namespace supple
