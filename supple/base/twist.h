// SE(3) exponential and logarithm in closed form: a rigid motion as one constant screw, and back.
#pragma once

#include "supple/base/transform.h"

namespace supple {

/// A screw: `angular` = axis * angle (radians), `linear` = velocity of the frame's origin. exp(twist) is the motion
/// after unit time under that constant velocity.
template <class T>
struct Twist {
  Vec3<T> angular{}, linear{};
  friend constexpr Twist operator*(Twist t, T s) { return {t.angular * s, t.linear * s}; }
};

using Twistd = Twist<double>;

/// Rotation vector -> unit quaternion, exact to rounding at every angle.
Quatd exp_rotation(Vec3d angular);
/// Unit quaternion -> rotation vector of length in [0, pi]; q and -q give the same vector (up to the choice of axis at
/// pi).
Vec3d log_rotation(Quatd q);

Affined exp(const Twistd& twist);
/// `motion.linear` must be a rotation. The angle lies in [0, pi]; series near 0, half-angle form near pi, so that
/// exp(log(m)) = m to rounding everywhere.
Twistd log(const Affined& motion);
/// exp(t log(m)): the screw motion from the identity (t = 0) to m (t = 1).
Affined power(const Affined& motion, double t);

}  // namespace supple
