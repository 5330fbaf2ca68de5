// The isosurface is closed, manifold and oriented for any signs, and converges to the true surface.
#include "supple/geometry/isosurface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/isosurface_cases.h"

namespace supple {
namespace {

Grid cube_grid(std::size_t n, double low, double high) {
  const double h = (high - low) / static_cast<double>(n - 1);
  return {{low, low, low}, {h, h, h}, {n, n, n}};
}

std::vector<float> sampled(const Grid& grid, const Field& field) {
  std::vector<float> values;
  for (std::size_t k = 0; k < grid.size[2]; ++k)
    for (std::size_t j = 0; j < grid.size[1]; ++j)
      for (std::size_t i = 0; i < grid.size[0]; ++i) values.push_back(static_cast<float>(field(grid.point(i, j, k))));
  return values;
}

// HalfEdges::build refuses boundaries, edges with more than two triangles and vertices with more than one fan.
void expect_closed_manifold(const Mesh& mesh) {
  const Defects defects = find_defects(mesh.positions, mesh.triangles);
  EXPECT_EQ(defects.boundary_edges, 0u);
  EXPECT_EQ(defects.non_manifold_edges, 0u);
  EXPECT_EQ(defects.degenerate_triangles, 0u);
  EXPECT_EQ(defects.unused_vertices, 0u);
  const auto surface = HalfEdges::build(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(surface.ok()) << surface.error().message();
}

long euler_characteristic(const Mesh& mesh) {
  const long v = static_cast<long>(mesh.positions.size()), t = static_cast<long>(mesh.triangles.size());
  return v - 3 * t / 2 + t;
}

double iso_sphere(Vec3d p) { return length(p) - 0.7; }
double torus(Vec3d p) { return std::hypot(std::hypot(p.x, p.y) - 0.6, p.z) - 0.25; }

TEST(Isosurface, EveryCubeCaseIsClosedInsideOneCellBorder) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const Grid grid = cube_grid(4, 0, 3);
    std::vector<float> values(grid.samples(), 1.0f);
    for (unsigned c = 0; c < 8; ++c) {
      if ((bits >> c) & 1u) values[(1 + (c & 1u)) + 4 * ((1 + ((c >> 1) & 1u)) + 4 * (1 + (c >> 2)))] = -1.0f;
    }
    const Mesh mesh = isosurface(grid, values);
    expect_closed_manifold(mesh);
    if (HasFailure()) FAIL() << "case " << bits;
    // Half-way vertices: an inside corner alone is an octahedron of volume 1/6, so the volume is positive and bounded.
    if (bits != 0) {
      EXPECT_GT(enclosed_volume(mesh.positions, mesh.triangles), 0.16) << "case " << bits;
    }
    EXPECT_EQ(detail::cube_cases[bits].count == 0, bits == 0 || bits == 255);
  }
}

TEST(Isosurface, RandomSignsGiveClosedManifoldsWithTheInsideBelow) {
  Rng rng(7);
  std::size_t checked = 0;
  for (int round = 0; round < 20; ++round) {
    const Grid grid{{-1, 2, 5}, {0.5, 0.25, 1}, {9, 12, 10}};
    std::vector<float> values(grid.samples());
    const double share = rng.uniform(0.1, 0.9);
    std::size_t at = 0;
    for (std::size_t k = 0; k < grid.size[2]; ++k)
      for (std::size_t j = 0; j < grid.size[1]; ++j)
        for (std::size_t i = 0; i < grid.size[0]; ++i, ++at) {
          const bool border =
              i == 0 || j == 0 || k == 0 || i + 1 == grid.size[0] || j + 1 == grid.size[1] || k + 1 == grid.size[2];
          // Exact zeros and equal magnitudes are the hard cases.
          const float size = rng.below(4) == 0 ? 0.0f : static_cast<float>(rng.uniform(0.01, 1));
          values[at] = !border && rng.uniform() < share ? -size : size;
        }
    const Mesh mesh = isosurface(grid, values);
    ASSERT_FALSE(mesh.triangles.empty());
    expect_closed_manifold(mesh);
    const Bvh bvh(mesh.positions, mesh.triangles);
    at = 0;
    for (std::size_t k = 0; k < grid.size[2]; ++k)
      for (std::size_t j = 0; j < grid.size[1]; ++j)
        for (std::size_t i = 0; i < grid.size[0]; ++i, ++at) {
          if (std::abs(values[at]) < 0.05f) continue;  // too near to the surface for an inside test in float
          EXPECT_EQ(bvh.inside(Vec3f(grid.point(i, j, k))), values[at] < 0) << i << ' ' << j << ' ' << k;
          ++checked;
        }
  }
  EXPECT_GT(checked, 10000u);
}

TEST(Isosurface, SphereAndTorusVolumesConvergeWithTheSquareOfTheSpacing) {
  const double pi = std::numbers::pi;
  const double truth[2] = {4.0 / 3.0 * pi * 0.343, 2 * pi * pi * 0.6 * 0.0625};
  const long characteristic[2] = {2, 0};
  const Field fields[2] = {iso_sphere, torus};
  for (int shape = 0; shape < 2; ++shape) {
    double last = 0;
    for (const std::size_t n : {21, 41, 81}) {
      const Mesh mesh = isosurface(fields[shape], cube_grid(n, -1, 1));
      expect_closed_manifold(mesh);
      EXPECT_EQ(euler_characteristic(mesh), characteristic[shape]);
      const double error = std::abs(enclosed_volume(mesh.positions, mesh.triangles) / truth[shape] - 1);
      EXPECT_LT(error, 0.04);
      if (last > 0) {
        EXPECT_LT(error, last / 3);  // 4 in the limit
      }
      last = error;
    }
  }
}

TEST(Isosurface, SkippingBlocksChangesNothing) {
  const Grid grid = cube_grid(50, -1, 1);
  for (const Field& field : {Field(iso_sphere), Field(torus)}) {
    std::size_t calls = 0;
    const unsigned before = thread_count();
    set_thread_count(1);
    const Mesh some = isosurface([&](Vec3d p) { return ++calls, field(p); }, grid);
    set_thread_count(before);
    const Mesh all = isosurface(grid, sampled(grid, field));
    EXPECT_EQ(some.positions, all.positions);
    EXPECT_EQ(some.triangles, all.triangles);
    EXPECT_LT(calls, grid.samples() / 2);
  }
}

TEST(Isosurface, AnyNumberOfThreadsGivesTheSameMesh) {
  const Grid grid = cube_grid(37, -1, 1);
  const std::vector<float> values = sampled(grid, torus);
  const unsigned before = thread_count();
  set_thread_count(1);
  const Mesh one = isosurface(grid, values);
  set_thread_count(3);
  const Mesh three = isosurface(grid, values);
  set_thread_count(before);
  EXPECT_EQ(one.positions, three.positions);
  EXPECT_EQ(one.triangles, three.triangles);
}

TEST(Isosurface, OddGridsAndSamples) {
  EXPECT_TRUE(isosurface(Grid{{}, {1, 1, 1}, {1, 5, 5}}, std::vector<float>(25, -1.0f)).triangles.empty());
  EXPECT_TRUE(isosurface(cube_grid(5, 0, 1), std::vector<float>(125, -1.0f)).triangles.empty());
  const Grid grid = cube_grid(5, -1, 1);
  std::vector<float> values(125, INFINITY);
  values[62] = -INFINITY;
  const Mesh mesh = isosurface(grid, values);
  expect_closed_manifold(mesh);
  EXPECT_TRUE(validate(mesh).ok());
  EXPECT_NEAR(enclosed_volume(mesh.positions, mesh.triangles), 4.0 / 3 * std::pow(0.25, 3), 1e-6);  // octahedron
}

}  // namespace
}  // namespace supple
