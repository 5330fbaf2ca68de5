// Tetrahedral meshes: what is refused, middle nodes, measures against a regular tetrahedron and a box of known angles.
#include "supple/geometry/tet_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "supple/geometry/half_edges.h"

namespace supple {
namespace {

/// Corners of a cube that are no neighbours: edges of length sqrt(2), volume 1/3.
TetMesh regular() { return {{{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}}, 4, {0, 1, 2, 3}}; }

/// n^3 cubes of side 1/n, six elements each about the diagonal (Kuhn).
TetMesh kuhn_cube(std::uint32_t n) {
  TetMesh mesh;
  const auto at = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) { return i + (n + 1) * (j + (n + 1) * k); };
  for (std::uint32_t k = 0; k <= n; ++k)
    for (std::uint32_t j = 0; j <= n; ++j)
      for (std::uint32_t i = 0; i <= n; ++i) mesh.nodes.push_back(Vec3d{1.0 * i, 1.0 * j, 1.0 * k} / n);
  constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint32_t j = 0; j < n; ++j)
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::size_t o = 0; o < 6; ++o) {
          std::array<std::uint32_t, 3> p{i, j, k};
          std::array<std::uint32_t, 4> e{at(i, j, k), 0, 0, 0};
          for (std::size_t s = 0; s < 3; ++s) {
            ++p[static_cast<std::size_t>(orders[o][s])];
            e[s + 1] = at(p[0], p[1], p[2]);
          }
          if (o >= 3) std::swap(e[1], e[2]);  // odd orders are inside out
          mesh.elements.insert(mesh.elements.end(), e.begin(), e.end());
        }
  return mesh;
}

TEST(TetMesh, RegularTetrahedronHasItsAngleVolumeAndEdge) {
  const TetMesh mesh = regular();
  ASSERT_TRUE(validate(mesh).ok()) << validate(mesh).error().message();
  const TetQuality q = quality(mesh);
  EXPECT_NEAR(q.volume, 1.0 / 3, 1e-15);
  EXPECT_NEAR(q.min_dihedral_degrees, 70.528779365509308, 1e-12);  // acos(1/3)
  EXPECT_NEAR(q.max_dihedral_degrees, 70.528779365509308, 1e-12);
  EXPECT_NEAR(q.first_percentile_degrees, 70.528779365509308, 1e-12);
  EXPECT_NEAR(q.min_edge, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(q.mean_edge, std::sqrt(2.0), 1e-15);
  EXPECT_EQ(q.dihedral_histogram[7], 6u);
  EXPECT_EQ(q.components, 1u);
  EXPECT_EQ(boundary_triangles(mesh).size(), 4u);
}

TEST(TetMesh, QualityNamesTheWorstElements) {
  TetMesh mesh = kuhn_cube(2);
  const TetQuality before = quality(mesh);
  EXPECT_NEAR(before.volume, 1, 1e-14);
  EXPECT_NEAR(before.min_dihedral_degrees, 45, 1e-12);
  EXPECT_NEAR(before.max_dihedral_degrees, 90, 1e-12);
  std::size_t angles = 0;
  for (const std::size_t n : before.dihedral_histogram) angles += n;
  EXPECT_EQ(angles, 6 * mesh.element_count());
  // A flat element apart from the others.
  const auto first = static_cast<std::uint32_t>(mesh.nodes.size());
  for (const Vec3d p : {Vec3d{5, 0, 0}, Vec3d{6, 0, 0}, Vec3d{5, 1, 0}, Vec3d{5.3, 0.3, 0.01}}) mesh.nodes.push_back(p);
  mesh.elements.insert(mesh.elements.end(), {first, first + 1, first + 2, first + 3});
  const TetQuality after = quality(mesh);
  EXPECT_EQ(after.min_dihedral_element, 48u);
  EXPECT_EQ(after.max_dihedral_element, 48u);
  EXPECT_LT(after.min_dihedral_degrees, 3);
  EXPECT_GT(after.max_dihedral_degrees, 170);
  EXPECT_EQ(after.components, 2u);
  std::size_t dropped = 0;
  const TetMesh largest = largest_component(mesh, &dropped);
  EXPECT_EQ(dropped, 1u);
  EXPECT_EQ(largest.nodes.size(), 27u);
  EXPECT_EQ(largest.elements, kuhn_cube(2).elements);
}

TEST(TetMesh, BoundaryIsClosedAndOutward) {
  const TetMesh mesh = kuhn_cube(3);
  ASSERT_TRUE(validate(mesh).ok()) << validate(mesh).error().message();
  const TetBoundary boundary = boundary_faces(mesh);
  EXPECT_EQ(boundary.triangles.size(), 6u * 9 * 2);
  EXPECT_TRUE(HalfEdges::build(mesh.nodes.size(), boundary.triangles).ok());
  std::vector<Vec3f> positions;
  for (const Vec3d& p : mesh.nodes) positions.emplace_back(p);
  EXPECT_NEAR(enclosed_volume(positions, boundary.triangles), 1, 1e-6);
  for (std::size_t t = 0; t < boundary.triangles.size(); ++t) {
    const auto element = mesh.element(boundary.elements[t]);
    for (const std::uint32_t v : boundary.triangles[t]) {
      EXPECT_NE(std::find(element.begin(), element.end(), v), element.end());
    }
  }
}

TEST(TetMesh, PartsThatTouchInAnEdgeAreSeparate) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -1}}, 4, {0, 1, 2, 3, 0, 1, 4, 5}};
  ASSERT_TRUE(validate(mesh).ok());
  EXPECT_EQ(connected_parts(mesh).sizes, (std::vector<std::size_t>{1, 1}));
}

