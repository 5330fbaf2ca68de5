#include "supple/base/transform.h"

#include <limits>

namespace supple {

Polar<double> polar(const Mat3<double>& m) {
  const double det = determinant(m);
  const Mat3<double> flipped = det < 0 ? m * -1.0 : m;  // the iteration keeps the sign of det: iterate on a proper map
  Mat3<double> r = flipped;
  for (int i = 0; i < 64 && std::abs(determinant(r)) > std::numeric_limits<double>::min(); ++i) {
    const Mat3<double> inv_t = transpose(inverse(r));
    const double gamma = std::sqrt(norm(inv_t) / norm(r));  // scaled: quadratic convergence from far away
    const Mat3<double> next = (r * gamma + inv_t * (1 / gamma)) * 0.5;
    const double change = norm(next - r);
    r = next;
    if (change < 1e-15 * norm(r)) break;
  }
  return {r, transpose(r) * m};
}

Transformf decompose(const Affined& a, double* shear) {
  Mat3d m = a.linear;
  Vec3d scale{length(m.c0), length(m.c1), length(m.c2)};
  if (determinant(m) < 0) scale.x = -scale.x;  // a reflection is carried by x, as three.js and Blender do
  for (std::size_t i = 0; i < 3; ++i) {
    if (scale[i] != 0) m[i] = m[i] / scale[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {  // a flattened axis points wherever the other two leave room
    const Vec3d next = m[(i + 1) % 3], last = m[(i + 2) % 3];
    if (scale[i] != 0) continue;
    m[i] = normalized(cross(next, last));
    if (m[i] == Vec3d{}) m[i] = any_perpendicular(next == Vec3d{} ? last : next);
    if (m[i] == Vec3d{}) m[i] = Mat3d{}[i];
  }
  if (shear != nullptr) {
    *shear = std::max({std::abs(dot(m.c0, m.c1)), std::abs(dot(m.c1, m.c2)), std::abs(dot(m.c2, m.c0))});
  }
  return {Vec3f(a.translation), Quatf(from_matrix(polar(m).rotation)), Vec3f(scale)};
}

}  // namespace supple
