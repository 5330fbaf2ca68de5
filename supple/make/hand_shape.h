// The skin of the procedural hand as one distance field: flesh over the bones, then creases and nails.
#pragma once

#include <array>
#include <vector>

#include "supple/make/hand_anatomy.h"
#include "supple/make/hand_details.h"
#include "supple/make/sdf.h"

namespace supple::make {

/// In anatomical space, millimetres. Immutable; may be evaluated on any number of threads.
class HandShape {
 public:
  explicit HandShape(const HandAnatomy& anatomy);

  /// Negative inside; changes by less than `lipschitz` per millimetre.
  double operator()(Vec3d p) const;
  static constexpr double lipschitz = 1.8;
  /// By differences over `step` millimetres: relief finer than that is averaged.
  Vec3d gradient(Vec3d p, double step) const;
  /// A point of the surface near p.
  Vec3d project(Vec3d p) const;
  /// Edge length that the shape asks for at p, relative to the palm's: short at tips and creases, long on the forearm.
  double relative_edge(Vec3d p) const;

  static constexpr Vec3d low = {-78, -46, -70}, high = {106, 194, 36};  // contain the surface

 private:
  double flesh(Vec3d p) const;

  SmoothUnion palm_, knuckles_;
  std::array<SmoothUnion, 5> digits_;
  std::array<RoundCone, 5> digit_hulls_;
  RoundCone hollow_;
  HandDetails details_;
};

}  // namespace supple::make
