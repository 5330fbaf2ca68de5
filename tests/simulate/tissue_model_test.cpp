// Forces and stiffness of elements against finite differences; equilibria against closed forms.
#include <gtest/gtest.h>

#include "supple/author/simulate/tissue_model.h"

#include <algorithm>
#include <cstring>

#include "supple/author/simulate/equilibrium.h"
#include "supple/base/parallel.h"
#include "supple/base/quat.h"
#include "supple/base/rng.h"
#include "support/tet_bars.h"

namespace supple::simulate {
namespace {

using test::tet_bar;

TissueModel model_of(TetMesh mesh, std::vector<std::uint32_t> bone_of, Material material = {}) {
  return TissueModel::make(std::move(mesh), std::move(bone_of), std::span(&material, 1)).value();
}

class Elements : public ::testing::TestWithParam<std::tuple<bool, Law>> {
 protected:
  bool quadratic() const { return std::get<0>(GetParam()); }
  Law law() const { return std::get<1>(GetParam()); }
  TetMesh bar(std::array<std::size_t, 3> cells, Vec3d size) const {
    const TetMesh linear = tet_bar(size, cells[0], cells[1], cells[2]);
    return quadratic() ? to_quadratic(linear) : linear;
  }
};
INSTANTIATE_TEST_SUITE_P(TissueModel, Elements,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Law::stable_neo_hookean, Law::neo_hookean)));

std::vector<Vec3d> jiggled(const TetMesh& mesh, double amount, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Vec3d> x = mesh.nodes;
  for (Vec3d& v : x) v += {rng.uniform(-amount, amount), rng.uniform(-amount, amount), rng.uniform(-amount, amount)};
  return x;
}

TEST_P(Elements, GradientAndHessianMatchFiniteDifferences) {
  const TetMesh mesh = bar({2, 1, 1}, {0.02, 0.01, 0.01});
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  for (std::size_t v = 0; v < mesh.nodes.size(); ++v)
    if (mesh.nodes[v].x == 0) bone_of[v] = 0;
  const TissueModel model = model_of(mesh, bone_of, {1, 0.45, law()});
  const std::vector<Vec3d> x = jiggled(mesh, 8e-4, 3);
  TissueWorkspace workspace;
  std::vector<Vec3d> force(model.free_count()), up(force), down(force);
  std::vector<double> stiffness(9 * model.pattern().blocks()), ignored(stiffness);
  model.derivatives(x, false, workspace, force, stiffness);
  double force_scale = 0, stiffness_scale = 0, worst_force = 0, worst_stiffness = 0;
  for (const Vec3d& f : force) force_scale = std::max(force_scale, length(f));
  for (const double k : stiffness) stiffness_scale = std::max(stiffness_scale, std::abs(k));
  constexpr double step = 1e-7;
  std::vector<double> unit(3 * model.free_count()), column(unit);
  for (std::size_t i = 0; i < model.free_count(); ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      std::vector<Vec3d> plus = x, minus = x;
      plus[model.free_nodes()[i]][r] += step;
      minus[model.free_nodes()[i]][r] -= step;
      worst_force =
          std::max(worst_force, std::abs((model.energy(plus) - model.energy(minus)) / (2 * step) - force[i][r]));
      model.derivatives(plus, false, workspace, up, ignored);
      model.derivatives(minus, false, workspace, down, ignored);
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[3 * i + r] = 1;
      multiply(model.pattern(), stiffness, unit, column);
      for (std::size_t j = 0; j < model.free_count(); ++j)
        for (std::size_t s = 0; s < 3; ++s)
          worst_stiffness =
              std::max(worst_stiffness, std::abs((up[j][s] - down[j][s]) / (2 * step) - column[3 * j + s]));
    }
  }
  // Differences over 2e-7 m of a 1 cm body: rounding of the energy is about 1e-16 / 1e-5 relative to the force.
  EXPECT_LT(worst_force, 1e-6 * force_scale);
  EXPECT_LT(worst_stiffness, 1e-6 * stiffness_scale);
}

