// Remeshing keeps the surface closed, manifold and in place, and makes good triangles of the wanted size.
#include "supple/geometry/remesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/isosurface.h"

namespace supple {
namespace {

double round_torus(Vec3d p) { return std::hypot(std::hypot(p.x, p.y) - 0.6, p.z) - 0.25; }
Vec3d on_sphere(Vec3d p) { return normalized(p) * 0.7; }
Vec3d on_torus(Vec3d p) {
  const double ring = std::hypot(p.x, p.y);
  const Vec3d middle = {p.x / ring * 0.6, p.y / ring * 0.6, 0};
  return middle + normalized(p - middle) * 0.25;
}
Grid around_unit(std::size_t n) {
  const double h = 2.0 / static_cast<double>(n - 1);
  return {{-1, -1, -1}, {h, h, h}, {n, n, n}};
}
Mesh sphere_mesh(std::size_t n) {
  return isosurface([](Vec3d p) { return length(p) - 0.7; }, around_unit(n));
}

void expect_manifold(const Mesh& mesh) {
  EXPECT_TRUE(find_defects(mesh.positions, mesh.triangles).closed());
  EXPECT_EQ(find_defects(mesh.positions, mesh.triangles).unused_vertices, 0u);
  EXPECT_TRUE(HalfEdges::build(mesh.positions.size(), mesh.triangles).ok());
}
long euler_number(const Mesh& mesh) {
  return static_cast<long>(mesh.positions.size()) - static_cast<long>(mesh.triangles.size()) / 2;
}

TEST(Remesh, SphereGetsGoodTrianglesOfTheWantedLength) {
  const auto mesh = remesh(sphere_mesh(40), {[](Vec3d) { return 0.06; }, on_sphere, 0, 6});
  ASSERT_TRUE(mesh.ok()) << mesh.error().message();
  expect_manifold(*mesh);
  EXPECT_EQ(euler_number(*mesh), 2);
  const MeshQuality q = quality(*mesh);
  EXPECT_GT(q.min_angle_degrees, 25);
  EXPECT_GT(q.mean_min_angle_degrees, 48);
  EXPECT_NEAR(q.mean_edge, 0.06, 0.006);
  EXPECT_LT(q.max_edge, 0.06 * 1.6);
  for (const Vec3f p : mesh->positions) EXPECT_NEAR(length(Vec3d(p)), 0.7, 1e-6);
}

TEST(Remesh, TorusKeepsItsHandleAndVolume) {
  const Mesh start = isosurface(round_torus, around_unit(60));
  const auto mesh = remesh(start, {[](Vec3d) { return 0.05; }, on_torus, 0, 6});
  ASSERT_TRUE(mesh.ok());
  expect_manifold(*mesh);
  EXPECT_EQ(euler_number(*mesh), 0);
  EXPECT_GT(quality(*mesh).min_angle_degrees, 20);
  EXPECT_GT(quality(*mesh).mean_min_angle_degrees, 45);
  const double truth = 2 * std::numbers::pi * std::numbers::pi * 0.6 * 0.0625;
  EXPECT_NEAR(enclosed_volume(mesh->positions, mesh->triangles) / truth, 1, 0.02);
}

TEST(Remesh, SizingFieldIsFollowed) {
  const auto wanted = [](Vec3d p) { return p.x > 0 ? 0.04 + 0.08 * p.x : 0.04; };
  const auto mesh = remesh(sphere_mesh(50), {wanted, on_sphere, 0, 8});
  ASSERT_TRUE(mesh.ok());
  expect_manifold(*mesh);
  EXPECT_GT(quality(*mesh).min_angle_degrees, 20);
  double ratio = 0;
  for (const Triangle& t : mesh->triangles) {
    const Vec3d a(mesh->positions[t[0]]), b(mesh->positions[t[1]]);
    ratio += length(b - a) / wanted((a + b) * 0.5) / static_cast<double>(mesh->triangles.size());
  }
  EXPECT_NEAR(ratio, 1, 0.1);
}

TEST(Remesh, VertexCountIsMetExactly) {
  const Mesh start = sphere_mesh(30);
  for (const std::size_t count : {12u, 50u, 333u, 2000u, 9000u}) {
    const auto mesh = remesh(start, {[](Vec3d p) { return 2 + p.z; }, on_sphere, count, 6});
    ASSERT_TRUE(mesh.ok());
    EXPECT_EQ(mesh->positions.size(), count);
    expect_manifold(*mesh);
    EXPECT_EQ(euler_number(*mesh), 2);
    EXPECT_GT(enclosed_volume(mesh->positions, mesh->triangles), 0.7);  // 1.44 for the sphere, less when coarse
  }
}

TEST(Remesh, OrderOfThreadsDoesNotMatter) {
  const Mesh start = sphere_mesh(30);
  const RemeshOptions options{[](Vec3d p) { return 0.05 + 0.02 * p.y; }, on_sphere, 0, 4};
  const unsigned before = thread_count();
  set_thread_count(1);
  const auto one = remesh(start, options);
  set_thread_count(3);
  const auto three = remesh(start, options);
  set_thread_count(before);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->positions, three->positions);
  EXPECT_EQ(one->triangles, three->triangles);
}

TEST(Remesh, RefusesWhatIsNotAClosedSurface) {
  const RemeshOptions options{[](Vec3d) { return 0.1; }, {}, 0, 2};
  Mesh open = sphere_mesh(20);
  open.triangles.pop_back();
  EXPECT_FALSE(remesh(open, options).ok());
  Mesh wild = sphere_mesh(20);
  wild.triangles[0][0] = 1u << 30;
  EXPECT_FALSE(remesh(wild, options).ok());
  EXPECT_FALSE(remesh(sphere_mesh(20), {[](Vec3d) { return 0.0; }, {}, 0, 2}).ok());
  EXPECT_FALSE(remesh(sphere_mesh(20), {}).ok());
  const auto stopped = remesh(sphere_mesh(20), options, [](std::string_view, double) { return false; });
  ASSERT_FALSE(stopped.ok());
}

TEST(HalfEdges, RandomOperationsKeepTheSurfaceManifold) {
  const Mesh start = isosurface(round_torus, around_unit(24));
  auto surface = HalfEdges::build(start.positions.size(), start.triangles);
  ASSERT_TRUE(surface.ok());
  Rng rng(3);
  std::size_t splits = 0, flips = 0, collapses = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t h = rng.below(surface->half_edges());
    if (surface->is_removed(h)) continue;
    const std::uint32_t what = rng.below(5);
    if (what == 0) {
      surface->split(h);
      ++splits;
    } else if (what == 1 && surface->may_flip(h)) {
      surface->flip(h);
      ++flips;
    } else if (what > 1 && surface->may_collapse(h)) {
      surface->collapse(h);
      ++collapses;
    }
  }
  EXPECT_GT(splits, 500u);
  EXPECT_GT(flips, 500u);
  EXPECT_GT(collapses, 500u);
  std::vector<std::uint32_t> source;
  const std::vector<Triangle> triangles = surface->compact(source);
  ASSERT_EQ(source.size(), surface->vertex_count());
  const auto again = HalfEdges::build(source.size(), triangles);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(2 * source.size(), triangles.size());  // V - E + F = 0
  for (std::uint32_t v = 0; v < source.size(); ++v) EXPECT_EQ(again->valence(v), surface->valence(source[v]));
}

}  // namespace
}  // namespace supple
