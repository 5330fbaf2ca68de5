// Against the mathematics library, over the whole range and at its ends.
#include "supple/base/elementary.h"

#include <gtest/gtest.h>

#include <limits>

#include "supple/base/quat.h"
#include "supple/base/rng.h"

namespace supple {
namespace {

TEST(Decay, IsTheExponential) {
  for (double x = 0; x < 707; x += 0.0137) EXPECT_NEAR(decay(x) / std::exp(-x), 1, 1e-15) << x;
  for (double x = 1e-18; x < 1; x *= 3) EXPECT_NEAR(decay(x) / std::exp(-x), 1, 1e-15) << x;
  EXPECT_EQ(decay(0), 1);
  EXPECT_EQ(decay(1e9), 0);
  EXPECT_EQ(decay(std::numeric_limits<double>::infinity()), 0);
}

TEST(AngleOfChord, IsTheArc) {
  for (double angle = 0; angle <= 3.141592653589793; angle += 0.00031) {
    const double half_chord = std::sin(angle / 4);
    EXPECT_NEAR(angle_of_chord(4 * half_chord * half_chord), angle, 2e-15) << angle;
  }
  for (double angle = 1e-9; angle < 0.1; angle *= 2) {
    const double half_chord = std::sin(angle / 4);
    EXPECT_NEAR(angle_of_chord(4 * half_chord * half_chord) / angle, 1, 2e-15) << angle;
  }
  EXPECT_EQ(angle_of_chord(0), 0);
  EXPECT_NEAR(angle_of_chord(2.1), 3.141592653589793, 2e-15);  // rounding may exceed half a turn: no NaN
}

TEST(AngleOfChord, IsTheAngleBetweenQuaternions) {
  Rng rng(3);
  const auto random = [&] { return rng.uniform(-1, 1); };
  for (int i = 0; i < 1000; ++i) {
    const Quatd a = normalized(Quatd{random(), random(), random(), random()});
    const Quatd b = normalized(Quatd{random(), random(), random(), random()});
    const Quatd gap = dot(a, b) < 0 ? a + b : a + -b;
    EXPECT_NEAR(angle_of_chord(dot(gap, gap)), angle_between(a, b), 4e-15);
  }
}

}  // namespace
}  // namespace supple
