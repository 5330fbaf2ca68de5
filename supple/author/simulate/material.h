// Hyperelastic flesh: energy densities of two invariants of the deformation gradient F, I = |F|^2 and J = det F.
#pragma once

#include "supple/base/mat.h"
#include "supple/base/result.h"

namespace supple::simulate {

enum class Law {
  /// Smith, de Goes, Kim 2018, eq. 14: finite for flat and inverted elements, so Newton's method recovers from them.
  stable_neo_hookean,
  /// mu/2 (J^(-2/3) I - 3) + K/2 (J - 1)^2, as engineering codes have it: infinite for inverted elements. For
  /// comparisons.
  neo_hookean,
};

struct Material {
  double young = 1;       // only ratios between regions matter: bones prescribe displacements, not forces
  double poisson = 0.47;  // .5 is incompressible: linear elements lock from about .48 on, quadratic from .495
  Law law = Law::stable_neo_hookean;
};

/// Energy density and its derivatives by I and J.
struct EnergyDensity {
  double value = 0, i = 0, j = 0, ii = 0, ij = 0, jj = 0;
};

/// A material with its constants worked out.
class Hyperelastic {
 public:
  /// Young's modulus must be positive and Poisson's ratio between -1 and .5, both exclusive.
  static Result<Hyperelastic> make(const Material& material);

  double energy(double i, double j) const;  // infinite where the law does not allow j
  EnergyDensity density(double i, double j) const;
  const Material& material() const { return material_; }
  double shear_modulus() const { return shear_; }  // for small strain
  double bulk_modulus() const { return bulk_; }

 private:
  Material material_;
  double shear_ = 0, bulk_ = 0;
  double mu_ = 0, lambda_ = 0, alpha_ = 1;  // of the stable law
};

/// First Piola-Kirchhoff stress 2 psi_I F + psi_J cof(F).
Mat3d stress(const EnergyDensity& density, const Mat3d& f);

/// One eigenvector of the energy's 9x9 Hessian with its eigenvalue.
struct HessianMode {
  double eigenvalue = 0;
  Mat3d mode;  // Frobenius norm 1
};
/// All nine, in closed form through the singular values of F (Smith, de Goes, Kim 2019, for any energy of I and J).
void hessian_modes(const EnergyDensity& density, const Mat3d& f, HessianMode (&modes)[9]);

}  // namespace supple::simulate
