// Muscles on moving joints: closed forms, frame rates, spins, limits, jumps.
#include "supple/deform/vortex/dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../support/vortex_ball.h"
#include "supple/base/rng.h"
#include "supple/deform/vortex/field.h"

namespace supple {
namespace {

using test::Ball;
using test::free_muscle;
using test::placed;

using std::numbers::pi;

double stiffness(const VortexMuscle& m) { return oscillator(double{m.frequency}, double{m.damping_ratio}).stiffness; }

TEST(VortexDynamics, SagsByGravityOverStiffness) {
  // Whatever the size and the sampling. Small against the radius, so that the flow is its first order; the skin is
  // finer than the samples.
  for (const float radius : {0.02f, 0.1f}) {
    for (const std::uint32_t samples : {42u, 162u, 642u}) {
      for (const float medium : {0.0f, 500.0f}) {
        VortexMuscle m = free_muscle({radius, radius, radius}, samples);
        m.gravity = {0, -0.5f, 0};
        m.medium_density = medium;
        Ball ball(m);
        const auto world = placed(ball.character, {});
        const Vec3d shift = ball.mean_shift(world);
        const double contrast = double{m.density - medium} / double{m.density + medium};
        const double expected = contrast * 0.5 / stiffness(m);
        EXPECT_NEAR(shift.y, -expected, 0.01 * expected) << radius << ' ' << samples;
        EXPECT_NEAR(std::hypot(shift.x, shift.z), 0, 0.01 * expected);
      }
    }
  }
}

TEST(VortexDynamics, ModelledGravityDoesNotSag) {
  VortexMuscle m = free_muscle();
  m.gravity = m.modelled_gravity = {0, -9.81f, 0};
  Ball ball(m);
  const auto world = placed(ball.character, {});
  EXPECT_EQ(ball.skin(world), ball.carried(world));
  // Upside down it sags twice as far.
  const auto turned = placed(ball.character, {}, from_axis_angle(Vec3d{1, 0, 0}, pi));
  ball.settle_at(turned);
  const double expected = 2 * 9.81 / stiffness(m);  // .055 m: no longer small, the flow carries the skin less far
  EXPECT_NEAR(ball.mean_shift(turned).y, -expected, 0.4 * expected);
}

TEST(VortexDynamics, LongMusclesDoNotDependOnSamplesEither) {
  Vec3d first{};
  for (const std::uint32_t samples : {42u, 162u, 642u}) {
    VortexMuscle m = free_muscle({0.05f, 0.1f, 0.06f}, samples);
    m.gravity = {-0.3f, -0.4f, 0.2f};
    Ball ball(m);
    const Vec3d shift = ball.mean_shift(placed(ball.character, {}));
    if (samples == 42) first = shift;
    EXPECT_LT(length(shift - first), 0.01 * length(first)) << samples;
  }
}

TEST(VortexDynamics, KeepsVolume) {
  // Pushed and stretched by up to half the radius.
  for (const double by : {0.1, 0.25, 0.5}) {
    VortexMuscle m = free_muscle();
    m.gravity = Vec3f(Vec3d{1, -1, 0.5} * (by * test::ball_radius * stiffness(m) / 1.5));
    Ball pushed(m, 2562);
    m.gravity = {};
    m.stretch = static_cast<float>(7 * by * stiffness(m));  // which moves the poles by that share of the radius
    Ball stretched(m, 2562);
    for (const Ball* ball : {&pushed, &stretched}) {
      const auto world = placed(ball->character, {});
      const auto& triangles = ball->character.parts[0].mesh.triangles;
      const std::vector<Vec3f> before = ball->carried(world), after = ball->skin(world);
      float most = 0;
      for (std::size_t v = 0; v < before.size(); ++v) most = std::max(most, length(after[v] - before[v]));
      EXPECT_GT(double{most}, 0.8 * by * test::ball_radius);
      EXPECT_NEAR(enclosed_volume(after, triangles) / enclosed_volume(before, triangles), 1, 1e-3) << by;
    }
  }
}

TEST(VortexDynamics, StretchLengthensAndThins) {
  VortexMuscle m = free_muscle();
  m.stretch = static_cast<float>(0.1 * stiffness(m));
  Ball ball(m);
  const auto world = placed(ball.character, {});
  Box longer = bounds(ball.skin(world));
  EXPECT_GT(longer.high.y - longer.low.y, 0.1005f);
  EXPECT_LT(longer.high.x - longer.low.x, 0.0998f);
  ball.muscle().stretch *= -1;
  ball.settle_at(world);
  Box shorter = bounds(ball.skin(world));
  EXPECT_LT(shorter.high.y - shorter.low.y, 0.0995f);
}

TEST(VortexDynamics, StretchAboutACentreIsStretchAndAnEvenPushTogether) {
  VortexMuscle m = free_muscle();
  m.stretch = static_cast<float>(0.1 * stiffness(m));
  m.stretch_center = {0.3f, 0.02f, 0};  // of which only what lies along the axis counts
  Ball about(m);
  m.stretch_center = {};
  m.gravity = {0, -m.stretch * 0.02f, 0};
  Ball pushed(m);
  const auto world = placed(about.character, {});
  const std::vector<Vec3f> a = about.skin(world), b = pushed.skin(world), rest = about.carried(world);
  float apart = 0, moved = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    apart = std::max(apart, length(a[v] - b[v]));
    moved = std::max(moved, length(a[v] - rest[v]));
  }
  EXPECT_LT(apart, 1e-7f);  // the rounding of single precision, of lengths below .1
  EXPECT_GT(moved, 1e-3f);
}

/// Moves .1 m in a quarter of a second, then stops.
Vec3d stop(double t) { return {0.4 * std::clamp(t - 0.5, 0.0, 0.25), 0, 0}; }
/// Smoothly from rest.
Vec3d sway(double t) {
  const double r = std::clamp((t - 0.1) / 0.5, 0.0, 1.0), begun = r * r * r * (10 - 15 * r + 6 * r * r);
  return Vec3d{0.02 * std::sin(2 * pi * 1.5 * t), 0.01 * std::sin(2 * pi * 0.7 * t), 0} * begun;
}

/// The mean shift at 24 frames a second, whatever the steps.
std::vector<Vec3d> played(Ball ball, Vec3d (*motion)(double), int rate, double from = 0) {
  std::vector<Vec3d> shifts;
  ball.settle_at(placed(ball.character, motion(from)));
  came_from(ball.table, placed(ball.character, motion(from - 1.0 / rate)), 1.0 / rate, ball.state);
  for (int i = 1; i <= 2 * rate; ++i) {
    const auto world = placed(ball.character, motion(from + i / static_cast<double>(rate)));
    ball.advance_to(world, 1.0 / rate);
    if (i * 24 % rate == 0) shifts.push_back(ball.mean_shift(world));
  }
  return shifts;
}

TEST(VortexDynamics, FrameRatesAgree) {
  VortexMuscle m = free_muscle();
  m.damping_ratio = 0.2f;
  const Ball ball(m, 162);
  for (const auto motion : {stop, sway}) {
    // A smooth motion need not begin at a frame. A stop between two is felt at both, half a frame about it: that takes
    // 1 - sinc^2(3 Hz / 24 Hz) = 5 % off a swing of 3 Hz, whatever follows.
    for (const double from : motion == stop ? std::vector<double>{0} : std::vector<double>{0, 0.013}) {
      const auto slow = played(ball, motion, 24, from), fast = played(ball, motion, 240, from);
      double most = 0, apart = 0, peak = 0;
      for (std::size_t i = 0; i < slow.size(); ++i) {
        most = std::max(most, length(fast[i]));
        peak = std::max(peak, length(slow[i]));
        apart = std::max(apart, length(fast[i] - slow[i]));
      }
      EXPECT_GT(most, 1e-3);
      EXPECT_LT(std::abs(peak - most), 0.04 * most);
      EXPECT_LT(apart, 0.04 * most);
    }
  }
}

TEST(VortexDynamics, AStopSwingsAsFarAsAKickOfItsSpeed) {
  // Stopped from v at a frame: v e^{-z w t} sin(w' t) / w'. At short frames how the change is spread over them does not
  // matter: w^2 dt^2 / 12 = 1e-4 of it.
  VortexMuscle m = free_muscle();
  Ball ball(m, 162);
  const double dt = 1.0 / 500, v = 0.4, w = 2 * pi * double{m.frequency}, z = double{m.damping_ratio};
  const double wd = w * std::sqrt(1 - z * z);
  const auto world = [&](int i) { return placed(ball.character, {v * dt * std::min(i, 0), 0, 0}); };
  ball.settle_at(world(-4));
  for (int i = -3; i <= 0; ++i) ball.advance_to(world(i), dt);  // begins in full motion: nothing to feel yet
  EXPECT_LT(length(ball.state.vorticity[0]), 1e-6 * ball.table.areas[0]);
  for (int i = 1; i < 500; ++i) {
    ball.advance_to(world(i), dt);
    const double t = i * dt, expected = v * std::exp(-z * w * t) * std::sin(wd * t) / wd;
    for (std::size_t s = 0; s < ball.table.positions.size(); ++s) {
      const Vec3d whole = cross(ball.table.normals[s], Vec3d{expected, 0, 0}) * (-2 * ball.table.areas[s]);
      // Of a swing of .014 m; the first frames differ by dt^2 / 6 of the curve's bend.
      EXPECT_LT(length(ball.state.vorticity[s] - whole), 2 * ball.table.areas[s] * 2e-4) << t;
    }
  }
}

TEST(VortexDynamics, ASpinBulges) {
  // About y through the muscle's centre: the pull outwards is W^2 rho, in the muscle's frame for ever the same.
  VortexMuscle m = free_muscle();
  m.center = {-0.3f, 0, 0};
  m.damping_ratio = 0.7f;
  Ball ball(m);
  const double W = 8, dt = 1.0 / 480;
  std::vector<Affinef> world;
  ball.settle_at(placed(ball.character, {}));
  for (int i = 1; i <= 1500; ++i) {
    world = placed(ball.character, {}, from_axis_angle(Vec3d{0, 1, 0}, W * i * dt));
    ball.advance_to(world, dt);
  }
  double size = 0;
  for (const double area : ball.table.areas) size = std::max(size, 2 * area * W * W * test::ball_radius / stiffness(m));
  for (std::size_t s = 0; s < ball.table.positions.size(); ++s) {
    const Vec3d p = ball.table.positions[s], pull = Vec3d{p.x, 0, p.z} * (W * W);
    const Vec3d expected = cross(ball.table.normals[s], pull) * (-2 * ball.table.areas[s] / stiffness(m));
    EXPECT_LT(length(ball.state.vorticity[s] - expected), 0.01 * size);
  }
  const Box box = bounds(ball.skin(world));
  EXPECT_GT(box.high.x - box.low.x, 0.1003f);
  EXPECT_LT(box.high.y - box.low.y, 0.0998f);
}

TEST(VortexDynamics, TurningTheSceneTurnsTheResult) {
  VortexMuscle m = free_muscle({0.04f, 0.07f, 0.05f});
  m.center = {0.02f, 0.05f, -0.01f};
  m.gravity = {0, -9.81f, 0};
  m.stretch = 30;
  m.shear = true;
  Ball here(m), there(m);
  const Quatd turn = from_axis_angle(normalized(Vec3d{1, 2, -1}), 1.1);
  const Vec3d away{2, 1, -3};
  there.muscle().gravity = Vec3f(rotate(turn, Vec3d(m.gravity)));
  const auto pose = [](double t) { return from_axis_angle(Vec3d{0, 0, 1}, std::sin(5 * t)); };
  const auto worlds = [&](double t) {
    return std::pair{placed(here.character, sway(t), pose(t)),
                     placed(there.character, rotate(turn, sway(t)) + away, turn * pose(t))};
  };
  here.settle_at(worlds(0).first);
  there.settle_at(worlds(0).second);
  float most = 0;
  for (int i = 1; i <= 30; ++i) {
    const auto [a, b] = worlds(i / 30.0);
    here.advance_to(a, 1 / 30.0);
    there.advance_to(b, 1 / 30.0);
    const auto one = here.skin(a), other = there.skin(b), rest = here.carried(a);
    for (std::size_t v = 0; v < one.size(); ++v) {
      most = std::max(most, length(one[v] - rest[v]));
      // Positions of 4 m are floats to 2.4e-7 m; speeds of joints to that times 30, a swing of it to 1/19 of that.
      EXPECT_LT(length(rotate(turn, Vec3d(one[v])) + away - Vec3d(other[v])), 5e-6);
    }
  }
  EXPECT_GT(most, 0.005f);
}

TEST(VortexDynamics, LifeOfOneCancelsExactly) {
  VortexMuscle m = free_muscle();
  m.life = 1;
  Ball ball(m);
  for (int i = 1; i < 40; ++i) {
    const auto world = placed(ball.character, sway(i / 30.0), from_axis_angle(Vec3d{0, 0, 1}, std::sin(3.0 * i / 30)));
    ball.advance_to(world, 1 / 30.0);
    EXPECT_FALSE(ball.state.set_states[0].moves);
    EXPECT_EQ(ball.skin(world), ball.carried(world));
  }
  // More of it acts: the muscle goes ahead instead of trailing.
  VortexMuscle passive = free_muscle(), active = free_muscle();
  active.life = 2;
  const auto trailing = played(Ball(passive, 162), stop, 24), ahead = played(Ball(active, 162), stop, 24);
  for (std::size_t i = 0; i < ahead.size(); ++i) EXPECT_NEAR(length(trailing[i] + ahead[i]), 0, 1e-3);
}

TEST(VortexDynamics, IsFiniteAndBoundedWhateverHappens) {
  Rng rng(11);
  for (const float harder : {0.01f, 1.0f, 1000.0f}) {  // frequencies: stiffness by 1e-4 to 1e6
    for (const double dt : {1e-6, 1.0 / 60, 1.0}) {
      VortexMuscle m = free_muscle();
      m.frequency *= harder;
      m.limit = 0.5f;
      m.gravity = {0, -9.81f, 0};
      m.shear = dt == 1.0;
      Ball ball(m, 162);
      for (int i = 0; i < 60; ++i) {
        const Vec3d by{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
        const auto world = placed(ball.character, by * std::pow(10, rng.uniform(-3, 1)),
                                  from_axis_angle(normalized(by), rng.uniform(-3, 3)));
        ball.advance_to(world, dt);
        for (std::size_t s = 0; s < ball.table.positions.size(); ++s) {
          ASSERT_TRUE(is_finite(ball.state.vorticity[s]) && is_finite(ball.state.rate[s]));
          ASSERT_LE(length(ball.state.vorticity[s]), 2 * ball.table.areas[s] * 0.5 * test::ball_radius * 1.000001);
        }
        const auto skin = ball.skin(world), rest = ball.carried(world);
        for (std::size_t v = 0; v < skin.size(); ++v)
          ASSERT_LT(length(skin[v] - rest[v]), 2 * test::ball_radius);  // all vortices at their limits
      }
      // A broken pose is waited out.
      auto world = placed(ball.character, {});
      world[1].translation.x = std::numeric_limits<float>::quiet_NaN();
      ball.advance_to(world, dt);
      ball.advance_to(placed(ball.character, {}), dt);
      ball.advance_to(placed(ball.character, {}), std::numeric_limits<double>::quiet_NaN());
      for (const Vec3d w : ball.state.vorticity) ASSERT_TRUE(is_finite(w));
    }
  }
}

TEST(VortexDynamics, FrequenciesMayChangeLive) {
  VortexMuscle m = free_muscle();
  m.gravity = {0, -0.5f, 0};
  Ball ball(m);
  const auto world = placed(ball.character, {});
  ball.muscle().frequency = 6;
  ball.muscle().damping_ratio = 1;
  for (int i = 0; i < 60; ++i) ball.advance_to(world, 1 / 30.0);
  const double expected = 0.5 / stiffness(ball.muscle());
  EXPECT_NEAR(ball.mean_shift(world).y, -expected, 0.01 * expected);
}

TEST(VortexDynamics, JumpsAreCarriedAlong) {
  Ball stays, jumps;
  const double dt = 1 / 30.0;
  for (int i = 1; i <= 30; ++i) {
    const bool there = i >= 15;
    // At a float's precision of 100 m, 8e-6 m, speeds are known to 2e-4 m/s: 1e-5 m of swing.
    const Vec3d away = there ? Vec3d{100, 0, 0} : Vec3d{};
    stays.advance_to(placed(stays.character, sway(i * dt)), dt);
    jumps.advance_to(placed(jumps.character, sway(i * dt) + away), dt);
    EXPECT_EQ(jumps.state.muscles[0].jumped > 0, i == 15);
    for (std::size_t s = 0; s < stays.table.positions.size(); ++s) {
      const double way = 2 * stays.table.areas[s];
      // Within the jump's frame the muscle goes straight on: that frame's change of speed, .03 m/s at most, is felt a
      // frame later and moves it by .001 m less until then.
      EXPECT_LT(length(stays.state.vorticity[s] - jumps.state.vorticity[s]), way * (there ? 1.5e-3 : 1e-9)) << i;
    }
  }
}

TEST(VortexDynamics, ShearStiffens) {
  VortexMuscle m = free_muscle();
  m.stretch = static_cast<float>(4 * stiffness(m));
  const Ball soft(m);
  m.shear = true;
  Ball stiff(m);
  const auto world = placed(stiff.character, {});
  const auto lengthened = [&](const Ball& ball) {
    const Box box = bounds(ball.skin(world));
    return double{box.high.y - box.low.y} - 0.1;
  };
  EXPECT_LT(lengthened(stiff), 0.95 * lengthened(soft));
  EXPECT_GT(lengthened(stiff), 0.3 * lengthened(soft));
  // What settles is what is left of a long time.
  const std::vector<Vec3d> balance = stiff.state.vorticity;
  for (int i = 0; i < 200; ++i) stiff.advance_to(world, 1 / 60.0);
  for (std::size_t s = 0; s < balance.size(); ++s)
    EXPECT_LT(length(stiff.state.vorticity[s] - balance[s]), 1e-3 * 2 * stiff.table.areas[s] * test::ball_radius);
}

}  // namespace
}  // namespace supple
