// Shapes, samples, gains and the velocity field of vortices; rest shapes.
#include "supple/deform/vortex/field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../support/shapes.h"
#include "../support/vortex_ball.h"
#include "supple/base/rng.h"
#include "supple/deform/vortex/plasticity.h"

namespace supple {
namespace {

using test::Ball;
using test::free_muscle;

using std::numbers::pi;

Vec3d random_vector(Rng& rng) { return {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; }

TEST(VortexSurface, EllipsoidsHaveTheAreaTheyShould) {
  // Of a prolate spheroid: 2 pi a^2 + 2 pi a c^2 / sqrt(c^2 - a^2) asin(sqrt(c^2 - a^2) / c).
  const double a = 0.05, c = 0.12, e = std::sqrt(c * c - a * a);
  const double area = 2 * pi * a * a + 2 * pi * a * c * c / e * std::asin(e / c);
  for (const std::uint32_t wanted : {12u, 42u, 100u, 642u}) {
    const VortexMuscle m = free_muscle({0.05f, 0.12f, 0.05f}, wanted);
    const Mesh surface = muscle_surface(m);
    EXPECT_GE(surface.positions.size(), wanted);
    EXPECT_TRUE(find_defects(surface.positions, surface.triangles).closed());
    EXPECT_GT(enclosed_volume(surface.positions, surface.triangles), 0);
    const VortexSamples s = sample_surface(m, surface);
    double total = 0;
    Vec3d closed{};
    for (std::size_t i = 0; i < s.positions.size(); ++i) {
      total += s.areas[i];
      closed += s.normals[i] * s.areas[i];
      EXPECT_GT(dot(s.normals[i], s.positions[i]), 0);
    }
    EXPECT_NEAR(total, area, 1e-4 * area);  // the quadrature that scales them
    EXPECT_LT(length(closed), 1e-12 * area);
  }
}

TEST(VortexSurface, GivenSurfacesAreThinned) {
  VortexMuscle m = free_muscle();
  const Mesh torus = test::torus(0.06, 0.02, 60, 30);
  m.surface_positions = torus.positions;
  m.surface_triangles = torus.triangles;
  m.samples = 162;
  const Mesh surface = muscle_surface(m);
  EXPECT_EQ(surface.positions, torus.positions);
  const VortexSamples s = sample_surface(m, surface);
  ASSERT_EQ(s.positions.size(), 162u);
  double total = 0;
  Vec3d closed{};
  for (std::size_t i = 0; i < s.positions.size(); ++i) {
    total += s.areas[i];
    closed += s.normals[i] * s.areas[i];
    // The middle of a patch lies under the surface by about its size squared over 2 r: patches are .01 m across.
    EXPECT_NEAR(std::hypot(std::hypot(s.positions[i].x, s.positions[i].z) - 0.06, s.positions[i].y), 0.02, 1.5e-3);
  }
  // Patches are bent: their normals do not add up to their whole area.
  EXPECT_NEAR(total, surface_area(torus.positions, torus.triangles), 0.04 * total);
  EXPECT_LT(length(closed), 1e-9);
  m.samples = 1800;
  EXPECT_EQ(sample_surface(m, surface).positions.size(), torus.positions.size());
}

TEST(VortexField, IsFreeOfDivergenceAndHasTheGradientItSays) {
  Rng rng(3);
  std::vector<Vec3d> positions, vorticity;
  for (int i = 0; i < 40; ++i) {
    positions.push_back(random_vector(rng));
    vorticity.push_back(random_vector(rng));
  }
  const VortexField field{positions, vorticity, 0.7, 1.5};
  constexpr double h = 1e-5;  // central differences: h^2 and rounding / h, both about 1e-10
  for (int i = 0; i < 50; ++i) {
    const Vec3d p = random_vector(rng) * 1.5;
    Mat3d differences;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3d step{};
      step[k] = h;
      differences[k] = (field.velocity(p + step) - field.velocity(p - step)) / (2 * h);
    }
    const Mat3d gradient = field.gradient(p);
    const double size = norm(gradient) + 1e-3;
    EXPECT_LT(norm(differences - gradient), 1e-8 * size);
    EXPECT_LT(std::abs(differences.c0.x + differences.c1.y + differences.c2.z), 1e-8 * size);
  }
}

TEST(VortexField, ShearIsThatOfAllPairsOfDirections) {
  Rng rng(5);
  const Mat3d gradient{random_vector(rng) * 0.3, random_vector(rng) * 0.3, random_vector(rng) * 0.3};
  const Mat3d j = gradient + Mat3d{};
  double sum = 0;
  constexpr int pairs = 200000;  // the mean of squares spreads by about their own size: .3 %
  for (int i = 0; i < pairs; ++i) {
    Vec3d a, b;
    do a = random_vector(rng);
    while (!(squared_length(a) < 1 && squared_length(a) > 1e-3));
    do b = random_vector(rng);
    while (!(squared_length(b) < 1 && squared_length(b) > 1e-3));
    a = normalized(a);
    b = normalized(b - a * dot(a, b));
    const double shear = dot(j * a, j * b);
    sum += shear * shear;
  }
  EXPECT_NEAR(shear_strain(gradient), 2 * pi * sum / pairs, 0.01 * shear_strain(gradient));
  EXPECT_EQ(shear_strain(Mat3d{{}, {}, {}}), 0);
  const Mat3d turn = to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 3}), 0.8)) - Mat3d{};
  EXPECT_NEAR(shear_strain(turn), 0, 1e-20);  // a rotation does not shear
}

