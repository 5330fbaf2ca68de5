// Holes: loops with known size, caps that close and keep what was there, surfaces that have no simple loops.
#include "supple/geometry/holes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/geometry/half_edges.h"
#include "support/shapes.h"

namespace supple {
namespace {

using test::pi;

/// About y, from y = 0 to `height`, without ends.
Mesh tube(double radius, double height, std::uint32_t segments) {
  Mesh mesh;
  for (const double y : {0.0, height}) {
    for (std::uint32_t s = 0; s < segments; ++s) {
      const double angle = 2 * pi * s / segments;
      mesh.positions.push_back(Vec3f(Vec3d{radius * std::sin(angle), y, radius * std::cos(angle)}));
    }
  }
  for (std::uint32_t s = 0; s < segments; ++s) {
    const std::uint32_t t = (s + 1) % segments;
    mesh.triangles.push_back({s, t, segments + t});
    mesh.triangles.push_back({s, segments + t, segments + s});
  }
  return mesh;
}

void expect_closed(const ClosedSurface& closed, const Mesh& original, double volume) {
  const Weld points = weld(closed.mesh.positions);
  const Defects defects = find_defects(closed.mesh.positions, closed.mesh.triangles, points.to_point);
  EXPECT_EQ(defects.boundary_edges, 0u);
  EXPECT_EQ(defects.non_manifold_edges, 0u);
  EXPECT_EQ(defects.degenerate_triangles, 0u);
  EXPECT_TRUE(closed.open.empty());
  EXPECT_NEAR(enclosed_volume(closed.mesh.positions, closed.mesh.triangles), volume, 1e-5 * volume);
  // What was there is still there, under the same numbers.
  ASSERT_GE(closed.mesh.positions.size(), original.positions.size());
  EXPECT_TRUE(std::equal(original.positions.begin(), original.positions.end(), closed.mesh.positions.begin()));
  EXPECT_TRUE(std::equal(original.triangles.begin(), original.triangles.end(), closed.mesh.triangles.begin()));
  std::size_t next = original.triangles.size();
  for (const Cap& cap : closed.caps) {
    EXPECT_EQ(cap.first_triangle, next);
    next += cap.triangle_count;
  }
  EXPECT_EQ(next, closed.mesh.triangles.size());
}

TEST(Holes, BoxWithoutLid) {
  Mesh mesh = test::box({0, 0, 0}, {2, 3, 4});
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return mesh.positions[v].y == 3; });
  });
  ASSERT_EQ(mesh.triangles.size(), 10u);
  for (const Mesh& version : {mesh, test::unshared(mesh)}) {
    const std::vector<Hole> holes = find_holes(version);
    ASSERT_EQ(holes.size(), 1u);
    const Hole& hole = holes[0];
    EXPECT_TRUE(hole.simple);
    EXPECT_EQ(hole.vertices.size(), 4u);
    EXPECT_NEAR(hole.perimeter, 12, 1e-12);
    EXPECT_NEAR(hole.area, 8, 1e-12);
    EXPECT_NEAR(hole.off_plane, 0, 1e-12);
    EXPECT_NEAR(length(hole.centre - Vec3d{1, 3, 2}), 0, 1e-12);
    EXPECT_NEAR(hole.normal.y, 1, 1e-12);
    const ClosedSurface closed = close_holes(version);
    ASSERT_EQ(closed.caps.size(), 1u);
    EXPECT_EQ(closed.caps[0].triangle_count, 2u);
    EXPECT_FALSE(closed.caps[0].centre_vertex.has_value());
    expect_closed(closed, version, 24);
  }
}

TEST(Holes, TubeWithTwoEnds) {
  for (const std::uint32_t segments : {3u, 20u, 300u, 301u}) {  // the last is too long to plan
    const Mesh mesh = tube(0.5, 2, segments);
    const double area = 0.5 * segments * 0.25 * std::sin(2 * pi / segments);
    const std::vector<Hole> holes = find_holes(mesh);
    ASSERT_EQ(holes.size(), 2u);
    for (const Hole& hole : holes) {
      EXPECT_NEAR(hole.area, area, 1e-6);
      EXPECT_NEAR(hole.perimeter, 2 * 0.5 * segments * std::sin(pi / segments), 1e-5);
      EXPECT_NEAR(hole.normal.y, hole.centre.y > 1 ? 1 : -1, 1e-6);
      EXPECT_TRUE(hole.simple);
    }
    const ClosedSurface closed = close_holes(mesh);
    expect_closed(closed, mesh, 2 * area);
    EXPECT_EQ(closed.caps.size(), 2u);
    EXPECT_EQ(closed.caps[0].centre_vertex.has_value(), segments > 300);
  }
}

