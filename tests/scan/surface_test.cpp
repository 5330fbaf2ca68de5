// Iso-surfaces of 16-bit volumes are closed, manifold, where they should be and the same for any number of threads;
// blurring, smoothing and reducing keep what they promise.
#include "supple/author/scan/surface.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/topology.h"
#include "support/scan_volumes.h"
#include "support/shared_data.h"

namespace supple::scan {
namespace {

using test::sampled_volume;

void expect_closed_manifold(const Mesh& mesh) {
  const Defects defects = find_defects(mesh.positions, mesh.triangles);
  EXPECT_TRUE(defects.closed());
  EXPECT_EQ(defects.degenerate_triangles, 0u);
  EXPECT_EQ(defects.unused_vertices, 0u);
  const auto surface = HalfEdges::build(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(surface.ok()) << surface.error().message();
}

double volume_of(const Mesh& mesh) { return enclosed_volume(mesh.positions, mesh.triangles); }
double ball_volume(double r) { return 4.0 / 3 * std::numbers::pi * r * r * r; }

const Affined skewed{Mat3d{{0, 0.001, 0}, {-0.0006, 0, 0}, {0, 0, 0.0008}}, {0.1, -0.2, 0.3}};
const Vec3d ball_centre = skewed.point({20.3, 33.1, 25.4});
constexpr double ball_radius = 0.013;

// Sample 1000 is one millimetre: linear, so that vertices lie within the rounding of samples of the sphere.
Volume ball(const Affined& to_world) {
  return sampled_volume({41, 66, 50}, to_world, [](Vec3d p) { return (ball_radius - length(p - ball_centre)) * 1e6; });
}

TEST(ScanSurface, BallIsWhereItShouldBe) {
  Affined mirrored = skewed;
  mirrored.linear.c1 = -skewed.linear.c1;
  mirrored.translation = skewed.translation + skewed.linear.c1 * 66.0;
  for (const Affined& to_world : {skewed, mirrored}) {
    const Mesh mesh = isosurface(ball(to_world), {});
    expect_closed_manifold(mesh);
    // Chords between vertices on the sphere lose about (h / r)^2 / 8 twice over: 0.2 % at most here.
    EXPECT_NEAR(volume_of(mesh) / ball_volume(ball_radius), 1, 0.003);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const Vec3d from_centre = Vec3d(mesh.positions[v]) - ball_centre;
      // The distance is not linear between samples: h^2 / 8r = 10 micrometres.
      ASSERT_NEAR(length(from_centre), ball_radius, 12e-6);
      ASSERT_GT(dot(Vec3d(mesh.normals[v]), normalized(from_centre)), 0.999);
    }
  }
}

TEST(ScanSurface, SamplesOnTheSurfaceLeaveNoDegenerateTriangle) {
  for (const double iso : {0.0, 0.5, 1.0}) {
    // Whole millimetres on a lattice of millimetres: a third of all crossings would fall on samples.
    const Volume cube = sampled_volume({14, 15, 16}, test::lattice(0.001), [](Vec3d p) {
      return std::min({p.x, p.y, p.z, 0.013 - p.x, 0.014 - p.y, 0.015 - p.z}) * 1000 - 3;
    });
    const Mesh mesh = isosurface(cube, {iso, true});
    expect_closed_manifold(mesh);
    // Samples at and above iso: a box that begins `iso` beyond 3 mm from each side. Corners and edges of a marching
    // cubes box are cut off: less than two samples times the length of its edges.
    const double s = 0.003 + iso * 0.001;
    const double a = 0.013 - 2 * s, b = 0.014 - 2 * s, c = 0.015 - 2 * s;
    EXPECT_LE(volume_of(mesh), a * b * c * 1.02);
    EXPECT_GE(volume_of(mesh), a * b * c - 4 * (a + b + c) * 0.5e-6 * (iso == 0.5 ? 1 : 0.5) - 1e-9);
  }
}

TEST(ScanSurface, RandomSamplesAreManifoldAndAgreeWithThePlainAlgorithm) {
  Rng rng(11);
  for (const std::size_t columns : {1u, 2u, 62u, 63u, 64u, 65u, 130u}) {
    Volume v =
        sampled_volume({columns, 7, 6}, test::lattice(1), [&](Vec3d) { return static_cast<double>(rng.below(9)) - 4; });
    const Mesh mesh = isosurface(v, {1, true});
    expect_closed_manifold(mesh);
    // The slow reference: the same samples with a layer around them, its value such that caps lie half-way.
    const Grid grid{{-1, -1, -1}, {1, 1, 1}, {columns + 2, 9, 8}};
    std::size_t crossings = 0;
    std::vector<float> values(grid.samples(), 1e30f);
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t j = 0; j < 7; ++j)
        for (std::size_t i = 0; i < columns; ++i) {
          // Below 0 is inside there; a sample equal to the iso-value counts as inside here.
          const double inside = v.value(i, j, k) - 1;
          values[i + 1 + (columns + 2) * (j + 1 + 9 * (k + 1))] = inside >= 0 ? static_cast<float>(-inside - 1e-4) : 1;
          crossings += inside >= 0;
        }
    const Mesh reference = supple::isosurface(grid, values);
    EXPECT_EQ(mesh.positions.size(), reference.positions.size());
    EXPECT_EQ(mesh.triangles.size(), reference.triangles.size());
    EXPECT_GT(crossings, 0u);
  }
}

TEST(ScanSurface, OpenAtTheBorderWhereAskedAndCapsAreFlat) {
  const Volume rod = sampled_volume({20, 20, 10}, test::lattice(0.001),
                                    [](Vec3d p) { return (0.006 - std::hypot(p.x - 0.0095, p.y - 0.0095)) * 1e6; });
  const Mesh open = isosurface(rod, {0, false});
  const Defects defects = find_defects(open.positions, open.triangles);
  EXPECT_GT(defects.boundary_edges, 0u);
  EXPECT_EQ(defects.non_manifold_edges, 0u);
  const Mesh closed = isosurface(rod, {0, true});
  expect_closed_manifold(closed);
  // Ten slices with caps half a sample beyond the first and the last.
  EXPECT_NEAR(volume_of(closed), std::numbers::pi * 36e-6 * 0.010, 0.02 * std::numbers::pi * 36e-6 * 0.010);
  const std::vector<bool> near = near_border(closed.positions, rod);
  for (std::size_t v = 0; v < near.size(); ++v) {
    const float z = closed.positions[v].z;
    EXPECT_EQ(near[v], z <= 0.0015f || z >= 0.0075f) << z;
  }
}

TEST(ScanSurface, NothingAndEverythingInside) {
  const Volume v = sampled_volume({5, 6, 7}, test::lattice(0.001), [](Vec3d) { return 100; });
  EXPECT_TRUE(isosurface(v, {101, true}).triangles.empty());
  EXPECT_TRUE(isosurface(v, {1e9, true}).triangles.empty());
  const Mesh all = isosurface(v, {-1e9, true});
  expect_closed_manifold(all);
  EXPECT_NEAR(volume_of(all), 210e-9, 20e-9);  // edges and corners are cut off
  EXPECT_TRUE(isosurface(v, {-1e9, false}).triangles.empty());
}

TEST(ScanSurface, SameForAnyNumberOfThreads) {
  Rng rng(3);
  Volume v = ball(skewed);
  for (std::int16_t& s : v.samples) s = static_cast<std::int16_t>(s + test::noise(rng, 400));
  set_thread_count(1);
  const Volume blur_one = blurred(v, 0.8);
  const Mesh one = isosurface(v, {});
  set_thread_count(3);
  const Volume blur_three = blurred(v, 0.8);
  const Mesh three = isosurface(v, {});
  set_thread_count(0);
  EXPECT_EQ(blur_one.samples, blur_three.samples);
  EXPECT_EQ(one.positions, three.positions);
  EXPECT_EQ(one.normals, three.normals);
  EXPECT_EQ(one.triangles, three.triangles);
}

TEST(ScanBlur, SpikeBecomesAGaussianAndConstantsStay) {
  Volume v = sampled_volume({15, 13, 11}, test::lattice(1), [](Vec3d) { return -1000; });
  v.slope = 2;
  v.intercept = 30;
  v.samples[v.place(7, 6, 5)] = 3000;
  const double sigma = 0.8;
  const Volume out = blurred(v, sigma);
  double sum = 0, norm = 0;
  for (int n = -3; n <= 3; ++n) norm += std::exp(-0.5 * n * n / (sigma * sigma));
  for (std::size_t k = 0; k < 11; ++k)
    for (std::size_t j = 0; j < 13; ++j)
      for (std::size_t i = 0; i < 15; ++i) {
        const Vec3d d{static_cast<double>(i) - 7, static_cast<double>(j) - 6, static_cast<double>(k) - 5};
        const bool reached = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) <= 3;
        const double weight = reached ? std::exp(-0.5 * dot(d, d) / (sigma * sigma)) / (norm * norm * norm) : 0;
        // Rounding to a sixteenth of a sample.
        EXPECT_NEAR(out.value(i, j, k), 2 * (-1000 + 4000 * weight) + 30, 0.1);
        sum += out.value(i, j, k) - v.value(i, j, k);
      }
  EXPECT_NEAR(sum / 8000, 0, 1e-3);
  const Volume flat = sampled_volume({4, 4, 4}, test::lattice(1), [](Vec3d) { return 7; });
  const Volume flat_out = blurred(flat, 2);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(flat_out.value(i, i, i), 7);
  EXPECT_EQ(blurred(v, 0).samples, v.samples);
}

