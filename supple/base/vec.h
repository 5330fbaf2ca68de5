// Three-component vectors. Plain aggregates, so a span of them is a span of tightly packed scalars.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace supple {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  constexpr Vec3& operator+=(Vec3 b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  constexpr Vec3& operator-=(Vec3 b) { return *this = {x - b.x, y - b.y, z - b.z}; }
  constexpr Vec3& operator*=(T s) { return *this = {x * s, y * s, z * s}; }

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator*(T s, Vec3 a) { return a * s; }
  friend constexpr Vec3 operator/(Vec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;

  template <class U>
  constexpr explicit operator Vec3<U>() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

template <class T>
constexpr T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
constexpr T squared_length(Vec3<T> a) {
  return dot(a, a);
}
template <class T>
T length(Vec3<T> a) {
  return std::sqrt(dot(a, a));
}
/// Unit vector, or `fallback` where `a` has no direction.
template <class T>
Vec3<T> normalized(Vec3<T> a, Vec3<T> fallback = {}) {
  const T n = length(a);
  return n > T(0) ? a / n : fallback;
}
/// Component-wise product: what a scale does to a point.
template <class T>
constexpr Vec3<T> scaled(Vec3<T> a, Vec3<T> s) {
  return {a.x * s.x, a.y * s.y, a.z * s.z};
}
template <class T>
constexpr Vec3<T> min(Vec3<T> a, Vec3<T> b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
template <class T>
constexpr Vec3<T> max(Vec3<T> a, Vec3<T> b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
template <class T>
constexpr Vec3<T> lerp(Vec3<T> a, Vec3<T> b, T t) {
  return a * (T(1) - t) + b * t;
}
template <class T>
bool is_finite(Vec3<T> a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
/// Any unit vector perpendicular to the unit vector `n`.
template <class T>
Vec3<T> any_perpendicular(Vec3<T> n) {
  const Vec3<T> helper = std::abs(n.x) < T(0.6) ? Vec3<T>{1, 0, 0} : Vec3<T>{0, 1, 0};
  return normalized(cross(n, helper));
}

}  // namespace supple
