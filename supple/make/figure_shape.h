// The skin of the procedural body as one distance field: rounded solids along the bones, joined smoothly.
#pragma once

#include "supple/base/mat.h"
#include "supple/make/sdf.h"

namespace supple::make {

/// Metres, in the rest pose; the same on both sides of the plane x = 0. Immutable; may be evaluated on any number of
/// threads.
class FigureShape {
 public:
  FigureShape();

  /// Negative inside; changes by less than `lipschitz` per metre.
  double operator()(Vec3d p) const;
  static constexpr double lipschitz = 2.2;
  /// By differences over `step` metres.
  Vec3d gradient(Vec3d p, double step) const;
  /// A point of the surface near p.
  Vec3d project(Vec3d p) const;
  /// Edge length that the shape asks for at p, relative to the trunk's: short on the head, hands and feet.
  double relative_edge(Vec3d p) const;

  static constexpr Vec3d low = {-0.64, -0.03, -0.24}, high = {0.64, 1.74, 0.26};  // contain the surface

 private:
  SmoothUnion middle_, side_;  // side_: of the left
};

}  // namespace supple::make
