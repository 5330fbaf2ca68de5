// Energies against finite differences and Hooke's law.
#include <gtest/gtest.h>

#include "supple/author/simulate/material.h"

#include "supple/base/rng.h"

namespace supple::simulate {
namespace {

Mat3d near_identity(Rng& rng, double spread) {
  Mat3d f;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t r = 0; r < 3; ++r) f[c][r] += rng.uniform(-spread, spread);
  return f;
}
double squared_norm(const Mat3d& m) { return dot(m.c0, m.c0) + dot(m.c1, m.c1) + dot(m.c2, m.c2); }
double inner(const Mat3d& a, const Mat3d& b) { return dot(a.c0, b.c0) + dot(a.c1, b.c1) + dot(a.c2, b.c2); }
double energy(const Hyperelastic& h, const Mat3d& f) { return h.energy(squared_norm(f), determinant(f)); }
Mat3d stress_at(const Hyperelastic& h, const Mat3d& f) { return stress(h.density(squared_norm(f), determinant(f)), f); }

class Laws : public ::testing::TestWithParam<Law> {
 protected:
  Hyperelastic make(double young, double poisson) const {
    return Hyperelastic::make({young, poisson, GetParam()}).value();
  }
};
INSTANTIATE_TEST_SUITE_P(Material, Laws, ::testing::Values(Law::stable_neo_hookean, Law::neo_hookean));

// Central differences of step h are wrong by about h^2 and rounding / h: 1e-9 relative at h = 1e-5.
TEST_P(Laws, StressIsTheDerivativeOfEnergy) {
  Rng rng(1);
  const Hyperelastic h = make(2, 0.47);
  for (int i = 0; i < 200; ++i) {
    const Mat3d f = near_identity(rng, 0.3), p = stress_at(h, f), direction = near_identity(rng, 1);
    constexpr double step = 1e-5;
    const double slope = (energy(h, f + direction * step) - energy(h, f - direction * step)) / (2 * step);
    EXPECT_NEAR(inner(p, direction), slope, 1e-7 * (1 + std::abs(slope)));
  }
}

TEST_P(Laws, HessianModesDiagonaliseTheDerivativeOfStress) {
  Rng rng(2);
  const Hyperelastic h = make(1, 0.45);
  int negative = 0;
  for (int i = 0; i < 200; ++i) {
    const Mat3d f = near_identity(rng, 0.6);
    if (determinant(f) < 0.05 && GetParam() == Law::neo_hookean) continue;  // its energy has a wall there
    HessianMode modes[9];
    hessian_modes(h.density(squared_norm(f), determinant(f)), f, modes);
    double scale = 0;
    for (const HessianMode& m : modes) scale = std::max(scale, std::abs(m.eigenvalue));
    for (std::size_t a = 0; a < 9; ++a) {
      constexpr double step = 1e-6;
      const Mat3d change =
          (stress_at(h, f + modes[a].mode * step) - stress_at(h, f - modes[a].mode * step)) * (0.5 / step);
      EXPECT_LT(norm(change - modes[a].mode * modes[a].eigenvalue), 1e-6 * scale) << "mode " << a;
      for (std::size_t b = 0; b < 9; ++b) EXPECT_NEAR(inner(modes[a].mode, modes[b].mode), a == b ? 1 : 0, 1e-12);
      negative += modes[a].eigenvalue < 0;
    }
  }
  EXPECT_GT(negative, 20);  // or the cases above were too tame
}

TEST_P(Laws, SmallStrainIsHookesLaw) {
  const double young = 3, poisson = 0.4;
  const Hyperelastic h = make(young, poisson);
  EXPECT_LT(norm(stress_at(h, Mat3d{})), 1e-14);  // no stress at rest
  // Uniaxial strain e: stress E (1 - nu) / ((1 + nu)(1 - 2 nu)) e along it. The error is of second order in e.
  constexpr double e = 1e-7;
  const Mat3d p = stress_at(h, Mat3d::diagonal({1 + e, 1, 1}));
  EXPECT_NEAR(p.c0.x / e, young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)), 1e-5);
  EXPECT_NEAR(p.c1.y / e, young * poisson / ((1 + poisson) * (1 - 2 * poisson)), 1e-5);
  Mat3d shear;
  shear[1][0] = e;
  EXPECT_NEAR(stress_at(h, shear)[1][0] / e, young / (2 * (1 + poisson)), 1e-6);
}

TEST(Material, StableLawIsFiniteWhereElementsAreInverted) {
  const auto h = Hyperelastic::make({}).value();
  for (const Vec3d s : {Vec3d{0, 0, 0}, Vec3d{1, 1, 0}, Vec3d{1, 1, -1}, Vec3d{-2, -2, -2}}) {
    const Mat3d f = Mat3d::diagonal(s);
    EXPECT_TRUE(std::isfinite(energy(h, f)));
    EXPECT_TRUE(std::isfinite(norm(stress_at(h, f))));
  }
  EXPECT_FALSE(
      std::isfinite(energy(Hyperelastic::make({1, .3, Law::neo_hookean}).value(), Mat3d::diagonal({1, 1, -1}))));
}

TEST(Material, SingularConstantsAreRefused) {
  for (const Material m : {Material{1, 0.5}, Material{1, 0.7}, Material{1, -1}, Material{0, 0.3}, Material{-1, 0.3},
                           Material{1, std::nan("")}, Material{std::nan(""), 0.3}}) {
    const auto h = Hyperelastic::make(m);
    ASSERT_FALSE(h) << m.young << " " << m.poisson;
    EXPECT_FALSE(h.error().remedy.empty());
  }
}

}  // namespace
}  // namespace supple::simulate
