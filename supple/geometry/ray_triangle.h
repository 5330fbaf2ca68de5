// Ray against triangle such that neighbours never disagree about their common edge (after Woop, Benthin and Wald 2013,
// "Watertight Ray/Triangle Intersection").
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "supple/base/vec.h"

namespace supple {

/// Coordinates in which the ray is the positive z axis. A corner's coordinates do not depend on the triangle it is seen
/// from, and a side's orientation about the ray is exactly opposite seen from its two triangles.
class RayFrame {
 public:
  RayFrame(Vec3f origin, Vec3f direction) : origin_(origin), direction_(direction) {
    const Vec3d size{std::abs(direction_.x), std::abs(direction_.y), std::abs(direction_.z)};
    z_ = size.x >= size.y && size.x >= size.z ? 0u : (size.y >= size.z ? 1u : 2u);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    if (direction_[z_] < 0) std::swap(x_, y_);  // keeps the frame right-handed
  }

  /// The axis along which the ray is steepest.
  std::size_t depth_axis() const { return z_; }

  /// Depth of the hit in units of the direction's length, from either side of the triangle, edges included; negative
  /// behind the origin. None for triangles seen edge-on.
  std::optional<double> hit(Vec3f a, Vec3f b, Vec3f c) const {
    const Vec3d p = local(a), q = local(b), r = local(c);
    const double u = about(q, r), v = about(r, p), w = about(p, q);
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return std::nullopt;
    const double sum = u + v + w;
    if (!(sum != 0)) return std::nullopt;
    return (u * p.z + v * q.z + w * r.z) / sum;
  }

  /// +1 where the ray, in front of its origin, leaves through the triangle's outer side, -1 where it enters, 0 where it
  /// misses. A ray through an edge or a corner counts for one of the triangles there, so that the sum over a closed
  /// surface is its winding number.
  int crossing(Vec3f a, Vec3f b, Vec3f c) const {
    const Vec3d p = local(a), q = local(b), r = local(c);
    const int turns = step(p, q) + step(q, r) + step(r, p);
    if (turns == 0) return 0;
    const double u = about(q, r), v = about(r, p), w = about(p, q);
    const double sum = u + v + w;
    // Of a triangle seen edge-on the sum is all rounding: then the depth is only known to lie between the corners'.
    const auto [nearest, farthest] = std::minmax({p.z, q.z, r.z});
    const double depth = sum != 0 ? std::clamp((u * p.z + v * q.z + w * r.z) / sum, nearest, farthest) : nearest;
    return depth > 0 ? turns : 0;
  }

 private:
  Vec3d local(Vec3f corner) const {
    const Vec3d d = Vec3d(corner) - origin_;
    const double depth = d[z_] / direction_[z_];
    return {d[x_] - direction_[x_] * depth, d[y_] - direction_[y_] * depth, depth};
  }
  /// Twice the signed area of the triangle from the ray to the side p -> q; about(q, p) is exactly -about(p, q).
  static double about(Vec3d p, Vec3d q) { return p.x * q.y - p.y * q.x; }
  /// How the side p -> q crosses the half line y = 0, x > 0, corners on it counting as below: the three steps of a
  /// triangle add up to its turns about the ray.
  static int step(Vec3d p, Vec3d q) {
    const bool p_above = p.y > 0, q_above = q.y > 0;
    if (p_above == q_above) return 0;
    return q_above ? (about(p, q) > 0 ? 1 : 0) : (about(q, p) > 0 ? -1 : 0);
  }

  Vec3d origin_, direction_;
  std::size_t x_ = 0, y_ = 1, z_ = 2;
};

}  // namespace supple
