// Signed distance fields of simple solids and their smooth combinations: what organic shapes are modelled with.
// Lengths are in whatever unit the caller uses; fields are negative inside.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "supple/base/mat.h"

namespace supple::make {

/// The minimum, rounded over a band of width k: equal to min(a, b) where |a - b| >= k, twice differentiable.
inline double smooth_min(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * h * k / 6;
}
inline double smooth_max(double a, double b, double k) { return -smooth_min(-a, -b, k); }

/// 1 at distance 0, 0 from `radius` on, twice differentiable.
inline double bump(double distance, double radius) {
  const double t = std::max(0.0, 1 - distance * distance / (radius * radius));
  return t * t * t;
}
/// 0 up to `from`, 1 beyond `to`, smooth between; `from` may be the larger one.
inline double ramp(double x, double from, double to) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// A ball swept along a segment while its radius changes linearly, with a cross-section stretched along two axes; an
/// ellipsoid where the segment has no length. Where it is stretched the value is the distance in the unstretched space.
class RoundCone {
 public:
  /// `side` is any vector across the segment: the cross-section is scaled by `wide` along it and by `thick` across
  /// both.
  RoundCone(Vec3d a, Vec3d b, double radius_a, double radius_b, Vec3d side = {}, double wide = 1, double thick = 1)
      : origin_(a), length_(supple::length(b - a)), radius_a_(radius_a), radius_b_(radius_b) {
    const Vec3d y = (b - a) / length_;
    const Vec3d x = squared_length(side) > 0 ? normalized(side - y * dot(side, y)) : any_perpendicular(y);
    finish({x, y, cross(x, y)}, {wide, 1, thick});
  }
  static RoundCone ellipsoid(Vec3d center, double radius, Vec3d stretch = {1, 1, 1}, const Mat3d& axes = {}) {
    return RoundCone(center, radius, stretch, axes);
  }

  double operator()(Vec3d p) const {
    const Vec3d q = to_local_ * (p - origin_);
    const double across = std::sqrt(q.x * q.x + q.z * q.z);
    const double k = cosine_ * q.y - sine_ * across;
    if (k <= 0) return std::sqrt(across * across + q.y * q.y) - radius_a_;
    if (k >= cosine_ * length_) return std::sqrt(across * across + (q.y - length_) * (q.y - length_)) - radius_b_;
    return across * cosine_ + q.y * sine_ - radius_a_;
  }
  /// Whether the value at p is certainly at least `bound`; a cheap test by a ball around the solid.
  bool is_beyond(Vec3d p, double bound) const {
    const double reach = (bound + ball_radius_) * largest_stretch_;
    return reach <= 0 || squared_length(p - ball_center_) >= reach * reach;
  }
  Vec3d ball_center() const { return ball_center_; }
  double ball_radius() const { return ball_radius_ * largest_stretch_; }

 private:
  RoundCone(Vec3d center, double radius, Vec3d stretch, const Mat3d& axes)
      : origin_(center), length_(0), radius_a_(radius), radius_b_(radius) {
    finish(axes, stretch);
  }
  void finish(const Mat3d& axes, Vec3d stretch) {
    to_local_ = transpose(Mat3d{axes.c0 / stretch.x, axes.c1 / stretch.y, axes.c2 / stretch.z});
    sine_ = length_ > 0 ? (radius_a_ - radius_b_) / length_ : 0;
    cosine_ = std::sqrt(std::max(1e-9, 1 - sine_ * sine_));
    largest_stretch_ = std::max({stretch.x, stretch.y, stretch.z});
    ball_center_ = origin_ + axes.c1 * (length_ / 2);
    ball_radius_ = length_ / 2 + std::max(radius_a_, radius_b_);
  }

  Vec3d origin_;
  Mat3d to_local_;
  double length_, radius_a_, radius_b_, sine_ = 0, cosine_ = 1;
  Vec3d ball_center_{};
  double ball_radius_ = 0, largest_stretch_ = 1;
};

/// Solids joined one after another, each with its own rounding. Solids too far away to matter are skipped, which does
/// not change the value: a smooth minimum is exact outside its band.
class SmoothUnion {
 public:
  void add(const RoundCone& solid, double rounding) { parts_.push_back({solid, rounding}); }

  double operator()(Vec3d p) const { return joined(p, std::numeric_limits<double>::infinity()); }
  /// The union with something whose value at p is `value`.
  double joined(Vec3d p, double value) const {
    for (const Part& part : parts_) {
      if (std::isinf(value)) {
        value = part.solid(p);
      } else if (!part.solid.is_beyond(p, value + part.rounding)) {
        value = smooth_min(value, part.solid(p), part.rounding);
      }
    }
    return value;
  }

 private:
  struct Part {
    RoundCone solid;
    double rounding;
  };
  std::vector<Part> parts_;
};

}  // namespace supple::make
