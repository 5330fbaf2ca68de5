// Numbers that know their slopes: a function written for any number type gives its derivatives by the rotation of one
// joint, four numbers, when it is called with these.
#pragma once

#include <type_traits>

#include "supple/gpu/batch/device.h"

namespace supple::gpu {

struct Sloped {
  double value = 0;
  double slopes[4] = {0, 0, 0, 0};  // by x, y, z and w of the rotation

  SUPPLE_ON_DEVICE Sloped() {}
  SUPPLE_ON_DEVICE Sloped(double constant) : value(constant) {}
  /// The number `place` of the rotation itself.
  SUPPLE_ON_DEVICE static Sloped variable(double value, int place) {
    Sloped made(value);
    made.slopes[place] = 1;
    return made;
  }
  /// f(a), whose derivative there is `slope`.
  SUPPLE_ON_DEVICE static Sloped chain(double value, double slope, const Sloped& a) {
    Sloped made(value);
    for (int i = 0; i < 4; ++i) made.slopes[i] = slope * a.slopes[i];
    return made;
  }

  SUPPLE_ON_DEVICE friend Sloped operator+(const Sloped& a, const Sloped& b) {
    Sloped sum(a.value + b.value);
    for (int i = 0; i < 4; ++i) sum.slopes[i] = a.slopes[i] + b.slopes[i];
    return sum;
  }
  SUPPLE_ON_DEVICE friend Sloped operator-(const Sloped& a) { return chain(-a.value, -1, a); }
  SUPPLE_ON_DEVICE friend Sloped operator-(const Sloped& a, const Sloped& b) { return a + -b; }
  SUPPLE_ON_DEVICE friend Sloped operator*(const Sloped& a, const Sloped& b) {
    Sloped product(a.value * b.value);
    for (int i = 0; i < 4; ++i) product.slopes[i] = a.value * b.slopes[i] + a.slopes[i] * b.value;
    return product;
  }
};

SUPPLE_ON_DEVICE inline double value_of(double x) { return x; }
SUPPLE_ON_DEVICE inline double value_of(const Sloped& x) { return x.value; }

SUPPLE_ON_DEVICE inline double root(double x) { return std::sqrt(x); }
/// Of 0, where it has no slope: 0.
SUPPLE_ON_DEVICE inline Sloped root(const Sloped& x) {
  const double r = std::sqrt(x.value);
  return Sloped::chain(r, r > 0 ? 0.5 / r : 0, x);
}
SUPPLE_ON_DEVICE inline double decay_of(double x) { return std::exp(-x); }
SUPPLE_ON_DEVICE inline Sloped decay_of(const Sloped& x) {
  const double e = std::exp(-x.value);
  return Sloped::chain(e, -e, x);
}
/// The angle that has this sine and this cosine (both times a positive number).
SUPPLE_ON_DEVICE inline double angle_of(double sine, double cosine) { return std::atan2(sine, cosine); }
SUPPLE_ON_DEVICE inline Sloped angle_of(const Sloped& sine, const Sloped& cosine) {
  const double square = sine.value * sine.value + cosine.value * cosine.value;
  const double scale = square > 0 ? 1 / square : 0;
  Sloped made(std::atan2(sine.value, cosine.value));
  for (int i = 0; i < 4; ++i) made.slopes[i] = (sine.slopes[i] * cosine.value - sine.value * cosine.slopes[i]) * scale;
  return made;
}

/// A rotation as numbers of any type. Quat<T> of supple/base serves plain numbers alone.
template <class T>
struct Turn {
  T x, y, z, w;
};

template <class T, class U>
SUPPLE_ON_DEVICE T turn_dot(const Turn<T>& a, const Turn<U>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
/// a^-1 b
template <class T, class U>
SUPPLE_ON_DEVICE auto turn_between(const Turn<T>& a, const Turn<U>& b) {
  using V = decltype(a.x * b.x);
  return Turn<V>{a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
                 a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}

}  // namespace supple::gpu
