#include "supple/deform/vortex/field.h"

#include <numbers>

namespace supple {

Vec3d VortexField::velocity(Vec3d p) const {
  const double inverse = 1 / (reach * reach);
  Vec3d sum{};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3d d = p - positions[i];
    const double f = 1 - squared_length(d) * inverse;
    if (f > 0) sum += cross(vorticity[i], d) * (f * f * f * f);
  }
  return sum * gain;
}

Mat3d VortexField::gradient(Vec3d p) const {
  const double inverse = 1 / (reach * reach);
  Mat3d sum{{}, {}, {}};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3d d = p - positions[i];
    const double f = 1 - squared_length(d) * inverse;
    if (!(f > 0)) continue;
    sum = sum + cross_matrix(vorticity[i]) * (f * f * f * f) +
          outer(cross(vorticity[i], d), d) * (-8 * inverse * f * f * f);
  }
  return sum * gain;
}

double shear_strain(const Mat3d& gradient) {
  const Mat3d j = gradient + Mat3d{}, e = transpose(j) * j - Mat3d{};
  const auto square = [](double x) { return x * x; };
  return 2 * std::numbers::pi / 30 *
         (square(e.c0.x - e.c1.y) + square(e.c1.y - e.c2.z) + square(e.c2.z - e.c0.x) +
          6 * (square(e.c0.y) + square(e.c1.z) + square(e.c2.x)));
}

}  // namespace supple
