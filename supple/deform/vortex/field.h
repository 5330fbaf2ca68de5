// The velocity that vortices about a shape give to space, in double precision: what is authored with, and what the
// frame loop's kernel is measured against.
#pragma once

#include <span>

#include "supple/base/mat.h"

namespace supple {

/// V(p) = gain * sum of (1 - |p - p_i|^2 / reach^2)^4 W_i x (p - p_i) over the vortices within reach: equation 11.
/// Every term is a rotation that falls off about its centre, so the sum neither makes nor takes volume.
struct VortexField {
  std::span<const Vec3d> positions, vorticity;  // p_i, W_i; of one number
  double gain = 1, reach = 1;

  Vec3d velocity(Vec3d p) const;
  /// Row a, column b: the change of the a-th component along b.
  Mat3d gradient(Vec3d p) const;
};

/// Where unit time takes a point: classical Runge-Kutta of fourth order.
template <class Velocity>
Vec3d vortex_flow(Velocity&& velocity, Vec3d p, int steps) {
  const double h = 1.0 / steps;
  for (int i = 0; i < steps; ++i) {
    const Vec3d a = velocity(p), b = velocity(p + a * (h / 2)), c = velocity(p + b * (h / 2)), d = velocity(p + c * h);
    p += (a + (b + c) * 2.0 + d) * (h / 6);
  }
  return p;
}

/// Equation 14: how much a displacement of this gradient shears, over all pairs of orthogonal directions.
double shear_strain(const Mat3d& gradient);

}  // namespace supple