VortexMuscle with_target(Vec3f radii, std::uint32_t samples, Vec3d (*change)(Vec3d)) {
  VortexMuscle m = free_muscle(radii, samples);
  for (const Vec3f p : muscle_surface(m).positions) m.target.push_back(Vec3f(change(Vec3d(p))));
  return m;
}
Vec3d squashed(Vec3d p) { return scaled(p, {1.054, 0.9, 1.054}); }
Vec3d flattened(Vec3d p) { return scaled(p, {1.195, 0.7, 1.195}); }
Vec3d with_a_bump(Vec3d p) {
  return p + normalized(p) * (0.01 * std::exp(-squared_length(p - Vec3d{0.05, 0, 0}) / (0.4 * 0.05 * 0.05)));
}

TEST(Plasticity, MeetsItsTarget) {
  const auto residual = [](const VortexMuscle& m) {
    const Mesh surface = muscle_surface(m);
    const auto shape = plastic_shape(m, "muscle", surface, sample_surface(m, surface));
    EXPECT_TRUE(shape.ok());
    return shape.ok() ? shape->residual : 1;
  };
  for (const std::uint32_t samples : {42u, 162u}) {
    EXPECT_LT(residual(with_target({0.05f, 0.05f, 0.05f}, samples, squashed)), 0.03);
    EXPECT_LT(residual(with_target({0.05f, 0.05f, 0.05f}, samples, flattened)), 0.03);
    EXPECT_LT(residual(with_target({0.05f, 0.05f, 0.05f}, samples, with_a_bump)), 0.03);
    EXPECT_LT(residual(with_target({0.05f, 0.12f, 0.06f}, samples, squashed)), 0.03);
  }
}

TEST(Plasticity, MovesTheSkinThereAndKeepsItsVolume) {
  // What counts is a skin finer than the samples, not the samples that were fitted.
  const Ball ball(with_target({0.05f, 0.05f, 0.05f}, 42, squashed));
  const auto world = test::placed(ball.character, {});
  const std::vector<Vec3f> skin = ball.skin(world);
  for (std::size_t v = 0; v < skin.size(); ++v) {
    // On the ellipsoid of semi-axes .0527 and .045: 3 % of the change of .005 m, and what lies between the samples.
    const Vec3d p = Vec3d(skin[v]) - Vec3d{0.3, 0, 0};
    const double level = length(Vec3d{p.x / 0.0527, p.y / 0.045, p.z / 0.0527});
    EXPECT_NEAR(level, 1, 0.006) << v;
  }
  const auto& triangles = ball.character.parts[0].mesh.triangles;
  const double before = enclosed_volume(ball.carried(world), triangles);
  EXPECT_NEAR(enclosed_volume(skin, triangles) / before, 1, 1e-3);
}

TEST(Plasticity, RefusesWhatCannotBe) {
  const auto problem = [](VortexMuscle m, auto change) {
    m.name = "biceps";
    m.target = muscle_surface(m).positions;
    change(m.target);
    Character c = test::vortex_ball(m);
    const auto table = build_vortex_table(c);
    EXPECT_FALSE(table.ok());
    if (table.ok()) return std::string();
    EXPECT_EQ(table.error().item, "muscle 'biceps'");
    return table.error().problem;
  };
  const VortexMuscle m = free_muscle();
  using Points = std::vector<Vec3f>;
  EXPECT_NE(problem(m, [](Points& t) { t.pop_back(); }).find("41 points"), std::string::npos);
  EXPECT_NE(problem(m, [](Points& t) { t[3].x = std::numeric_limits<float>::quiet_NaN(); }).find("finite"),
            std::string::npos);
  EXPECT_NE(problem(m, [](Points& t) { t.assign(t.size(), {}); }).find("collapsed"), std::string::npos);
  EXPECT_NE(problem(m,
                    [](Points& t) {
                      for (Vec3f& p : t) p.y = 0;
                    })
                .find("collapsed"),
            std::string::npos);
  EXPECT_NE(problem(m,
                    [](Points& t) {
                      for (Vec3f& p : t) p.y = -p.y;
                    })
                .find("inside out"),
            std::string::npos);
  // The shape itself, or the same larger: nothing that vortices could do.
  VortexMuscle same = m;
  for (const Vec3f p : muscle_surface(m).positions) same.target.push_back(p * 1.2f);
  EXPECT_TRUE(build_vortex_table(test::vortex_ball(same)).value().plastic_muscles.empty());
  VortexMuscle shy = m;
  shy.reach = 0.01f;
  EXPECT_FALSE(build_vortex_table(test::vortex_ball(shy)).ok());
}

}  // namespace
}  // namespace supple
