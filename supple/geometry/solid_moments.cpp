#include "supple/geometry/solid_moments.h"

namespace supple {
namespace {

/// Inertia of a spread of mass: trace - spread, with spread = integral of x x^T.
Mat3d inertia_of(const Mat3d& spread) {
  const double trace = spread.c0.x + spread.c1.y + spread.c2.z;
  return Mat3d::diagonal({trace, trace, trace}) - spread;
}

}  // namespace

SolidMoments solid_moments(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  const Vec3d origin(bounds(positions).center());
  double volume = 0;
  Vec3d first{};
  Mat3d second = Mat3d::diagonal({});
  for (const Triangle& t : triangles) {
    const Vec3d a = Vec3d(positions[t[0]]) - origin, b = Vec3d(positions[t[1]]) - origin,
                c = Vec3d(positions[t[2]]) - origin, sum = a + b + c;
    const double v = dot(a, cross(b, c)) / 6;
    volume += v;
    first += sum * (v / 4);
    // Of a tetrahedron with a corner at the origin: integral of x x^T = v / 20 (sum of corners' outer products, and
    // that of their sum).
    second = second + (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum)) * (v / 20);
  }
  SolidMoments result;
  result.volume = volume;
  if (volume == 0) return result;
  const Vec3d centre = first / volume;
  result.centre = origin + centre;
  result.inertia = inertia_of(second - outer(centre, centre) * volume);
  return result;
}

SolidMoments operator+(const SolidMoments& a, const SolidMoments& b) {
  SolidMoments sum;
  sum.volume = a.volume + b.volume;
  if (sum.volume == 0) return sum;
  sum.centre = (a.centre * a.volume + b.centre * b.volume) / sum.volume;
  sum.inertia = a.inertia + b.inertia;
  for (const SolidMoments* one : {&a, &b}) {
    const Vec3d off = one->centre - sum.centre;
    sum.inertia = sum.inertia + inertia_of(outer(off, off) * one->volume);
  }
  return sum;
}

SolidMoments operator*(const SolidMoments& a, double density) {
  return {a.volume * density, a.centre, a.inertia * density};
}

}  // namespace supple
