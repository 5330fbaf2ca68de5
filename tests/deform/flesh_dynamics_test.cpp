// Springs on moving bones: closed forms, frame rates, limits, jumps, contacts.
#include "supple/deform/flesh/dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/fleshy_limb.h"
#include "supple/base/rng.h"
#include "supple/deform/skin.h"

namespace supple {
namespace {

using test::fleshy_limb;
using test::limb_recipe;
using test::moved;

using std::numbers::pi;

/// Free of limits and gravity, so that closed forms hold.
FleshRecipe free_recipe(double hertz, double ratio) {
  FleshRecipe recipe = limb_recipe();
  ElementRecipe& e = recipe.elements[0];
  e.springs[0].frequency = hertz;
  e.springs[0].damping_ratio = ratio;
  e.max_elongation = 100;
  return recipe;
}

TEST(FleshDynamics, AStepOfTheBone) {
  // Linear anchor: over the first frame the bone goes at speed d / dt and then stands. The spring's end is kicked by
  // minus that speed, and kicked back a frame later; between, it swings freely.
  const double f = 2, z = 0.2, dt = 1.0 / 60, d = 0.1;
  const Character limb = fleshy_limb(free_recipe(f, z));
  FleshState state = settled(limb.flesh, moved(limb, {}));
  advance(limb.flesh, moved(limb, {}), dt, state);
  const double w = 2 * pi * f, wd = w * std::sqrt(1 - z * z);
  const auto kicked = [&](double t) { return t < 0 ? 0.0 : std::exp(-z * w * t) * std::sin(wd * t) / wd; };
  for (int i = 1; i <= 120; ++i) {
    advance(limb.flesh, moved(limb, {d, 0, 0}), dt, state);
    const double t = i * dt, expected = -d / dt * (kicked(t) - kicked(t - dt));
    // The limb's joints are floats: its anchor is known to 1e-8 m, and 1e-8 / dt m/s in speed.
    EXPECT_NEAR(state.elements[0].displacement[0].x, expected, 1e-6) << t;
  }
}

TEST(FleshDynamics, ASineOfTheBone) {
  // x(t) = A sin(W t): the steady swing has amplitude A W^2 / |w^2 - W^2 + 2 i z w W|. Frames so short that the
  // straight pieces are the sine; the amplitude is that of the continuous motion but for (W dt)^2 / 12 = 2e-6 of it.
  const double f = 3, z = 0.25, dt = 1.0 / 2000, amplitude = 0.02, W = 2 * pi * 1.5, w = 2 * pi * f;
  const Character limb = fleshy_limb(free_recipe(f, z));
  FleshState state = settled(limb.flesh, moved(limb, {}));
  double most = 0;
  for (int i = 1; i <= 12000; ++i) {
    advance(limb.flesh, moved(limb, {0, 0, amplitude * std::sin(W * i * dt)}), dt, state);
    if (i > 8000) most = std::max(most, std::abs(state.elements[0].displacement[0].z));
  }
  const double expected = amplitude * W * W / std::hypot(w * w - W * W, 2 * z * w * W);
  EXPECT_NEAR(most, expected, 1e-6);
}

TEST(FleshDynamics, SagsByWeightOverStiffness) {
  FleshRecipe recipe = free_recipe(2, 0.5);
  recipe.elements[0].modelled_under_gravity = false;
  const Character limb = fleshy_limb(recipe);
  const double sag = -9.81 / std::pow(2 * pi * 2, 2);
  FleshState state = settled(limb.flesh, moved(limb, {}));
  EXPECT_NEAR(state.elements[0].displacement[0].y, sag, 1e-6);
  state.elements[0].displacement[0] = {};
  for (int i = 0; i < 600; ++i) advance(limb.flesh, moved(limb, {}), 1.0 / 60, state);
  EXPECT_NEAR(state.elements[0].displacement[0].y, sag, 1e-6);
  EXPECT_NEAR(double{state.motions[0].shift.y}, sag, 1e-6);
}

TEST(FleshDynamics, AModelledShapeSagsOnlyWhenItTurns) {
  const Character limb = fleshy_limb(free_recipe(2, 0.5));
  EXPECT_LT(length(settled(limb.flesh, moved(limb, {})).motions[0].shift), 1e-6f);
  // Upside down it hangs by twice its weight the other way.
  const Quatd turn = from_axis_angle(Vec3d{1, 0, 0}, pi);
  const double sag = -2 * 9.81 / std::pow(2 * pi * 2, 2);
  EXPECT_NEAR(double{settled(limb.flesh, moved(limb, {}, turn)).motions[0].shift.y}, sag, 1e-5);
}

TEST(FleshDynamics, ABoneThatTurnsUnderGravityIsFollowedToThirdOrder) {
  // The bone turns about the element's own place, a turn a second, so that gravity alone swings the flesh.
  const Character limb = fleshy_limb(free_recipe(3, 0.2));
  const Vec3d place(settled(limb.flesh, moved(limb, {})).motions[0].origin);
  const auto turned = [&](double seconds) {
    const Quatd turn = from_axis_angle(Vec3d{1, 0, 0}, 2 * pi * seconds);
    const Vec3d there(settled(limb.flesh, moved(limb, {}, turn)).motions[0].origin);
    return moved(limb, place - there, turn);
  };
  const auto at_one_second = [&](int steps) {
    FleshState state = settled(limb.flesh, turned(0));
    for (int i = 1; i <= steps; ++i) advance(limb.flesh, turned(1.0 * i / steps), 1.0 / steps, state);
    return state.elements[0].displacement[0];
  };
  const Vec3d fine = at_one_second(1920);
  ASSERT_GT(length(fine), 0.005);
  // At film rate a constant pull was wrong by four in a hundred. The limb's joints are floats: 1e-6 m.
  EXPECT_LT(length(at_one_second(24) - fine), 1e-3 * length(fine));
  EXPECT_LT(length(at_one_second(48) - fine), length(at_one_second(24) - fine) / 6 + 1e-6);
}

TEST(FleshDynamics, AirHoldsTheFleshBack) {
  // At a steady speed v the air pulls by -c v: displacement -c v / (m w^2).
  FleshRecipe recipe = free_recipe(2, 0.5);
  recipe.elements[0].mass = 2;
  recipe.elements[0].air_friction = 3;
  const Character limb = fleshy_limb(recipe);
  for (const bool smooth : {false, true}) {
    FleshState state = settled(limb.flesh, moved(limb, {}));
    for (int i = 1; i <= 600; ++i) {
      const auto now = moved(limb, {i / 60.0, 0, 0});
      if (smooth) {
        advance(limb.flesh, now, std::vector<Vec3d>{{1, 0, 0}}, 1.0 / 60, state);
      } else {
        advance(limb.flesh, now, 1.0 / 60, state);
      }
    }
    // Ten metres away the anchor is known to a float's 1e-6 m, its speed to 6e-5 m/s.
    EXPECT_NEAR(state.elements[0].displacement[0].x, -3.0 / (2 * std::pow(2 * pi * 2, 2)), 3e-6) << smooth;
  }
}

TEST(FleshDynamics, StifferAlongAnAxisSagsLess) {
  FleshRecipe recipe = free_recipe(2, 0.5);
  recipe.elements[0].modelled_under_gravity = false;
  recipe.elements[0].springs[0].axes = {1, 4, 1};  // y is the bone
  const Character limb = fleshy_limb(recipe);
  const double soft = -9.81 / std::pow(2 * pi * 2, 2);
  EXPECT_NEAR(double{settled(limb.flesh, moved(limb, {})).motions[0].shift.y}, soft / 4, 1e-6);
  // Lying down, gravity is across the bone; after a while the turned springs have found the same.
  const auto lying = moved(limb, {}, from_axis_angle(Vec3d{0, 0, 1}, pi / 2));
  FleshState state = settled(limb.flesh, moved(limb, {}));
  for (int i = 0; i < 600; ++i) advance(limb.flesh, lying, 1.0 / 60, state);
  EXPECT_NEAR(double{state.motions[0].shift.y}, soft, 1e-6);
}

TEST(FleshDynamics, SeveralSpringsAddUp) {
  FleshRecipe one = free_recipe(2, 0.1), other = free_recipe(5, 0.3), both = free_recipe(2, 0.1);
  both.elements[0].springs.push_back(other.elements[0].springs[0]);
  both.elements[0].springs[0].share = 0.75;
  both.elements[0].springs[1].share = 0.25;
  both.elements[0].gain = 2;
  const Character a = fleshy_limb(one), b = fleshy_limb(other), c = fleshy_limb(both);
  FleshState sa = settled(a.flesh, moved(a, {})), sb = settled(b.flesh, moved(b, {})),
             sc = settled(c.flesh, moved(c, {}));
  for (int i = 0; i < 100; ++i) {
    const auto world = moved(a, {0.1 * std::sin(i * 0.2), 0, 0.05 * std::cos(i * 0.3)});
    advance(a.flesh, world, 1.0 / 30, sa);
    advance(b.flesh, world, 1.0 / 30, sb);
    advance(c.flesh, world, 1.0 / 30, sc);
    const Vec3f sum = (sa.motions[0].shift * 0.75f + sb.motions[0].shift * 0.25f) * 2.0f;
    EXPECT_LT(length(sum - sc.motions[0].shift), 1e-7f);
  }
}

TEST(FleshDynamics, BoundedForEveryStepAndStiffness) {
  Rng rng(3);
  for (const double dt : {1.0 / 240, 1.0 / 60, 1.0 / 24, 0.25, 1.0})
    for (const double stiffness : {1.0, 1e2, 1e4, 1e6}) {
      FleshRecipe recipe = limb_recipe();
      recipe.elements[0].springs[0] = {std::sqrt(stiffness) / (2 * pi), 0.1, {}, {}};
      recipe.elements[0].max_elongation = 1e6;
      Warnings warnings;
      make::LimbOptions options;
      auto limb = make::make_limb(options);
      ASSERT_TRUE(attach_flesh(*limb, recipe, &warnings).ok());
      EXPECT_EQ(warnings.size(), 1u);  // such an elongation pulls skin through the bone
      FleshState state = settled(limb->flesh, moved(*limb, {}));
      Vec3d at{};
      double most = 0;
      for (int i = 0; i < 2000; ++i) {
        at = {rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5};
        advance(limb->flesh, moved(*limb, at), dt, state);
        ASSERT_TRUE(is_finite(state.motions[0].shift));
        most = std::max(most, double{length(state.motions[0].shift)});
      }
      // Speeds change by at most 2 sqrt(3) / dt at a frame, and an impulse dv moves a spring by dv / w at most; the sum
      // over past frames fades by e^{-0.1 w dt} each.
      const double w = std::sqrt(stiffness), fade = 1 - std::exp(-0.1 * w * dt);
      EXPECT_LT(most, 2 * std::sqrt(3) / dt / w / fade) << dt << ' ' << stiffness;
    }
}

/// Peak error of the frames at `rate` against frames at 240, of the peak displacement.
double rate_error(double rate, bool smooth) {
  const Character limb = fleshy_limb(free_recipe(3, 0.25));
  // A bone swung as in a run: steps at 1.4 a second, their second and third harmonic.
  const auto at = [](double t) {
    const double p = 2 * pi * 1.4 * t;
    return Vec3d{0.03 * std::sin(p), 0.05 * std::cos(2 * p), 0.02 * std::sin(3 * p + 0.5)};
  };
  const auto run = [&](double step_rate, bool cubic, double show_rate) {
    const double dt = 1 / step_rate;
    FleshState state = settled(limb.flesh, moved(limb, at(0)));
    std::vector<Vec3d> shown, points;
    for (int i = 0; i <= static_cast<int>(4 * step_rate); ++i) points.push_back(at(i * dt));
    const std::vector<Vec3d> speeds = anchor_speeds(points, dt, false);
    const int every = static_cast<int>(std::lround(step_rate / show_rate));
    for (int i = 1; i <= static_cast<int>(4 * step_rate); ++i) {
      if (cubic) {
        advance(limb.flesh, moved(limb, at(i * dt)), {&speeds[static_cast<std::size_t>(i)], 1}, dt, state);
      } else {
        advance(limb.flesh, moved(limb, at(i * dt)), dt, state);
      }
      if (i % every == 0) shown.push_back(state.elements[0].displacement[0]);
    }
    return shown;
  };
  const std::vector<Vec3d> got = run(rate, smooth, 24), exact = run(240, true, 24);
  double worst = 0, peak = 0;
  for (std::size_t i = got.size() / 2; i < got.size(); ++i) {  // the second half: how it began is forgotten
    worst = std::max(worst, length(got[i] - exact[i]));
    peak = std::max(peak, length(exact[i]));
  }
  return worst / peak;
}

TEST(FleshDynamics, FilmRateComparedWith240) {
  const double linear = rate_error(24, false), cubic = rate_error(24, true);
  RecordProperty("linear_24", std::to_string(linear));
  RecordProperty("cubic_24", std::to_string(cubic));
  EXPECT_LT(linear, 0.06);
  EXPECT_LT(cubic, 0.005);
  EXPECT_LT(rate_error(240, false), 0.002);
}

TEST(FleshDynamics, ParametersMayChangeWhilePlaying) {
  Character limb = fleshy_limb(free_recipe(2, 0.2));
  FleshState state = settled(limb.flesh, moved(limb, {}));
  advance(limb.flesh, moved(limb, {}), 1.0 / 60, state);
  advance(limb.flesh, moved(limb, {0.1, 0, 0}), 1.0 / 60, state);
  const Vec3f before = state.motions[0].shift;
  limb.flesh.elements[0].springs[0].frequency = 9;
  advance(limb.flesh, moved(limb, {0.1, 0, 0}), 1e-6, state);
  EXPECT_LT(length(state.motions[0].shift - before), 1e-4f);  // no jump: the swing goes on from where it is
  for (int i = 0; i < 600; ++i) advance(limb.flesh, moved(limb, {0.1, 0, 0}), 1.0 / 60, state);
  EXPECT_LT(length(state.motions[0].shift), 1e-5f);
}

TEST(FleshDynamics, ATeleportCarriesTheFleshAlong) {
  const Character limb = fleshy_limb();
  FleshState state = settled(limb.flesh, moved(limb, {}));
  for (int i = 1; i <= 10; ++i) advance(limb.flesh, moved(limb, {0, 0, i * 0.01}), 1.0 / 60, state);
  const FleshMotion before = state.motions[0];
  EXPECT_EQ(state.elements[0].jumped, 0);
  advance(limb.flesh, moved(limb, {40, 0, 0.1}), 1.0 / 60, state);
  EXPECT_NEAR(state.elements[0].jumped, 40, 1e-3);
  EXPECT_LT(length(state.motions[0].shift - before.shift), 0.01f);
  advance(limb.flesh, moved(limb, {40, 0, 0.11}), 1.0 / 60, state);
  EXPECT_EQ(state.elements[0].jumped, 0);
  EXPECT_LT(length(state.motions[0].shift), 0.02f);
  // A bullet train is no teleport: 100 m/s is 1.7 m a frame.
  FleshState fast = settled(limb.flesh, moved(limb, {}));
  for (int i = 1; i <= 60; ++i) {
    advance(limb.flesh, moved(limb, {i * 100 / 60.0, 0, 0}), 1.0 / 60, fast);
    ASSERT_EQ(fast.elements[0].jumped, 0);
  }
}

TEST(FleshDynamics, ABrokenPoseIsPassedOver) {
  const Character limb = fleshy_limb();
  FleshState state = settled(limb.flesh, moved(limb, {}));
  advance(limb.flesh, moved(limb, {0.01, 0, 0}), 1.0 / 60, state);
  auto broken = moved(limb, {});
  broken[0].translation.x = std::nanf("");
  advance(limb.flesh, broken, 1.0 / 60, state);
  advance(limb.flesh, moved(limb, {0.02, 0, 0}), 1.0 / 60, state);
  EXPECT_TRUE(is_finite(state.motions[0].shift));
}

TEST(FleshDynamics, ASpinTwistsTheFlesh) {
  FleshRecipe recipe = free_recipe(3, 0.3);
  recipe.elements[0].torsion = FleshTorsion{2, 0.2f, 0.4f};
  const Character limb = fleshy_limb(recipe);
  FleshState state = settled(limb.flesh, moved(limb, {}));
  advance(limb.flesh, moved(limb, {}), 1.0 / 60, state);
  // The bone begins to turn at 3 rad/s: the twist is -3 e^{-zwt} sin(wd t) / wd until its limit.
  const double w = 2 * pi * 2, wd = w * std::sqrt(1 - 0.04);
  for (int i = 1; i <= 60; ++i) {
    const double t = i / 60.0;
    advance(limb.flesh, moved(limb, {}, from_axis_angle(Vec3d{0, 1, 0}, 3 * t)), 1.0 / 60, state);
    EXPECT_NEAR(state.elements[0].twist, -3 * std::exp(-0.2 * w * t) * std::sin(wd * t) / wd, 1e-5) << t;
  }
  advance(limb.flesh, moved(limb, {}, from_axis_angle(Vec3d{0, 1, 0}, 3 - pi / 2)), 1.0 / 60, state);
  EXPECT_NEAR(std::abs(double{state.motions[0].twist}), 0.4, 1e-6);
}

TEST(FleshDynamics, NoVertexCrossesTheBone) {
  // Ten thousand violent motions: jerks of metres and turns of radians from frame to frame, springs from wobbly to
  // stiff, with gain and torsion. The limb's vertices are rigid with the bone here, so the distance that remains
  // between a vertex and the bone is known: it never falls below the bone's thickness, and no vertex changes sides.
  Rng rng(11);
  std::size_t motions = 0;
  double nearest = 1;
  for (int kind = 0; kind < 20; ++kind) {
    FleshRecipe recipe = limb_recipe();
    ElementRecipe& e = recipe.elements[0];
    e.thickness = 0.01;
    e.attenuation = kind % 2 == 0 ? Attenuation::parabola() : Attenuation::wyvill();
    e.springs[0].frequency = std::pow(10, -0.5 + 2 * rng.uniform());
    e.springs[0].damping_ratio = rng.uniform();
    e.springs[0].axes = {0.2 + rng.uniform(), 0.2 + rng.uniform(), 0.2 + rng.uniform()};
    if (kind % 3 == 1) e.springs.push_back({12.0, 0.05, {}, {}});
    e.gain = 0.5 + 3 * rng.uniform();
    if (kind % 4 == 3) e.torsion = FleshTorsion{2, 0.1f, 1.2f};
    const Character limb = fleshy_limb(recipe, 200);
    const auto skin = Skin::make(limb);
    ASSERT_TRUE(skin.ok());
    const SplitWeights split = split_flesh(limb, limb.parts[0]);
    const FleshTable table = build_flesh_table(split.flesh, limb.parts[0].mesh.positions.size(), 1);
    FleshState state = settled(limb.flesh, moved(limb, {}));
    Vec3d at{};
    std::vector<Vec3f> positions(limb.parts[0].mesh.positions.size());
    for (int i = 0; i < 500; ++i, ++motions) {
      const double dt = std::pow(10, -2.5 + 2.5 * rng.uniform());
      at += Vec3d{rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5} * 3.0;
      const Quatd turn =
          normalized(Quatd{rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5});
      const auto world = moved(limb, at, turn);
      advance(limb.flesh, world, dt, state);
      for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = world[0].point(limb.parts[0].mesh.positions[v]);
      const std::vector<Vec3f> before = positions;
      FleshJob{&table, state.motions, positions, {}, 1}.run();
      const Affinef back = inverse(world[0]);
      for (const FleshEntry& entry : split.flesh) {
        const Vec3f p = back.point(positions[entry.vertex]), q = back.point(before[entry.vertex]);
        const double across = std::hypot(p.x, p.z);
        nearest = std::min(nearest, across);
        // Same side: the vertex's own direction from the bone still points to it, by more than rounding at 100 m.
        ASSERT_GT(p.x * q.x + p.z * q.z, -1e-5f) << "vertex " << entry.vertex << " of motion " << motions;
      }
    }
  }
  EXPECT_EQ(motions, 10000u);
  RecordProperty("nearest", std::to_string(nearest));
}

TEST(FleshContact, ABallPushesFleshAway) {
  Character limb = fleshy_limb();
  const FleshElement& e = limb.flesh.elements[0];
  // A ball of 3 cm whose nearest point is 1 cm inside the flesh, at the middle of the bone.
  const float away = e.radius + 0.03f - 0.01f;
  limb.flesh.colliders.push_back({"ball", 2, {}, {}, 0.03f, {0}});
  auto world = moved(limb, {});
  world[2].translation = {away, 0.1f, 0};
  FleshState state = settled(limb.flesh, world);
  for (int i = 0; i < 60; ++i) advance(limb.flesh, world, 1.0 / 60, state);
  EXPECT_NEAR(double{state.motions[0].shift.x}, -0.01, 1e-4);
  EXPECT_NEAR(double{state.motions[0].shift.z}, 0, 1e-4);
  world[2].translation = {1, 0.1f, 0};  // gone: the flesh comes back
  for (int i = 0; i < 300; ++i) advance(limb.flesh, world, 1.0 / 60, state);
  EXPECT_LT(length(state.motions[0].shift), 1e-5f);
  // However deep: never further than the element may go.
  world[2].translation = {0.001f, 0.1f, 0};
  for (int i = 0; i < 60; ++i) advance(limb.flesh, world, 1.0 / 60, state);
  EXPECT_LE(length(state.motions[0].shift), e.max_elongation * 1.00001f);
}

TEST(FleshContact, TwoElementsShareTheOverlapByMass) {
  Character limb = fleshy_limb();
  Flesh flesh;
  flesh.elements = {limb.flesh.elements[0], limb.flesh.elements[0]};
  flesh.elements[0].mass = 1;
  flesh.elements[1].mass = 3;
  flesh.elements[1].driver = 2;
  flesh.contacts = {{0, 1}};
  auto world = moved(limb, {});
  const float radius = flesh.elements[0].radius;
  world[2] = world[0];
  world[2].translation = {2 * radius - 0.008f, 0, 0};  // parallel bones, 8 mm too near
  FleshState state = settled(flesh, world);
  for (int i = 0; i < 60; ++i) advance(flesh, world, 1.0 / 60, state);
  EXPECT_NEAR(double{state.motions[0].shift.x}, -0.006, 3e-4);
  EXPECT_NEAR(double{state.motions[1].shift.x}, 0.002, 3e-4);
}

}  // namespace
}  // namespace supple
