// Translation, rotation, scale: the local transform of a joint, as glTF stores it.
#pragma once

#include "supple/base/quat.h"

namespace supple {

template <class T>
struct Transform {
  Vec3<T> translation{};
  Quat<T> rotation{};
  Vec3<T> scale{1, 1, 1};

  /// translate * rotate * scale
  constexpr Affine<T> affine() const {
    const Mat3<T> r = to_matrix(rotation);
    return {{r.c0 * scale.x, r.c1 * scale.y, r.c2 * scale.z}, translation};
  }
  friend constexpr bool operator==(const Transform&, const Transform&) = default;
};

using Transformf = Transform<float>;

/// The closest rotation to `m` (polar decomposition, Higham's Newton iteration) and the symmetric rest:
/// m = rotation * stretch. Where det m < 0 the stretch carries the reflection.
template <class T>
struct Polar {
  Mat3<T> rotation, stretch;
};
Polar<double> polar(const Mat3<double>& m);

/// Orthonormal and right-handed: the direction of the first column, that of the second across it, and what completes
/// them. Of a joint's axes what is left when scale is taken out; finite for every finite matrix, collapsed ones too.
template <class T>
Mat3<T> unscaled_axes(const Mat3<T>& m) {
  const Vec3<T> x = normalized(m.c0, Vec3<T>{1, 0, 0});
  const Vec3<T> y = normalized(m.c1 - x * dot(m.c1, x), any_perpendicular(x));
  return {x, y, cross(x, y)};
}

/// Splits an affine map into translation, rotation and scale. Shear, which glTF forbids, is dropped; `shear` receives
/// its size relative to the scale so that a reader can warn.
Transformf decompose(const Affined& a, double* shear = nullptr);

}  // namespace supple
