// Against solutions in closed form, against very small steps of another method, and over every step and stiffness.
#include "supple/deform/flesh/oscillator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

TEST(Oscillator, Released) {
  // At 1, from rest, ratio 0.2 at 2 Hz: e^{-zwt} (cos wd t + z w / wd sin wd t).
  const Oscillator o = oscillator(2, 0.2);
  const double w = std::sqrt(o.stiffness), wd = w * std::sqrt(1 - 0.04);
  Swing s{1, 0};
  const OscillatorStep step(o, 1.0 / 60);
  for (int i = 1; i <= 120; ++i) {
    s = step.advanced(s, {});
    const double t = i / 60.0;
    EXPECT_NEAR(s.position, std::exp(-0.2 * w * t) * (std::cos(wd * t) + 0.2 * w / wd * std::sin(wd * t)), 1e-12) << t;
  }
}

TEST(Oscillator, SagsUnderGravity) {
  const Oscillator o = oscillator(3, 0.5);
  Swing s;
  const OscillatorStep step(o, 1.0 / 30);
  for (int i = 0; i < 300; ++i) s = step.advanced(s, {-9.81, 0, 0});
  EXPECT_NEAR(s.position, -9.81 / o.stiffness, 1e-12);
  EXPECT_NEAR(s.velocity, 0, 1e-12);
}

/// Runge and Kutta's method with steps so small that its error is far below the tolerance.
Swing reference(const Oscillator& o, double seconds, const Push& push, Swing s) {
  constexpr int steps = 20000;
  const double h = seconds / steps;
  const auto a = [&](double t, double at, double speed) {
    return -o.stiffness * at - o.damping * speed + push.start + (push.rate + push.curve * t) * t;
  };
  for (int i = 0; i < steps; ++i) {
    const double t = i * h, x = s.position, v = s.velocity;
    const double k1 = v, l1 = a(t, x, v), k2 = v + h / 2 * l1, l2 = a(t + h / 2, x + h / 2 * k1, k2);
    const double k3 = v + h / 2 * l2, l3 = a(t + h / 2, x + h / 2 * k2, k3), k4 = v + h * l3;
    const double l4 = a(t + h, x + h * k3, k4);
    s = {x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)};
  }
  return s;
}

TEST(Oscillator, APushThatChanges) {
  for (const double ratio : {0.0, 0.1, 0.999999, 1.0, 1.000001, 3.0}) {
    const Oscillator o = oscillator(1.5, ratio);
    const Push push{5, -11, 7};
    const Swing got = OscillatorStep(o, 0.7).advanced({0.3, -2}, push), wanted = reference(o, 0.7, push, {0.3, -2});
    EXPECT_NEAR(got.position, wanted.position, 1e-9) << ratio;
    EXPECT_NEAR(got.velocity, wanted.velocity, 1e-9) << ratio;
  }
}

TEST(Oscillator, OneStepIsManySteps) {
  for (const double ratio : {0.05, 1.0, 2.0}) {
    const Oscillator o = oscillator(2, ratio);
    Swing many{0.1, 1};
    const Swing one = OscillatorStep(o, 1).advanced(many, {-9.81, 0, 0});
    const OscillatorStep step(o, 1.0 / 240);
    for (int i = 0; i < 240; ++i) many = step.advanced(many, {-9.81, 0, 0});
    EXPECT_NEAR(one.position, many.position, 1e-12);
    EXPECT_NEAR(one.velocity, many.velocity, 1e-11);
  }
}

TEST(Oscillator, BoundedForEveryStepAndStiffness) {
  for (const double dt : {1.0 / 240, 1.0 / 60, 1.0 / 24, 0.25, 1.0})
    for (const double stiffness : {1.0, 1e2, 1e4, 1e6})
      for (const double damping : {0.0, 1.0, 1e3, 1e6}) {
        const OscillatorStep step({stiffness, damping}, dt);
        Swing s{1, 0};
        for (int i = 0; i < 10000; ++i) {
          s = step.advanced(s, {});
          // Energy never grows; without damping it stays, up to the rounding of ten thousand steps.
          ASSERT_LE(stiffness * s.position * s.position + s.velocity * s.velocity, stiffness * (1 + 1e-9))
              << dt << ' ' << stiffness << ' ' << damping;
        }
      }
}

}  // namespace
}  // namespace supple
