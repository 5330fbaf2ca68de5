// 3x3 matrices and affine maps, stored by columns; vectors are columns and are multiplied from the right.
#pragma once

#include "supple/base/vec.h"

namespace supple {

template <class T>
struct Mat3 {
  Vec3<T> c0{1, 0, 0}, c1{0, 1, 0}, c2{0, 0, 1};

  constexpr Vec3<T>& operator[](std::size_t column) { return column == 0 ? c0 : column == 1 ? c1 : c2; }
  constexpr const Vec3<T>& operator[](std::size_t column) const { return column == 0 ? c0 : column == 1 ? c1 : c2; }

  friend constexpr Vec3<T> operator*(const Mat3& m, Vec3<T> v) { return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z; }
  friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.c0, a * b.c1, a * b.c2}; }
  friend constexpr Mat3 operator*(const Mat3& a, T s) { return {a.c0 * s, a.c1 * s, a.c2 * s}; }
  friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) { return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2}; }
  friend constexpr Mat3 operator-(const Mat3& a, const Mat3& b) { return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2}; }
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;

  template <class U>
  constexpr explicit operator Mat3<U>() const {
    return {Vec3<U>(c0), Vec3<U>(c1), Vec3<U>(c2)};
  }

  static constexpr Mat3 diagonal(Vec3<T> d) { return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}; }
};

using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;

template <class T>
constexpr Mat3<T> transpose(const Mat3<T>& m) {
  return {{m.c0.x, m.c1.x, m.c2.x}, {m.c0.y, m.c1.y, m.c2.y}, {m.c0.z, m.c1.z, m.c2.z}};
}
template <class T>
constexpr T determinant(const Mat3<T>& m) {
  return dot(m.c0, cross(m.c1, m.c2));
}
/// det(m) * inverse(m)^T: how area vectors, and so normals, are carried by m; defined where m is singular too.
template <class T>
constexpr Mat3<T> cofactor(const Mat3<T>& m) {
  return {cross(m.c1, m.c2), cross(m.c2, m.c0), cross(m.c0, m.c1)};
}
/// The caller checks the determinant.
template <class T>
constexpr Mat3<T> inverse(const Mat3<T>& m) {
  return transpose(cofactor(m)) * (T(1) / determinant(m));
}
template <class T>
constexpr Mat3<T> outer(Vec3<T> a, Vec3<T> b) {
  return {a * b.x, a * b.y, a * b.z};
}
/// The matrix of v -> a x v.
template <class T>
constexpr Mat3<T> cross_matrix(Vec3<T> a) {
  return {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};
}
/// Frobenius norm.
template <class T>
T norm(const Mat3<T>& m) {
  return std::sqrt(dot(m.c0, m.c0) + dot(m.c1, m.c1) + dot(m.c2, m.c2));
}

/// p -> linear * p + translation.
template <class T>
struct Affine {
  Mat3<T> linear{};
  Vec3<T> translation{};

  friend constexpr Affine operator*(const Affine& a, const Affine& b) {
    return {a.linear * b.linear, a.linear * b.translation + a.translation};
  }
  constexpr Vec3<T> point(Vec3<T> p) const { return linear * p + translation; }
  constexpr Vec3<T> vector(Vec3<T> v) const { return linear * v; }
  friend constexpr bool operator==(const Affine&, const Affine&) = default;

  template <class U>
  constexpr explicit operator Affine<U>() const {
    return {Mat3<U>(linear), Vec3<U>(translation)};
  }
};

using Affinef = Affine<float>;
using Affined = Affine<double>;

template <class T>
constexpr Affine<T> inverse(const Affine<T>& a) {
  const Mat3<T> i = inverse(a.linear);
  return {i, -(i * a.translation)};
}

}  // namespace supple
