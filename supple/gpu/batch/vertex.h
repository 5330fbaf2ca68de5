// One vertex in one pose: by its blended matrix to the world, and slopes back from there.
#pragma once

#include <type_traits>

#include "supple/base/mat.h"
#include "supple/gpu/batch/device.h"

namespace supple::gpu {

/// A posed vertex, or the slopes of a loss by one.
template <class Real>
struct BatchVertex {
  Vec3<Real> position, normal;
};

/// 1 / length, 0 of nothing.
template <class Real>
SUPPLE_ON_DEVICE Real over_length(Vec3<Real> v) {
  const Real square = dot(v, v);
#if defined(__CUDA_ARCH__)
  return square > Real(0) ? rsqrt(square) : Real(0);
#else
  return square > Real(0) ? Real(1) / std::sqrt(square) : Real(0);
#endif
}

/// v / |v|, nothing of nothing.
template <class Real>
SUPPLE_ON_DEVICE Vec3<Real> unit_of(Vec3<Real> v) {
#if defined(__CUDA_ARCH__)
  static_assert(std::is_same_v<Real, float>);
  float over;  // without branches for nothing and for numbers that are less than normal
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(over) : "f"(fmaxf(dot(v, v), 1e-36f)));
  return v * over;
#else
  return v * over_length(v);
#endif
}

/// A mirroring matrix has its normals point the other way than its cofactors say.
template <class Real>
SUPPLE_ON_DEVICE Real side_of(const Mat3<Real>& m) {
  return determinant(m) < Real(0) ? Real(-1) : Real(1);
}
/// How `m` carries normals: as it is, or where it scales as its inverse transpose does, up to a positive factor.
template <class Real>
SUPPLE_ON_DEVICE Mat3<Real> carrier_of_normals(const Mat3<Real>& m, bool scaled) {
  return scaled ? cofactor(m) * side_of(m) : m;
}

/// Position and unit normal in the world of a vertex at rest, morph targets added.
template <class Real>
SUPPLE_ON_DEVICE BatchVertex<Real> pose_vertex(const Affine<Real>& m, bool scaled, const BatchVertex<Real>& rest) {
  const Vec3<Real> normal = carrier_of_normals(m.linear, scaled) * rest.normal;
  const Mat3<Real>& l = m.linear;
  const Vec3<Real>& p = rest.position;
  return {m.translation + l.c0 * p.x + l.c1 * p.y + l.c2 * p.z, unit_of(normal)};
}

/// Slopes by the blended matrix, and by the vertex at rest.
template <class Real>
struct VertexSlopes {
  Affine<Real> matrix;
  BatchVertex<Real> rest;
};

/// m^T v
template <class Real>
SUPPLE_ON_DEVICE Vec3<Real> times_transposed(const Mat3<Real>& m, Vec3<Real> v) {
  return {dot(m.c0, v), dot(m.c1, v), dot(m.c2, v)};
}

/// From slopes by what pose_vertex() gave.
template <class Real>
SUPPLE_ON_DEVICE VertexSlopes<Real> slopes_of_vertex(const Affine<Real>& m, bool scaled, const BatchVertex<Real>& rest,
                                                     const BatchVertex<Real>& slopes) {
  VertexSlopes<Real> made;
  made.matrix = {outer(slopes.position, rest.position), slopes.position};
  made.rest.position = times_transposed(m.linear, slopes.position);
  const Mat3<Real> carrier = carrier_of_normals(m.linear, scaled);
  const Vec3<Real> carried = carrier * rest.normal;
  const Real over = over_length(carried);
  const Vec3<Real> unit = carried * over;
  const Vec3<Real> by_carried = (slopes.normal - unit * dot(unit, slopes.normal)) * over;
  made.rest.normal = times_transposed(carrier, by_carried);
  if (!scaled) {
    made.matrix.linear = made.matrix.linear + outer(by_carried, rest.normal);
  } else {  // cofactors: (c1 x c2, c2 x c0, c0 x c1), each linear in two columns
    const Mat3<Real>& l = m.linear;
    const Vec3<Real> turned = by_carried * side_of(l);
    const Vec3<Real> x = turned * rest.normal.x, y = turned * rest.normal.y, z = turned * rest.normal.z;
    made.matrix.linear.c0 += cross(y, l.c2) + cross(l.c1, z);
    made.matrix.linear.c1 += cross(l.c2, x) + cross(z, l.c0);
    made.matrix.linear.c2 += cross(x, l.c1) + cross(l.c0, y);
  }
  return made;
}

}  // namespace supple::gpu
