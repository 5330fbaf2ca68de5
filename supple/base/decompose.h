// Eigenvalues of symmetric 3x3 matrices and singular values of any, by Jacobi rotations: accurate for small values too.
#pragma once

#include "supple/base/mat.h"

namespace supple {

/// a = vectors * diag(values) * vectors^T; values ascend, vectors are a rotation.
struct SymmetricEigen {
  Vec3d values{};
  Mat3d vectors{};
};
/// Reads the lower triangle of `a`.
SymmetricEigen symmetric_eigen(const Mat3d& a);

/// a = u * diag(values) * v^T with u and v rotations. Values descend by size; the last one carries the sign of det(a),
/// so a reflection shows as a negative singular value.
struct RotationSvd {
  Mat3d u{};
  Vec3d values{};
  Mat3d v{};
};
RotationSvd rotation_svd(const Mat3d& a);

}  // namespace supple
