#include "supple/author/simulate/material.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/decompose.h"

namespace supple::simulate {

Result<Hyperelastic> Hyperelastic::make(const Material& material) {
  const double young = material.young, poisson = material.poisson;
  if (!(young > 0) || !std::isfinite(young))
    return Error{"material", "Young's modulus " + std::to_string(young) + " is not positive", "give one above 0"};
  if (!(poisson > -1 && poisson < 0.5)) {
    return Error{"material", "Poisson's ratio " + std::to_string(poisson) + " makes the equations singular",
                 "give one between -1 and .5, both exclusive; flesh is .47 for linear and up to .49 for quadratic "
                 "elements"};
  }
  Hyperelastic h;
  h.material_ = material;
  h.shear_ = young / (2 * (1 + poisson));
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  h.bulk_ = lame + h.shear_ * 2 / 3;
  // The stable law linearises to Lame's constants only with these corrections (section 3.4 there).
  h.mu_ = h.shear_ * 4 / 3;
  h.lambda_ = lame + h.shear_ * 5 / 6;
  h.alpha_ = 1 + h.mu_ / h.lambda_ - h.mu_ / (4 * h.lambda_);
  if (material.law == Law::stable_neo_hookean && !(h.lambda_ > 0)) {
    return Error{"material", "Poisson's ratio " + std::to_string(poisson) + " has no stable law",
                 "give one above -.3: flesh does not thicken when it is stretched"};
  }
  return h;
}

double Hyperelastic::energy(double i, double j) const {
  if (material_.law == Law::stable_neo_hookean) {
    const double stretch = j - alpha_;
    return mu_ / 2 * (i - 3) + lambda_ / 2 * stretch * stretch - mu_ / 2 * std::log(i + 1);
  }
  if (j <= 0) return std::numeric_limits<double>::infinity();
  const double cube_root = std::cbrt(j);
  return shear_ / 2 * (i / (cube_root * cube_root) - 3) + bulk_ / 2 * (j - 1) * (j - 1);
}

EnergyDensity Hyperelastic::density(double i, double j) const {
  EnergyDensity d;
  d.value = energy(i, j);
  if (material_.law == Law::stable_neo_hookean) {
    const double r = 1 / (i + 1);
    d.i = mu_ / 2 * (1 - r);
    d.ii = mu_ / 2 * r * r;
    d.j = lambda_ * (j - alpha_);
    d.jj = lambda_;
    return d;
  }
  const double cube_root = std::cbrt(j), s = 1 / (cube_root * cube_root);  // J^(-2/3)
  d.i = shear_ / 2 * s;
  d.j = -shear_ / 3 * s / j * i + bulk_ * (j - 1);
  d.ij = -shear_ / 3 * s / j;
  d.jj = shear_ * 5 / 9 * s / (j * j) * i + bulk_;
  return d;
}

Mat3d stress(const EnergyDensity& d, const Mat3d& f) { return f * (2 * d.i) + cofactor(f) * d.j; }

void hessian_modes(const EnergyDensity& d, const Mat3d& f, HessianMode (&modes)[9]) {
  const auto [u, s, v] = rotation_svd(f);
  const Mat3d vt = transpose(v);
  const Vec3d g{s.y * s.z, s.x * s.z, s.x * s.y};  // singular values of the cofactor
  Mat3d a;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t r = 0; r < 3; ++r) {
      a[k][r] = 4 * d.ii * s[k] * s[r] + 2 * d.ij * (s[k] * g[r] + g[k] * s[r]) + d.jj * g[k] * g[r] +
                (k == r ? 2 * d.i : d.j * s[3 - k - r]);
    }
  }
  const SymmetricEigen stretches = symmetric_eigen(a);
  for (std::size_t k = 0; k < 3; ++k) {
    modes[k] = {stretches.values[k], u * (Mat3d::diagonal(stretches.vectors[k]) * vt)};
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    Mat3d twist = Mat3d::diagonal({}), flip = twist;
    twist[j][i] = -std::numbers::sqrt2 / 2;
    twist[i][j] = flip[i][j] = flip[j][i] = std::numbers::sqrt2 / 2;
    modes[3 + k] = {2 * d.i + d.j * s[k], u * (twist * vt)};
    modes[6 + k] = {2 * d.i - d.j * s[k], u * (flip * vt)};
  }
}

}  // namespace supple::simulate