TEST(Holes, FlatCapsHaveNoOverlapsWhateverTheirOutline) {
  // A star-shaped tube: least area is reached only where no triangle leaves the outline.
  Mesh mesh = tube(1, 1, 24);
  for (Vec3f& p : mesh.positions) {
    const bool inner = (&p - mesh.positions.data()) % 2 == 0;
    if (inner) p = {p.x * 0.3f, p.y, p.z * 0.3f};
  }
  const double area = 24 * 0.5 * 0.3 * std::sin(2 * pi / 24);
  const ClosedSurface closed = close_holes(mesh);
  expect_closed(closed, mesh, area);
  double cap_area = 0;
  for (const Cap& cap : closed.caps) {
    cap_area += surface_area(closed.mesh.positions,
                             std::span(closed.mesh.triangles).subspan(cap.first_triangle, cap.triangle_count));
  }
  EXPECT_NEAR(cap_area, 2 * area, 1e-5);
}

TEST(Holes, LargeHolesStayOpenWhenAsked) {
  Mesh mesh = test::sphere(1, 20, 40);
  mesh.triangles.erase(mesh.triangles.begin() + 100, mesh.triangles.begin() + 101);
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return mesh.positions[t[0]].y < -0.5f; });
  CloseOptions options;
  options.max_perimeter = 1;
  const ClosedSurface closed = close_holes(mesh, options);
  EXPECT_EQ(closed.caps.size(), 1u);
  ASSERT_EQ(closed.open.size(), 1u);
  EXPECT_GT(closed.open[0].perimeter, 4);
  EXPECT_TRUE(closed.open[0].simple);
}

TEST(Holes, ExistingEdgesAreNotUsedAgain) {
  // The rim's every second vertex pair is joined by an edge of the surface: flaps stand on the rim of the lower hole.
  Mesh mesh = tube(1, 1, 6);
  const auto flap = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh.triangles.push_back({a, c, b}); };
  flap(0, 1, 2);
  flap(2, 3, 4);
  flap(4, 5, 0);
  const std::vector<Hole> holes = find_holes(mesh);
  ASSERT_EQ(holes.size(), 2u);
  EXPECT_EQ(std::min(holes[0].vertices.size(), holes[1].vertices.size()), 3u);
  // A quadrilateral hole whose two diagonals exist already needs a vertex of its own.
  Mesh cage = test::box({0, 0, 0}, {1, 1, 1});
  std::erase_if(cage.triangles, [&](const Triangle& t) {
    return std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return cage.positions[v].y == 1; });
  });
  const auto first = static_cast<std::uint32_t>(cage.positions.size());
  cage.positions.push_back({5, 5, 5});
  // Thin extra triangles that own the diagonals 2-7 and 3-6; their other sides are boundaries of their own.
  cage.triangles.push_back({2, 7, first});
  cage.triangles.push_back({3, 6, first});
  const ClosedSurface closed = close_holes(cage);
  std::size_t lids = 0;
  for (const Cap& cap : closed.caps) {
    if (cap.hole.vertices.size() != 4) continue;
    ++lids;
    ASSERT_TRUE(cap.centre_vertex.has_value());
    EXPECT_EQ(closed.mesh.positions[*cap.centre_vertex], (Vec3f{0.5f, 1, 0.5f}));
    EXPECT_EQ(cap.triangle_count, 4u);
  }
  EXPECT_EQ(lids, 1u);
}

TEST(Holes, HolesThatMeetInAVertexAreSeparate) {
  const Mesh whole = test::sphere(1, 6, 8);
  Mesh mesh = whole;
  const std::uint32_t pole = 0;
  std::size_t seen = 0;
  std::erase_if(mesh.triangles,
                [&](const Triangle& t) { return std::find(t.begin(), t.end(), pole) != t.end() && seen++ % 4 == 0; });
  ASSERT_EQ(mesh.triangles.size(), whole.triangles.size() - 2);
  const std::vector<Hole> holes = find_holes(mesh);
  ASSERT_EQ(holes.size(), 2u);
  for (const Hole& hole : holes) {
    EXPECT_TRUE(hole.simple);
    EXPECT_EQ(hole.vertices.size(), 3u);
  }
  expect_closed(close_holes(mesh), mesh, enclosed_volume(whole.positions, whole.triangles));
}

TEST(Holes, LoopsThatAreNotSimpleStayOpen) {
  // Three triangles at one edge.
  Mesh fins;
  fins.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
  fins.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  const std::vector<Hole> holes = find_holes(fins);
  ASSERT_FALSE(holes.empty());
  for (const Hole& hole : holes) EXPECT_FALSE(hole.simple);
  const ClosedSurface closed = close_holes(fins);
  EXPECT_TRUE(closed.caps.empty());
  EXPECT_EQ(closed.open.size(), holes.size());
  EXPECT_EQ(closed.mesh.triangles, fins.triangles);
  CloseOptions options;
  options.manifold_only = false;
  const Mesh balanced = close_holes(fins, options).mesh;
  EXPECT_EQ(find_defects(balanced.positions, balanced.triangles).unbalanced_edges, 0u);

  EXPECT_TRUE(find_holes(Mesh{}).empty());
  EXPECT_TRUE(find_holes(test::sphere(1, 6, 8)).empty());
  EXPECT_TRUE(close_holes(test::sphere(1, 6, 8)).caps.empty());
}

}  // namespace
}  // namespace supple
