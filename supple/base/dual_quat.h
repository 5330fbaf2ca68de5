// Unit dual quaternions: rigid motions that blend without losing volume.
#pragma once

#include "supple/base/transform.h"

namespace supple {

/// Motion p -> rotate(real, p) + translation, with dual = translation * real / 2.
template <class T>
struct DualQuat {
  Quat<T> real{}, dual{0, 0, 0, 0};

  friend constexpr DualQuat operator*(const DualQuat& a, const DualQuat& b) {
    return {a.real * b.real, a.real * b.dual + a.dual * b.real};
  }
  friend constexpr DualQuat operator*(const DualQuat& a, T s) { return {a.real * s, a.dual * s}; }
  friend constexpr DualQuat operator+(const DualQuat& a, const DualQuat& b) {
    return {a.real + b.real, a.dual + b.dual};
  }
  friend constexpr DualQuat operator-(const DualQuat& a) { return {-a.real, -a.dual}; }

  constexpr Vec3<T> translation() const { return (dual * conjugate(real)).xyz() * T(2); }
  constexpr Vec3<T> point(Vec3<T> p) const { return rotate(real, p) + translation(); }
};

using DualQuatf = DualQuat<float>;
using DualQuatd = DualQuat<double>;

template <class T>
constexpr DualQuat<T> make_dual_quat(Quat<T> rotation, Vec3<T> t) {
  return {rotation, Quat<T>{t.x, t.y, t.z, 0} * rotation * T(0.5)};
}
/// Divides by the real part's length. The dual part's component along the real one, which a blend may leave behind,
/// does not move points (translation() drops it), so it is not removed.
template <class T>
DualQuat<T> normalized(const DualQuat<T>& q) {
  return q * (T(1) / std::sqrt(dot(q.real, q.real)));
}

}  // namespace supple
