// A smooth deformation of space that takes given points to given places (Kurihara and Miyata 2004, eq. 3-5).
#pragma once

#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple::scan {

/// p -> p + sum_j c_j phi(|p - from_j|), phi(r) = exp(-r / reach), with one vector c_j for each point: the paper's
/// single number per point leaves three equations for one unknown. phi is positive definite, so the points are met
/// exactly.
class PointWarp {
 public:
  /// `from` and `to`: #points, metres. No points: nothing moves. The error names two points that lie in one place.
  static Result<PointWarp> build(std::span<const Vec3d> from, std::span<const Vec3d> to, double reach);

  Vec3d operator()(Vec3d p) const;

 private:
  std::vector<Vec3d> centres_, coefficients_;
  double reach_ = 1;
};

}  // namespace supple::scan