TEST_P(Elements, ProjectedStiffnessHasNoNegativeEigenvalue) {
  const TetMesh mesh = bar({1, 1, 1}, {0.01, 0.01, 0.01});
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  bone_of[0] = 0;
  const TissueModel model = model_of(mesh, bone_of, {1, 0.47, law()});
  std::vector<Vec3d> x = mesh.nodes;
  for (Vec3d& v : x) v.x *= 0.5;  // squeezed enough to buckle
  TissueWorkspace workspace;
  std::vector<Vec3d> force(model.free_count());
  std::vector<double> full(9 * model.pattern().blocks()), projected(full), product(3 * model.free_count());
  model.derivatives(x, false, workspace, force, full);
  model.derivatives(x, true, workspace, force, projected);
  double scale = 0;
  for (const double k : full) scale = std::max(scale, std::abs(k));
  Rng rng(1);
  int negative = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> u(product.size());
    double squared = 0, by_full = 0, by_projected = 0;
    for (double& v : u) v = rng.uniform(-1, 1), squared += v * v;
    multiply(model.pattern(), full, u, product);
    for (std::size_t k = 0; k < u.size(); ++k) by_full += u[k] * product[k];
    multiply(model.pattern(), projected, u, product);
    for (std::size_t k = 0; k < u.size(); ++k) by_projected += u[k] * product[k];
    EXPECT_GE(by_projected, -1e-12 * scale * squared);
    EXPECT_GE(by_projected, by_full - 1e-12 * scale * squared);  // only negative parts were taken away
    negative += by_full < by_projected - 1e-9 * scale * squared;
  }
  EXPECT_GT(negative, 0);  // or the projection had nothing to do
}

/// Lateral stretch of a bar that is pulled to `stretch` with free sides: where the stress across it vanishes.
double free_lateral_stretch(const Hyperelastic& h, double stretch) {
  double low = 0.3, high = 2;
  for (int i = 0; i < 200; ++i) {
    const double lateral = (low + high) / 2;
    const Mat3d f = Mat3d::diagonal({lateral, lateral, stretch});
    const double i1 = 2 * lateral * lateral + stretch * stretch;
    (stress(h.density(i1, determinant(f)), f).c0.x > 0 ? high : low) = lateral;
  }
  return (low + high) / 2;
}

// Both ends are held where the closed form has them, the sides are free: the exact solution is a uniform stretch, also
// for elements, so what remains is Newton's tolerance (1e-9 m on a body of 1 cm) and rounding.
TEST_P(Elements, PulledCubeIsTheClosedForm) {
  for (const double stretch : {0.7, 1.3, 1.8}) {
    const Material material{1, 0.4, law()};
    const Hyperelastic h = Hyperelastic::make(material).value();
    const double lateral = free_lateral_stretch(h, stretch);
    const TetMesh mesh = bar({3, 3, 3}, {0.01, 0.01, 0.01});
    std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
    std::vector<Vec3d> exact(mesh.nodes), x(mesh.nodes);
    for (std::size_t v = 0; v < mesh.nodes.size(); ++v) {
      exact[v] = {mesh.nodes[v].x * lateral, mesh.nodes[v].y * lateral, mesh.nodes[v].z * stretch};
      const bool end = mesh.nodes[v].z == 0 || mesh.nodes[v].z > 0.01 - 1e-9;
      if (end)
        bone_of[v] = 0, x[v] = exact[v];
      else
        x[v] = {mesh.nodes[v].x, mesh.nodes[v].y, mesh.nodes[v].z * stretch};
    }
    const TissueModel model = model_of(mesh, bone_of, material);
    NewtonOptions options;
    options.tolerance = 1e-9;
    auto equilibrium = Equilibrium::make(model, options).value();
    const NewtonReport report = equilibrium.solve(x);
    EXPECT_TRUE(report.converged);
    double worst = 0;
    for (std::size_t v = 0; v < x.size(); ++v) worst = std::max(worst, length(x[v] - exact[v]));
    EXPECT_LT(worst, 1e-6 * 0.01) << "stretch " << stretch;
    // The force that pulls is the derivative of the energy by the height.
    const Mat3d f = Mat3d::diagonal({lateral, lateral, stretch});
    const double density = h.energy(2 * lateral * lateral + stretch * stretch, determinant(f));
    EXPECT_NEAR(model.energy(x) / (density * 1e-6), 1, 1e-6);
  }
}

TEST_P(Elements, RigidMotionCostsNothing) {
  const TetMesh mesh = bar({2, 2, 2}, {0.01, 0.02, 0.03});
  const TissueModel model = model_of(mesh, std::vector<std::uint32_t>(mesh.nodes.size(), no_bone), {1, 0.47, law()});
  const double at_rest = model.energy(mesh.nodes);
  const Affined motion{to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 3}), 1.2)), {0.3, -0.1, 0.2}};
  std::vector<Vec3d> x = mesh.nodes;
  for (Vec3d& v : x) v = motion.point(v);
  EXPECT_NEAR(model.energy(x), at_rest, 1e-18);  // of about 1e-6 for a strain of one
  TissueWorkspace workspace;
  std::vector<Vec3d> force(model.free_count());
  std::vector<double> stiffness(9 * model.pattern().blocks());
  model.derivatives(x, false, workspace, force, stiffness);
  for (const Vec3d& f : force) EXPECT_LT(length(f), 1e-16);
}

