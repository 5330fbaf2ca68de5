// Isosurface stuffing: conforming and closed, volumes of known shapes, bounded angles, the same for any threads.
#include "supple/geometry/stuffing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/bvh.h"
#include "support/shapes.h"

namespace supple {
namespace {

using test::pi;

double stuffed_sphere(Vec3d p) { return length(p) - 0.07; }
double stuffed_torus(Vec3d p) { return std::hypot(std::hypot(p.x, p.y) - 0.06, p.z) - 0.02; }
double capsule(Vec3d p) { return length(p - Vec3d{0, std::clamp(p.y, -0.05, 0.05), 0}) - 0.02; }
double box(Vec3d p) {
  const Vec3d q = Vec3d{std::abs(p.x), std::abs(p.y), std::abs(p.z)} - Vec3d{0.04, 0.05, 0.06};
  return length(max(q, Vec3d{})) + std::min(std::max({q.x, q.y, q.z}), 0.0);
}

constexpr Box around = {{-0.09f, -0.09f, -0.09f}, {0.09f, 0.09f, 0.09f}};
StuffingOptions sized(double h) { return {around, h, 1, 0, 5000000}; }

/// By brute force: every face once at the boundary or twice in opposite orientation, boundary edges balanced, and the
/// elements add up to what the boundary encloses (so nothing overlaps).
void expect_conforming(const TetMesh& mesh) {
  ASSERT_TRUE(validate(mesh).ok()) << validate(mesh).error().message();
  std::map<std::array<std::uint32_t, 3>, int> sum, uses;
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    for (const auto& face : tet_faces) {
      std::array<std::uint32_t, 3> key{};
      for (std::size_t i = 0; i < 3; ++i) key[i] = mesh.element(e)[face[i]];
      std::rotate(key.begin(), std::min_element(key.begin(), key.end()), key.end());
      const int turn = key[1] < key[2] ? 1 : -1;
      if (turn < 0) std::swap(key[1], key[2]);
      sum[key] += turn;
      ++uses[key];
    }
  }
  std::size_t boundary_faces = 0;
  for (const auto& [face, n] : uses) {
    EXPECT_TRUE((n == 1) || (n == 2 && sum[face] == 0));
    boundary_faces += n == 1;
  }
  const std::vector<Triangle> boundary = boundary_triangles(mesh);
  EXPECT_EQ(boundary.size(), boundary_faces);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
  double enclosed = 0;
  for (const Triangle& t : boundary) {
    enclosed += dot(mesh.nodes[t[0]], cross(mesh.nodes[t[1]], mesh.nodes[t[2]])) / 6;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      balance[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  for (const auto& [edge, n] : balance) EXPECT_EQ(n, 0);
  EXPECT_NEAR(enclosed, quality(mesh).volume, 1e-12 * std::abs(enclosed));
}

TEST(Stuffing, VolumesConvergeToClosedForms) {
  struct Shape {
    Field field;
    double volume;
    double tolerance;  // at 5 mm; a polyhedron with vertices on the surface errs by about (h / radius)^2 / 8 * 3
  };
  const Shape shapes[] = {{stuffed_sphere, 4.0 / 3 * pi * std::pow(0.07, 3), 0.005},
                          {stuffed_torus, 2 * pi * pi * 0.06 * 0.0004, 0.03},
                          {capsule, pi * 0.0004 * 0.1 + 4.0 / 3 * pi * 8e-6, 0.02},
                          {box, 8 * 0.04 * 0.05 * 0.06, 0.02}};
  for (const Shape& shape : shapes) {
    const Result<TetMesh> coarse = stuff(shape.field, sized(0.01)), fine = stuff(shape.field, sized(0.005));
    ASSERT_TRUE(coarse.ok() && fine.ok());
    expect_conforming(*coarse);
    const double coarse_error = std::abs(quality(*coarse).volume / shape.volume - 1);
    const double fine_error = std::abs(quality(*fine).volume / shape.volume - 1);
    EXPECT_LT(fine_error, shape.tolerance);
    EXPECT_LT(fine_error, std::max(coarse_error / 2.2, 1e-3));  // the box's faces may lie in planes of the lattice
    const double ratio =
        static_cast<double>(fine->element_count()) / static_cast<double>(estimate_elements(shape.volume, 0.005));
    EXPECT_GT(ratio, 0.8);
    EXPECT_LT(ratio, 1.4);
  }
}

TEST(Stuffing, BoundaryNodesLieOnTheSurface) {
  const Result<TetMesh> mesh = stuff(stuffed_torus, sized(0.005));
  ASSERT_TRUE(mesh.ok());
  for (const Triangle& t : boundary_triangles(*mesh)) {
    for (const std::uint32_t v : t)
      EXPECT_NEAR(stuffed_torus(mesh->nodes[v]), 0, 2e-5);  // two secant steps: 20 microns
  }
}

TEST(Stuffing, AnglesOfSmoothShapesAreBounded) {
  for (const double h : {0.011, 0.007, 0.005}) {
    for (const Field& field : {Field(stuffed_sphere), Field(stuffed_torus), Field(capsule)}) {
      const Result<TetMesh> mesh = stuff(field, sized(h));
      ASSERT_TRUE(mesh.ok());
      const TetQuality q = quality(*mesh);
      EXPECT_GT(q.min_dihedral_degrees, 11) << h;
      EXPECT_LT(q.max_dihedral_degrees, 158) << h;
      EXPECT_EQ(q.components, 1u);
      EXPECT_LT(q.max_edge, 1.5 * h);
    }
  }
}

TEST(Stuffing, InnerElementsAreThoseOfTheLattice) {
  const double h = 0.01;
  const Result<TetMesh> mesh = stuff(stuffed_sphere, sized(h));
  ASSERT_TRUE(mesh.ok());
  std::size_t inner = 0;
  for (std::size_t e = 0; e < mesh->element_count(); ++e) {
    double deepest = -1;
    for (std::size_t c = 0; c < 4; ++c) deepest = std::max(deepest, stuffed_sphere(mesh->corner(e, c)));
    if (deepest > -h) continue;
    EXPECT_NEAR(signed_volume(mesh->corner(e, 0), mesh->corner(e, 1), mesh->corner(e, 2), mesh->corner(e, 3)),
                h * h * h / 12, 1e-15);
    ++inner;
  }
  EXPECT_GT(inner, 5000u);
}

TEST(Stuffing, AnyFieldGivesAConformingMesh) {
  // Smooth noise with features about as thin as the lattice: parts, handles and cavities of all kinds.
  Rng rng(5);
  for (int round = 0; round < 6; ++round) {
    std::vector<Vec3d> waves;
    for (int i = 0; i < 6; ++i)
      waves.push_back(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)} * 150.0);
    const Field noise = [&](Vec3d p) {
      double sum = 0;
      for (const Vec3d& w : waves) sum += std::sin(dot(w, p) + w.x);
      return std::max(sum * 0.001, stuffed_sphere(p));
    };
    const Result<TetMesh> mesh = stuff(noise, sized(0.012));
    ASSERT_TRUE(mesh.ok()) << mesh.error().message();
    expect_conforming(*mesh);
  }
}

TEST(Stuffing, AnyNumberOfThreadsGivesTheSameMesh) {
  const unsigned before = thread_count();
  set_thread_count(1);
  const Result<TetMesh> one = stuff(stuffed_torus, sized(0.006));
  set_thread_count(3);
  const Result<TetMesh> three = stuff(stuffed_torus, sized(0.006));
  set_thread_count(before);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->nodes, three->nodes);
  EXPECT_EQ(one->elements, three->elements);
}