TEST(ScanSmooth, TakesNoiseAwayAndKeepsTheVolume) {
  Rng rng(5);
  Volume v = ball(skewed);
  for (std::int16_t& s : v.samples) s = static_cast<std::int16_t>(s + test::noise(rng, 150));
  Mesh mesh = isosurface(v, {});
  const auto roughness = [&] {
    double sum = 0;
    for (const Vec3f p : mesh.positions) sum += std::pow(length(Vec3d(p) - ball_centre) - ball_radius, 2);
    return std::sqrt(sum / static_cast<double>(mesh.positions.size()));
  };
  const double before = roughness(), volume = volume_of(mesh);
  smooth(mesh);
  EXPECT_LT(roughness(), 0.7 * before);  // neighbours share samples, so a part of the noise is as wide as what is kept
  EXPECT_NEAR(volume_of(mesh) / volume, 1, 0.005);
}

TEST(ScanReduce, FewWellShapedTrianglesOnTheSurface) {
  const Mesh fine = isosurface(ball(skewed), {});
  const auto coarse = reduce(fine, 1500);
  ASSERT_TRUE(coarse.ok()) << coarse.error().message();
  expect_closed_manifold(*coarse);
  EXPECT_NEAR(static_cast<double>(coarse->triangles.size()), 1500, 2);
  const MeshQuality q = quality(*coarse);
  EXPECT_GT(q.min_angle_degrees, 20);
  EXPECT_GT(q.mean_min_angle_degrees, 48);
  for (const Vec3f p : coarse->positions) EXPECT_NEAR(length(Vec3d(p) - ball_centre), ball_radius, 60e-6);
  ASSERT_EQ(coarse->normals.size(), coarse->positions.size());
  const auto stopped = reduce(fine, 1500, [](std::string_view, double) { return false; });
  EXPECT_FALSE(stopped.ok());
}

