// Muscles along clips: playback, cycles, windows; and proposals.
#include "supple/author/bake/play_muscles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/vortex_ball.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/make/limb.h"

namespace supple {
namespace {

using test::Ball;
using test::free_muscle;

using std::numbers::pi;

/// The root sways for `seconds` at two frequencies, keys at 60 a second.
Clip sway_clip(double seconds, double first, double second) {
  Clip clip;
  clip.name = "sway";
  Track track;
  track.channel = Channel::translation;
  track.target = 0;
  track.width = 3;
  for (int i = 0; i <= std::lround(seconds * 60); ++i) {
    const double t = i / 60.0;
    track.times.push_back(static_cast<float>(t));
    for (const double x : {0.02 * std::sin(2 * pi * first * t), 0.01 * std::sin(2 * pi * second * t), 0.0})
      track.values.push_back(static_cast<float>(x));
  }
  clip.tracks.push_back(track);
  return clip;
}

double largest(std::span<const Vec3d> values) {
  double most = 0;
  for (const Vec3d v : values) most = std::max(most, length(v));
  return most;
}

TEST(VortexPlay, AWindowForgetsAsDampingSays) {
  VortexMuscle m = free_muscle();
  m.damping_ratio = 0.2f;
  m.gravity = {0, -0.5f, 0};
  Ball ball(m);
  const Clip clip = sway_clip(6, 2.5, 1.1);
  VortexPlayOptions options;
  options.loop = Loop::off;
  const auto take = play_muscles(ball.character, ball.table, clip, options);
  ASSERT_TRUE(take.ok());
  EXPECT_FALSE(take->loops);
  ASSERT_EQ(take->times.size(), 361u);
  const double damping = oscillator(3, 0.2).damping;
  double peak = 0;
  for (std::size_t i = 180; i < take->times.size(); ++i)
    for (const Vec3f w : take->vorticity[i]) peak = std::max(peak, double{length(w)});
  double last = 1;
  for (const double window : {0.1, 0.25, 0.5, 1.0, 2.0}) {
    ball.live().window = static_cast<float>(window);
    double worst = 0;
    for (std::size_t i = 300; i <= 360; i += 6) {
      const auto state = seek_muscles(ball.character, ball.table, clip, double{take->times[i]}, options);
      ASSERT_TRUE(state.ok());
      std::vector<Vec3d> apart;
      for (std::size_t s = 0; s < state->vorticity.size(); ++s)
        apart.push_back(state->vorticity[s] - Vec3d(take->vorticity[i][s]));
      worst = std::max(worst, largest(apart));
    }
    EXPECT_LE(worst, 1.3 * std::exp(-damping * window / 2) * peak) << window;
    EXPECT_LT(worst, last);
    last = worst;
  }
}

TEST(VortexPlay, ATakeIsWhatAdvanceDoesAndShowShowsIt) {
  Ball ball;
  const Clip clip = sway_clip(1, 1.3, 0.9);
  const auto take = play_muscles(ball.character, ball.table, clip, {});
  ASSERT_TRUE(take.ok());
  ball.settle_at(to_world(ball.character.skeleton, ball.character.at(clip, 0)));
  std::vector<Affinef> world;
  for (std::size_t i = 1; i < take->times.size(); ++i) {
    world = to_world(ball.character.skeleton, ball.character.at(clip, take->times[i]));
    ball.advance_to(world, 1.0 / 60);
  }
  for (std::size_t s = 0; s < ball.state.vorticity.size(); ++s)
    EXPECT_LT(length(Vec3f(ball.state.vorticity[s]) - take->vorticity.back()[s]),
              1e-6f * static_cast<float>(largest(ball.state.vorticity)));
  const auto moving = ball.skin(world);
  show(ball.table, world, take->vorticity.back(), ball.state);
  const auto shown = ball.skin(world);
  for (std::size_t v = 0; v < shown.size(); ++v) EXPECT_LT(length(shown[v] - moving[v]), 1e-6f);
}

TEST(VortexPlay, CyclesClose) {
  Ball ball;
  const Clip clip = sway_clip(2, 1, 0.5);
  Warnings warnings;
  const auto take = play_muscles(ball.character, ball.table, clip, {}, &warnings);
  ASSERT_TRUE(take.ok());
  EXPECT_TRUE(take->loops);
  EXPECT_GT(take->cycles, 1);
  EXPECT_LE(take->gap, 1e-4);
  EXPECT_TRUE(warnings.empty());
  // Sought out at the very start it knows the end of the cycle before.
  ball.live().window = 3;
  const auto state = seek_muscles(ball.character, ball.table, clip, 0, {});
  ASSERT_TRUE(state.ok());
  double most = 0;
  for (const Vec3f w : take->vorticity.front()) most = std::max(most, double{length(w)});
  for (std::size_t s = 0; s < state->vorticity.size(); ++s)
    EXPECT_LT(length(state->vorticity[s] - Vec3d(take->vorticity.front()[s])), 0.01 * most);
}

TEST(VortexPlay, SaysWhatIsWrong) {
  Ball ball;
  ball.live().window = 5;
  VortexPlayOptions options;
  options.loop = Loop::off;
  Warnings warnings;
  EXPECT_TRUE(seek_muscles(ball.character, ball.table, sway_clip(1, 1.3, 1), 0.5, options, &warnings).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("longer than the clip"), std::string::npos);
  EXPECT_FALSE(play_muscles(ball.character, ball.table, sway_clip(0, 1, 1), options).ok());
  options.rate = 1e9;
  EXPECT_FALSE(play_muscles(ball.character, ball.table, sway_clip(1, 1, 1), options).ok());
  options.rate = 0;
  options.preroll = -1;
  EXPECT_FALSE(play_muscles(ball.character, ball.table, sway_clip(1, 1, 1), options).ok());
  Character bare = ball.character;
  bare.kinodynamics.reset();
  EXPECT_FALSE(play_muscles(bare, build_vortex_table(bare).value(), sway_clip(1, 1, 1)).ok());
  // Put elsewhere within a frame.
  Clip jump = sway_clip(1, 1.3, 1);
  for (std::size_t k = 30; k <= 60; ++k) jump.tracks[0].values[3 * k] += 50;
  warnings.clear();
  options.preroll = 0.5;
  EXPECT_TRUE(play_muscles(ball.character, ball.table, jump, options, &warnings).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("jumps"), std::string::npos);
}

TEST(ProposeMuscles, LieInLimbsAndDoNotSagAtRest) {
  make::LimbOptions options;
  options.vertices = 2000;
  Character limb = make::make_limb(options).value();
  const auto muscles = propose_muscles(limb);
  ASSERT_TRUE(muscles.ok()) << muscles.error().message();
  ASSERT_FALSE(muscles->empty());
  EXPECT_LE(propose_muscles(limb, 1)->size(), 1u);
  limb.kinodynamics.emplace();
  limb.kinodynamics->muscles = *muscles;
  ASSERT_TRUE(validate(limb).ok()) << validate(limb).error().message();
  const VortexTable table = build_vortex_table(limb).value();
  const MuscleWeights weights = build_muscle_weights(limb, 0);
  VortexState state = settled(table, *limb.kinodynamics, to_world(limb.skeleton, limb.rest()));
  std::vector<Vec3f> shapes(table.surface.size()), skin = limb.parts[0].mesh.positions;
  muscle_shapes(table, state, shapes);
  const Box box = bounds(skin), inside = bounds(shapes);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(inside.low[k], box.low[k]);
    EXPECT_LT(inside.high[k], box.high[k]);
  }
  VortexJob{&table, &state, &weights, skin, 1, nullptr}.run();
  for (std::size_t v = 0; v < skin.size(); ++v)
    EXPECT_LT(length(skin[v] - limb.parts[0].mesh.positions[v]), 1e-6f);  // gravity is rounded to floats
  // Lying down they do.
  Pose lying = limb.rest();
  lying.local[0].rotation = Quatf(from_axis_angle(Vec3d{0, 0, 1}, pi / 2));
  settle(table, *limb.kinodynamics, to_world(limb.skeleton, lying), state);
  EXPECT_TRUE(state.set_states[0].moves);
  EXPECT_GT(largest(state.vorticity), 0);
  Character bare;
  EXPECT_FALSE(propose_muscles(bare).ok());
}

}  // namespace
}  // namespace supple