TEST(Stuffing, AsksTheFieldOnlyNearTheSurface) {
  const auto calls_at = [](double lipschitz) {
    std::atomic<std::size_t> calls = 0;
    StuffingOptions options = sized(0.004);
    options.lipschitz = lipschitz;
    const Result<TetMesh> mesh = stuff([&](Vec3d p) { return ++calls, stuffed_sphere(p); }, options);
    EXPECT_TRUE(mesh.ok());
    return std::pair(calls.load(), mesh->elements);
  };
  const auto [few, skipped] = calls_at(1);
  const auto [many, all] = calls_at(1000);  // a bound that excludes nothing
  EXPECT_EQ(skipped, all);
  EXPECT_LT(few, many / 2);
}

TEST(Stuffing, MeshesOfTrianglesThroughTheirSignedDistance) {
  const Mesh surface = test::sphere(0.07, 40, 80);
  const Bvh bvh(surface.positions, surface.triangles);
  const Result<TetMesh> mesh = stuff([&](Vec3d p) { return double{bvh.signed_distance(Vec3f(p))}; }, sized(0.008));
  ASSERT_TRUE(mesh.ok());
  expect_conforming(*mesh);
  EXPECT_NEAR(quality(*mesh).volume / enclosed_volume(surface.positions, surface.triangles), 1, 0.02);
}