TEST(TetMesh, QuadraticNodesLieOnceInTheMiddleOfEachEdge) {
  const TetMesh linear = kuhn_cube(2), mesh = to_quadratic(linear);
  ASSERT_TRUE(validate(mesh).ok()) << validate(mesh).error().message();
  ASSERT_EQ(mesh.nodes_per_element, 10u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    const auto n = mesh.element(e);
    for (std::size_t k = 0; k < 6; ++k) {
      const std::uint32_t a = n[tet_edges[k][0]], b = n[tet_edges[k][1]];
      edges.insert(std::minmax(a, b));
      EXPECT_EQ(mesh.nodes[n[4 + k]], (mesh.nodes[a] + mesh.nodes[b]) * 0.5);
    }
  }
  EXPECT_EQ(mesh.nodes.size(), linear.nodes.size() + edges.size());
  EXPECT_EQ(mesh.nodes.size(), 125u);  // the grid of half the spacing
  EXPECT_EQ(to_quadratic(mesh).elements, mesh.elements);
  EXPECT_EQ(to_quadratic(linear).elements, mesh.elements);
  EXPECT_EQ(quality(mesh).dihedral_histogram, quality(linear).dihedral_histogram);
}

TEST(TetMesh, ValidateNamesWhatIsWrong) {
  const auto problem = [](const TetMesh& mesh) {
    const Result<void> result = validate(mesh);
    return result ? std::string() : result.error().message();
  };
  TetMesh mesh = kuhn_cube(1);
  mesh.elements[4 * 3 + 2] = 99;
  EXPECT_NE(problem(mesh).find("element 3: names node 99"), std::string::npos) << problem(mesh);
  mesh = kuhn_cube(1);
  mesh.elements[4 * 2] = mesh.elements[4 * 2 + 1];
  EXPECT_NE(problem(mesh).find("element 2: names node"), std::string::npos) << problem(mesh);
  mesh = kuhn_cube(1);
  std::swap(mesh.elements[4 * 4], mesh.elements[4 * 4 + 1]);
  EXPECT_NE(problem(mesh).find("element 4: has a volume of -"), std::string::npos) << problem(mesh);
  mesh = kuhn_cube(1);
  mesh.nodes[5].y = NAN;
  EXPECT_NE(problem(mesh).find("node 5"), std::string::npos) << problem(mesh);
  mesh = kuhn_cube(1);
  for (std::size_t i = 0; i < 4; ++i) mesh.elements.push_back(mesh.elements[i]);
  EXPECT_NE(problem(mesh).find("element 6: overlaps"), std::string::npos) << problem(mesh);
  mesh.elements.pop_back();
  EXPECT_NE(problem(mesh).find("ends within"), std::string::npos) << problem(mesh);
  mesh = to_quadratic(regular());
  mesh.nodes[mesh.elements[4]] = mesh.nodes[mesh.elements[3]];  // the middle of edge 01 beyond the element
  EXPECT_NE(problem(mesh).find("element 0: is bent"), std::string::npos) << problem(mesh);
  mesh.nodes_per_element = 5;
  EXPECT_NE(problem(mesh).find("5 nodes per element"), std::string::npos) << problem(mesh);
  EXPECT_TRUE(validate(TetMesh{}).ok());
  EXPECT_EQ(quality(TetMesh{}).components, 0u);
  EXPECT_EQ(largest_component(TetMesh{}).element_count(), 0u);
}

}  // namespace
}  // namespace supple
