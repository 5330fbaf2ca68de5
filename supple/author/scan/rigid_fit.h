// The motion that takes one list of points onto another.
#pragma once

#include <span>

#include "supple/base/mat.h"

namespace supple::scan {

/// p -> scale * turn p + shift.
struct Similarity {
  Mat3d turn{};
  double scale = 1;
  Vec3d shift{};
  Vec3d point(Vec3d p) const { return turn * p * scale + shift; }
  Affined affine() const { return {turn * scale, shift}; }
};
/// Least squares from `from` to `to`, of the same size (Umeyama 1991); never mirrors.
Similarity fit_similarity(std::span<const Vec3d> from, std::span<const Vec3d> to);

/// The same without a scale.
Affined fit_rigid(std::span<const Vec3d> from, std::span<const Vec3d> to);

}  // namespace supple::scan
