#include "supple/author/scan/targets.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace supple::scan {
namespace {

Mesh with_normals(Mesh mesh) {
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/// 20 by 20 mm, triangles of 1 mm, at height z, seen from above or below.
Mesh sheet(float z, bool up) {
  Mesh mesh;
  for (std::uint32_t j = 0; j <= 20; ++j) {
    for (std::uint32_t i = 0; i <= 20; ++i) {
      mesh.positions.push_back({0.001f * static_cast<float>(i), 0.001f * static_cast<float>(j), z});
    }
  }
  for (std::uint32_t j = 0; j < 20; ++j) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const std::uint32_t a = j * 21 + i, b = a + 1, c = a + 22, d = a + 21;
      mesh.triangles.push_back(up ? Triangle{a, b, c} : Triangle{a, c, b});
      mesh.triangles.push_back(up ? Triangle{a, c, d} : Triangle{a, d, c});
    }
  }
  return mesh;
}

Mesh joined(Mesh a, const Mesh& b) {
  const auto offset = static_cast<std::uint32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  return a;
}

TEST(FacingSurface, LooksPastTheSideThatFacesElsewhere) {
  const Mesh mesh = joined(sheet(0.001f, false), sheet(-0.003f, true));
  const FacingSurface surface(mesh);
  const Vec3d from{0.0103, 0.0098, 0}, up{0, 0, 1};
  const auto found = surface.nearest(from, up, 0.01, 0.5);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->point.z, -0.003, 1e-7);
  EXPECT_NEAR(found->distance, 0.003, 1e-7);
  EXPECT_FALSE(found->at_border);
  EXPECT_NEAR(surface.nearest(from, -up, 0.01, 0.5)->point.z, 0.001, 1e-7);
  EXPECT_FALSE(surface.nearest(from, up, 0.002, 0.5).has_value());
}

TEST(FacingSurface, KnowsWhereTheSurfaceIsOpen) {
  const Mesh mesh = sheet(0, true);
  const Vec3d up{0, 0, 1};
  EXPECT_TRUE(FacingSurface(mesh).nearest({-0.002, 0.01, 0}, up, 0.01, 0.5)->at_border);
  std::vector<bool> border(mesh.positions.size());
  border[10 * 21 + 10] = true;
  EXPECT_TRUE(FacingSurface(mesh, border).nearest({0.0102, 0.0101, 0.001}, up, 0.01, 0.5)->at_border);
  EXPECT_FALSE(FacingSurface(mesh, border).nearest({0.0052, 0.0101, 0.001}, up, 0.01, 0.5)->at_border);
}

TEST(FindTargets, OnlyThoseThatLeadBack) {
  // A ball with a thorn: nothing of the ball belongs to the tip of the thorn, but the tip's way leads to the ball.
  const Mesh scan = with_normals(test::sphere(0.02, 40, 60));
  Mesh skin = scan;
  const std::uint32_t pole = 0;
  skin.positions[pole].y += 0.008f;
  skin = with_normals(skin);
  const auto targets = find_targets(skin, FacingSurface(scan), {.reach = 0.01, .least_cosine = 0.5, .slack = 0.002});
  std::size_t found = 0;
  for (std::size_t v = 61; v < targets.size(); ++v) {  // below the ring that the thorn tilts
    ASSERT_TRUE(targets[v].has_value()) << v;
    EXPECT_LT(length(targets[v]->point - Vec3d(skin.positions[v])), 1e-6);
    ++found;
  }
  EXPECT_GT(found, 2000u);

  std::vector<bool> excluded(skin.positions.size());
  excluded[100] = true;
  EXPECT_FALSE(find_targets(skin, FacingSurface(scan), {}, excluded)[100].has_value());

  // Two sheets of skin over one of the scan: the farther one's way back ends at the nearer one.
  const Mesh one = sheet(0, true), two = with_normals(joined(sheet(0.001f, true), sheet(0.006f, true)));
  const auto layered = find_targets(two, FacingSurface(one), {});
  const std::size_t middle = 10 * 21 + 10, above = middle + one.positions.size();
  EXPECT_TRUE(layered[middle].has_value());
  EXPECT_FALSE(layered[above].has_value());
}

}  // namespace
}  // namespace supple::scan