TEST(ScanSurface, RealHeadHasAClosedSkinAndSkull) {
  const auto path = test::shared_data("ct_headsq/headsq_64x64x93_u16le.raw");
  SUPPLE_REQUIRE_DATA(path);
  Volume head;
  head.size = {64, 64, 93};
  head.to_world = {Mat3d::diagonal({0.0032, 0.0032, 0.0015}), {}};
  head.samples.resize(head.count());
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.samples.data()), static_cast<std::streamsize>(2 * head.count()));
  ASSERT_TRUE(file.good());
  const auto thresholds = propose_thresholds(head);
  ASSERT_TRUE(thresholds.ok()) << thresholds.error().message();
  EXPECT_NEAR(thresholds->skin, 550, 100);   // 500 in the examples that come with the data
  EXPECT_NEAR(thresholds->bone, 1300, 200);  // 1150 there: the outermost of its bone
  for (const double iso : {thresholds->skin, thresholds->bone}) {
    const Mesh mesh = isosurface(head, {iso, true});
    expect_closed_manifold(mesh);
    const Vec3f size = bounds(mesh.positions).high - bounds(mesh.positions).low;
    EXPECT_NEAR(size.x, 0.16, 0.05);  // a head is some 15 cm wide, and the scan cuts it below the chin
    EXPECT_GT(volume_of(mesh), iso < 1000 ? 2e-3 : 0.3e-3);
  }
}

}  // namespace
}  // namespace supple::scan