TEST(Stuffing, PlatesThinnerThanTheElements) {
  // As the plate gets thinner the volume stays right, is lost in parts, or the plate is refused: never a bad element.
  for (const double thickness : {0.012, 0.008, 0.006, 0.004, 0.002, 0.0005}) {
    for (const double shift : {0.0, 0.001, 0.0023}) {
      const Field plate = [&](Vec3d p) {
        return std::max({std::abs(p.x) - 0.05, std::abs(p.y) - 0.05, std::abs(p.z - shift) - thickness / 2});
      };
      const Result<TetMesh> mesh = stuff(plate, sized(0.01));
      if (!mesh) {
        EXPECT_LT(thickness, 0.01);
        EXPECT_FALSE(mesh.error().remedy.empty());
        continue;
      }
      expect_conforming(*mesh);
      EXPECT_LT(quality(*mesh).volume, 1.05 * 0.01 * thickness);
      if (thickness > 0.01) {
        EXPECT_GT(quality(*mesh).volume, 0.85 * 0.01 * thickness);
      }
    }
  }
}

TEST(Stuffing, RefusesWhatItCannotDo) {
  const auto problem = [](const Field& field, const StuffingOptions& options) {
    const Result<TetMesh> mesh = stuff(field, options);
    return mesh ? std::string() : mesh.error().message();
  };
  EXPECT_NE(problem([](Vec3d) { return 1.0; }, sized(0.01)).find("no lattice point inside"), std::string::npos);
  EXPECT_NE(problem([](Vec3d) { return -1.0; }, sized(0.01)).find("beyond the box"), std::string::npos);
  EXPECT_NE(problem([](Vec3d) { return double{NAN}; }, sized(0.01)).find("not a number"), std::string::npos);
  EXPECT_NE(problem(stuffed_sphere, sized(0)).find("not a size"), std::string::npos);
  EXPECT_NE(problem(stuffed_sphere, sized(NAN)).find("not a size"), std::string::npos);
  StuffingOptions options = sized(0.01);
  options.box = {};
  EXPECT_NE(problem(stuffed_sphere, options).find("no inside"), std::string::npos);

  // 1e8 elements: refused before the field is asked, naming the estimate and a size that then works.
  options = sized(0.0005);
  options.volume = 1e8 / 13 * std::pow(0.0005, 3);
  bool asked = false;
  const std::string text = problem([&](Vec3d p) { return asked = true, stuffed_sphere(p); }, options);
  EXPECT_FALSE(asked);
  EXPECT_NE(text.find("about 1e+08 elements"), std::string::npos) << text;
  EXPECT_NE(text.find("at least 1.36 mm"), std::string::npos) << text;
  EXPECT_LE(estimate_elements(options.volume, smallest_element_size(options.volume, 5000000)), 5000000u);
  // A volume that was stated too small does not get around the limit.
  options = sized(0.005);
  options.volume = 1e-9;
  options.max_elements = 1000;
  EXPECT_NE(problem(stuffed_sphere, options).find("more than 1000"), std::string::npos);
  // An empty box far too large for its lattice.
  options = sized(0.0001);
  options.volume = 1e-9;
  EXPECT_NE(problem(stuffed_sphere, options).find("tighter box"), std::string::npos);

  const Result<TetMesh> stopped =
      stuff(stuffed_sphere, sized(0.01), [](std::string_view, double f) { return f < 0.5; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().problem.find("stopped"), std::string::npos);
}

}  // namespace
}  // namespace supple
