#include "supple/base/twist.h"

namespace supple {
namespace {

// sin(x/2)/x
double half_sinc(double x) { return std::abs(x) < 1e-4 ? 0.5 - x * x / 48 : std::sin(x / 2) / x; }

// (1 - cos x)/x^2, written with the half angle so that it does not cancel
double one_minus_cos_over_square(double x) {
  const double h = half_sinc(x);
  return 2 * h * h;
}

// (x - sin x)/x^3; below 0.5 the difference cancels and the series (error < 2e-17) takes over
double x_minus_sin_over_cube(double x) {
  if (std::abs(x) > 0.5) return (x - std::sin(x)) / (x * x * x);
  const double y = x * x;
  return 1.0 / 6 - y / 120 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156))));
}

// (1 - (x/2) cot(x/2))/x^2: the quadratic coefficient of the inverse of the left Jacobian
double inverse_jacobian_coefficient(double x) {
  if (std::abs(x) > 0.5) return (1 - x / 2 / std::tan(x / 2)) / (x * x);
  const double y = x * x;
  return 1.0 / 12 + y * (1.0 / 720 + y * (1.0 / 30240 +
                                          y * (1.0 / 1209600 + y * (1.0 / 47900160 + y * (691.0 / 1307674368000.0)))));
}

}  // namespace

Quatd exp_rotation(Vec3d angular) {
  const double angle = length(angular);
  const Vec3d v = angular * half_sinc(angle);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

Vec3d log_rotation(Quatd q) {
  if (q.w < 0) q = -q;
  const double s = length(q.xyz());
  const double angle = 2 * std::atan2(s, q.w);        // well conditioned at 0 and at pi
  return q.xyz() * (s < 1e-8 ? 2 / q.w : angle / s);  // s -> 0: angle/s -> 2/w with relative error s^2
}

Affined exp(const Twistd& t) {
  const double angle = length(t.angular);
  const Vec3d wxv = cross(t.angular, t.linear);
  const Vec3d translation =
      t.linear + wxv * one_minus_cos_over_square(angle) + cross(t.angular, wxv) * x_minus_sin_over_cube(angle);
  return {to_matrix(exp_rotation(t.angular)), translation};
}

Twistd log(const Affined& motion) {
  const Vec3d w = log_rotation(from_matrix(motion.linear));
  const Vec3d wxp = cross(w, motion.translation);
  return {w, motion.translation - wxp * 0.5 + cross(w, wxp) * inverse_jacobian_coefficient(length(w))};
}

Affined power(const Affined& motion, double t) { return exp(log(motion) * t); }

}  // namespace supple
