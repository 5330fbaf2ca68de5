// Unit quaternions for rotations, in glTF's order (x, y, z, w).
#pragma once

#include "supple/base/mat.h"

namespace supple {

template <class T>
struct Quat {
  T x{0}, y{0}, z{0}, w{1};

  constexpr Vec3<T> xyz() const { return {x, y, z}; }

  friend constexpr Quat operator*(Quat a, Quat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
  friend constexpr Quat operator*(Quat a, T s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }
  friend constexpr Quat operator+(Quat a, Quat b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
  friend constexpr Quat operator-(Quat a) { return {-a.x, -a.y, -a.z, -a.w}; }
  friend constexpr bool operator==(const Quat&, const Quat&) = default;

  template <class U>
  constexpr explicit operator Quat<U>() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z), static_cast<U>(w)};
  }
};

using Quatf = Quat<float>;
using Quatd = Quat<double>;

template <class T>
constexpr T dot(Quat<T> a, Quat<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class T>
constexpr Quat<T> conjugate(Quat<T> q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
Quat<T> normalized(Quat<T> q) {
  const T n = std::sqrt(dot(q, q));
  return n > T(0) ? q * (T(1) / n) : Quat<T>{};
}
template <class T>
constexpr Vec3<T> rotate(Quat<T> q, Vec3<T> v) {
  const Vec3<T> t = T(2) * cross(q.xyz(), v);
  return v + q.w * t + cross(q.xyz(), t);
}
/// `axis` is a unit vector, `angle` in radians.
template <class T>
Quat<T> from_axis_angle(Vec3<T> axis, T angle) {
  const Vec3<T> v = axis * std::sin(angle / 2);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}
template <class T>
constexpr Mat3<T> to_matrix(Quat<T> q) {
  const T xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const T xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}
/// `m` is a rotation. Branches on the largest component, so every angle up to pi keeps full precision.
template <class T>
Quat<T> from_matrix(const Mat3<T>& m) {
  const T xx = m.c0.x, yy = m.c1.y, zz = m.c2.z;
  Quat<T> q;
  if (xx + yy + zz > 0) {
    q = {m.c1.z - m.c2.y, m.c2.x - m.c0.z, m.c0.y - m.c1.x, 1 + xx + yy + zz};
  } else if (xx >= yy && xx >= zz) {
    q = {1 + xx - yy - zz, m.c1.x + m.c0.y, m.c2.x + m.c0.z, m.c1.z - m.c2.y};
  } else if (yy >= zz) {
    q = {m.c1.x + m.c0.y, 1 - xx + yy - zz, m.c2.y + m.c1.z, m.c2.x - m.c0.z};
  } else {
    q = {m.c2.x + m.c0.z, m.c2.y + m.c1.z, 1 - xx - yy + zz, m.c0.y - m.c1.x};
  }
  return normalized(q);
}
/// Angle in [0, pi] of the rotation from a to b.
template <class T>
T angle_between(Quat<T> a, Quat<T> b) {
  const Quat<T> d = conjugate(a) * b;
  return 2 * std::atan2(length(d.xyz()), std::abs(d.w));
}
/// Spherical interpolation along the shorter arc, as glTF prescribes for LINEAR rotations.
template <class T>
Quat<T> slerp(Quat<T> a, Quat<T> b, T t) {
  T c = dot(a, b);
  if (c < 0) {
    b = -b;
    c = -c;
  }
  if (c > T(0.9995)) return normalized(a * (1 - t) + b * t);
  const T angle = std::acos(c), s = std::sin(angle);
  return normalized(a * (std::sin((1 - t) * angle) / s) + b * (std::sin(t * angle) / s));
}
/// Shortest rotation that takes unit vector `from` to unit vector `to`.
template <class T>
Quat<T> rotation_between(Vec3<T> from, Vec3<T> to) {
  const T c = dot(from, to);
  if (c < T(-1) + T(1e-6)) {
    const Vec3<T> axis = any_perpendicular(from);
    return {axis.x, axis.y, axis.z, 0};
  }
  const Vec3<T> v = cross(from, to);
  return normalized(Quat<T>{v.x, v.y, v.z, 1 + c});
}

}  // namespace supple
