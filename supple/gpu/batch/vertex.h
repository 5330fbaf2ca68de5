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
  static_assert(std::is_same_v<Real, float>);
  float over;  // without a branch for numbers that are less than normal
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(over) : "f"(square));
  return square >= 1e-36f ? over : 0.0f;
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

/// Slopes by a carrier times a normal that is not yet a unit, from those by the unit. Slopes by the normal at rest are
/// the carrier's transpose times these.
template <class Real>
SUPPLE_ON_DEVICE Vec3<Real> slopes_by_carried(const Mat3<Real>& carrier, Vec3<Real> rest, Vec3<Real> slopes) {
  const Vec3<Real> carried = carrier * rest;
  const Real over = over_length(carried);
  const Vec3<Real> unit = carried * over;
  return (slopes - unit * dot(unit, slopes)) * over;
}
/// From slopes by a carried normal to those by the matrix that the carrier was made of.
template <class Real>
SUPPLE_ON_DEVICE Mat3<Real> slopes_by_matrix(const Mat3<Real>& m, bool scaled, Vec3<Real> rest, Vec3<Real> carried) {
  if (!scaled) return outer(carried, rest);
  // cofactors: (c1 x c2, c2 x c0, c0 x c1), each linear in two columns
  const Vec3<Real> turned = carried * side_of(m);
  const Vec3<Real> x = turned * rest.x, y = turned * rest.y, z = turned * rest.z;
  return {cross(y, m.c2) + cross(m.c1, z), cross(m.c2, x) + cross(z, m.c0), cross(x, m.c1) + cross(m.c0, y)};
}

/// From slopes by what pose_vertex() gave.
template <class Real>
SUPPLE_ON_DEVICE VertexSlopes<Real> slopes_of_vertex(const Affine<Real>& m, bool scaled, const BatchVertex<Real>& rest,
                                                     const BatchVertex<Real>& slopes) {
  const Mat3<Real> carrier = carrier_of_normals(m.linear, scaled);
  const Vec3<Real> by_carried = slopes_by_carried(carrier, rest.normal, slopes.normal);
  const Mat3<Real> by_normals = slopes_by_matrix(m.linear, scaled, rest.normal, by_carried);
  return {{outer(slopes.position, rest.position) + by_normals, slopes.position},
          {times_transposed(m.linear, slopes.position), times_transposed(carrier, by_carried)}};
}

}  // namespace supple::gpu
