// Simplification meets its number, stays closed, and changes the shape as little as its promise.
#include "supple/geometry/simplify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/geometry/half_edges.h"
#include "supple/geometry/isosurface.h"

namespace supple {
namespace {

Mesh torus_mesh() {
  const Grid grid{{-1, -1, -1}, {0.05, 0.05, 0.05}, {41, 41, 41}};
  return isosurface([](Vec3d p) { return std::hypot(std::hypot(p.x, p.y) - 0.6, p.z) - 0.25; }, grid);
}

TEST(Simplify, TorusKeepsItsHandleAndMostOfItsVolume) {
  const double truth = 2 * std::numbers::pi * std::numbers::pi * 0.6 * 0.0625;
  for (const std::size_t vertices : {1000u, 300u, 120u}) {
    const auto mesh = simplify(torus_mesh(), vertices);
    ASSERT_TRUE(mesh.ok());
    EXPECT_EQ(mesh->positions.size(), vertices);
    EXPECT_EQ(mesh->triangles.size(), 2 * vertices);  // V - E + F = 0
    EXPECT_TRUE(HalfEdges::build(mesh->positions.size(), mesh->triangles).ok());
    EXPECT_NEAR(enclosed_volume(mesh->positions, mesh->triangles) / truth, 1,
                20.0 / static_cast<double>(vertices));  // ~ edge^2 ~ 1 / vertices
  }
}

TEST(Simplify, FlatFacesCostNothing) {
  // A cube in fine triangles, its corners and edges bevelled by the grid: eight corners carry nearly all of it.
  const Grid grid{{-1, -1, -1}, {0.1, 0.1, 0.1}, {21, 21, 21}};
  const Mesh cube = isosurface(
      [](Vec3d p) {
        return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) - 0.75;
      },
      grid);
  const auto mesh = simplify(cube, 60);
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh->positions.size(), 60u);
  EXPECT_NEAR(enclosed_volume(mesh->positions, mesh->triangles), 1.5 * 1.5 * 1.5, 0.1);
}

TEST(Simplify, LeavesSmallMeshesAndRefusesOpenOnes) {
  Mesh mesh = torus_mesh();
  const auto same = simplify(mesh, 1000000);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->positions, mesh.positions);
  mesh.triangles.pop_back();
  EXPECT_FALSE(simplify(mesh, 100).ok());
}

}  // namespace
}  // namespace supple