TEST_P(Elements, SameBitsOnAnyNumberOfThreads) {
  const TetMesh mesh = bar({8, 6, 5}, {0.08, 0.06, 0.05});
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  for (std::size_t v = 0; v < mesh.nodes.size(); ++v)
    if (mesh.nodes[v].x == 0) bone_of[v] = 0;
  const TissueModel model = model_of(mesh, bone_of, {1, 0.47, law()});
  std::vector<Vec3d> first;
  for (const unsigned threads : {1u, 2u}) {
    set_thread_count(threads);
    auto equilibrium = Equilibrium::make(model).value();
    std::vector<Vec3d> x = mesh.nodes;
    for (Vec3d& v : x) v.y += 0.02 * v.x;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (bone_of[v] == 0) x[v] = {mesh.nodes[v].x, mesh.nodes[v].y * 1.1, mesh.nodes[v].z};
    EXPECT_TRUE(equilibrium.solve(x).converged);
    if (first.empty()) first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(Vec3d)), 0) << threads;
  }
  set_thread_count(0);
}

// Nodes shaken through their neighbours; the stable law and the projected Hessian find it.
TEST(TissueModel, RecoversFromInvertedElements) {
  const TetMesh mesh = tet_bar({0.01, 0.01, 0.01}, 4, 4, 4);
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  for (std::size_t v = 0; v < mesh.nodes.size(); ++v)
    if (mesh.nodes[v].x == 0 || mesh.nodes[v].x > 0.01 - 1e-9) bone_of[v] = 0;
  const TissueModel model = model_of(mesh, bone_of);
  std::vector<Vec3d> x = jiggled(mesh, 2e-3, 5);
  for (std::size_t v = 0; v < x.size(); ++v)
    if (bone_of[v] == 0) x[v] = mesh.nodes[v];
  EXPECT_GT(model.health(x).inverted, 50u);
  auto equilibrium = Equilibrium::make(model).value();
  EXPECT_TRUE(equilibrium.solve(x).converged);
  EXPECT_EQ(model.health(x).inverted, 0u);
  for (std::size_t v = 0; v < x.size(); ++v) EXPECT_LT(length(x[v] - mesh.nodes[v]), 1e-5);
}

TEST(TissueModel, RegionsHaveTheirOwnMaterials) {
  // Two halves in series, one ten times as stiff, no lateral strain (nu = 0): the soft one takes ten times the strain.
  const TetMesh mesh = tet_bar({0.01, 0.01, 0.04}, 2, 2, 8);
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone), regions;
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    Vec3d centre{};
    for (std::size_t c = 0; c < 4; ++c) centre += mesh.corner(e, c) * 0.25;
    regions.push_back(centre.z < 0.02 ? 0 : 1);
  }
  std::vector<Vec3d> x = mesh.nodes;
  constexpr double pull = 1e-6;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (mesh.nodes[v].z == 0) bone_of[v] = 0;
    if (mesh.nodes[v].z > 0.04 - 1e-9) bone_of[v] = 1, x[v].z += pull;
  }
  const Material materials[] = {{1, 0}, {10, 0}};
  const TissueModel model = TissueModel::make(mesh, bone_of, materials, regions).value();
  NewtonOptions options;
  options.tolerance = 1e-12;
  EXPECT_TRUE(Equilibrium::make(model, options)->solve(x).converged);
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (std::abs(mesh.nodes[v].z - 0.02) < 1e-9) {
      EXPECT_NEAR((x[v].z - 0.02) / pull, 10.0 / 11, 1e-4);
    }
  }
}

TEST(TissueModel, RefusesWhatDoesNotFit) {
  const TetMesh mesh = tet_bar({1, 1, 1}, 1, 1, 1);
  const Material material;
  const std::span one(&material, 1);
  std::vector<std::uint32_t> held(mesh.nodes.size(), 0), free(mesh.nodes.size(), no_bone);
  EXPECT_FALSE(TissueModel::make(mesh, held, one));       // nothing deforms
  EXPECT_FALSE(TissueModel::make(mesh, {no_bone}, one));  // too few numbers
  const std::vector<std::uint32_t> regions(mesh.element_count(), 3);
  const auto missing = TissueModel::make(mesh, free, one, regions);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().problem.find("region 3"), std::string::npos);
  TetMesh flipped = mesh;
  std::swap(flipped.elements[0], flipped.elements[1]);
  EXPECT_FALSE(TissueModel::make(flipped, free, one));
}

}  // namespace
}  // namespace supple::simulate
