// How well a rigid motion is known: turn and shift together, since a turn about one point shifts all others.
#pragma once

#include <array>

#include "supple/base/mat.h"

namespace supple::scan {

/// Of the small motion that would have to follow the stated one: a turn (radians, about x, y, z) and the shift of one
/// point (metres), in the space that the motion leads to.
struct MotionCovariance {
  using Matrix = std::array<std::array<double, 6>, 6>;
  Matrix matrix{};  // symmetric: turn x, y, z, shift x, y, z
  Vec3d about{};    // the point whose shift is told

  Mat3d turn() const { return block(0); }
  Mat3d shift() const { return block(3); }

 private:
  Mat3d block(std::size_t first) const {
    Mat3d m;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t r = 0; r < 3; ++r) m[c][r] = matrix[first + r][first + c];
    return m;
  }
};

/// The same, with the shift of another point.
MotionCovariance about_point(const MotionCovariance& c, Vec3d point);
/// The same, seen from another space: `rigid` leads there.
MotionCovariance carried(const MotionCovariance& c, const Affined& rigid);
/// Of two motions one after the other, without a part in common; both about the same point.
MotionCovariance operator+(const MotionCovariance& a, const MotionCovariance& b);

}  // namespace supple::scan
