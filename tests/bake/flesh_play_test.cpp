// Flesh along clips: cycles close, what is baked is what is shown, any time can be entered.
#include "supple/author/bake/play_flesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/fleshy_limb.h"
#include "supple/deform/skin.h"

namespace supple {
namespace {

using test::fleshy_limb;
using test::limb_recipe;

/// The root goes to and fro, once in a second, and travels by `lap` a cycle.
Clip shaking(double lap = 0, double seconds = 1) {
  Clip clip{"shake", {}};
  Track track{Channel::translation, Interpolation::linear, 0, 3, {}, {}};
  const int keys = static_cast<int>(30 * seconds);
  for (int i = 0; i <= keys; ++i) {
    const double t = i / 30.0, p = 2 * std::numbers::pi * t;
    track.times.push_back(static_cast<float>(t));
    track.values.insert(track.values.end(), {static_cast<float>(0.05 * std::sin(p) + lap * t),
                                             static_cast<float>(0.02 * std::cos(2 * p)), 0});
  }
  clip.tracks.push_back(track);
  return clip;
}

TEST(FleshPlay, FindsTheRateOfAClip) {
  EXPECT_NEAR(clip_rate(shaking()), 30, 1e-3);
  EXPECT_EQ(clip_rate({}), 30);
}

TEST(FleshPlay, ACycleCloses) {
  const Character limb = fleshy_limb();
  for (const Anchor anchor : {Anchor::linear, Anchor::cubic}) {
    for (const double lap : {0.0, 1.5}) {
      FleshPlayOptions options{.anchor = anchor, .loop = lap == 0 ? Loop::automatic : Loop::on};
      const auto take = play_flesh(limb, shaking(lap), options);
      ASSERT_TRUE(take.ok());
      EXPECT_TRUE(take->loops);
      EXPECT_GT(take->cycles, 1);
      EXPECT_LT(take->gap, 1e-5);
      EXPECT_EQ(take->motions.front()[0].shift, take->motions.back()[0].shift);
      // And it is the flesh of a character that has run for ever: fifty cycles in a row end in the same.
      const auto world = [&](double t) {
        Pose pose = limb.at(shaking(lap), static_cast<float>(t - std::floor(t)));
        pose.local[0].translation.x += static_cast<float>(lap * std::floor(t));
        return to_world(limb.skeleton, pose);
      };
      if (anchor == Anchor::cubic) continue;
      FleshState state = settled(limb.flesh, world(0));
      for (int i = 1; i <= 50 * 30; ++i) advance(limb.flesh, world(i / 30.0), 1.0 / 30, state);
      // 75 m away a float is good to 4e-6 m, 1e-4 m/s.
      EXPECT_LT(length(state.motions[0].shift - take->motions.back()[0].shift), lap == 0 ? 2e-6f : 2e-5f);
    }
  }
}

TEST(FleshPlay, AClipThatEndsElsewhereDoesNotLoop) {
  const Character limb = fleshy_limb();
  const auto take = play_flesh(limb, shaking(1.5));
  ASSERT_TRUE(take.ok());
  EXPECT_FALSE(take->loops);
  EXPECT_EQ(take->cycles, 1);
  EXPECT_LT(length(take->motions.front()[0].shift), 1e-6f);  // from rest
}

TEST(FleshPlay, WhatIsBakedIsWhatIsShown) {
  Character limb = fleshy_limb();
  Clip clip = shaking(0, 2);
  const auto take = play_flesh(limb, clip);
  ASSERT_TRUE(take.ok());
  const Clip plain = clip;
  ASSERT_TRUE(bake_flesh(limb, clip).ok());
  ASSERT_TRUE(bake_flesh(limb, clip).ok());  // again: replaced, not added, and not fed by its own tracks
  EXPECT_EQ(clip.tracks.size(), plain.tracks.size() + limb.flesh.elements[0].twins.size());
  const Track& track = clip.tracks.back();
  ASSERT_EQ(track.times, take->times);
  for (std::size_t i = 0; i < take->times.size(); ++i) {
    const Vec3f t = take->twins[i].back().translation;
    EXPECT_EQ(track.values[3 * i], t.x);  // bit by bit
    EXPECT_EQ(track.values[3 * i + 1], t.y);
    EXPECT_EQ(track.values[3 * i + 2], t.z);
  }
  // The skin: twins played by a plain engine, against the layer.
  auto live = Skin::make(limb), engine = Skin::make(limb, Blend::linear, Layers::as_given());
  ASSERT_TRUE(live.ok() && engine.ok());
  float worst = 0, most = 0;
  for (std::size_t i = 0; i < take->times.size(); ++i) {
    const Pose pose = limb.at(clip, take->times[i]);
    ASSERT_TRUE(live->set_flesh(take->motions[i]));
    ASSERT_TRUE(live->evaluate(pose).ok() && engine->evaluate(pose).ok());
    for (std::size_t v = 0; v < live->positions().size(); ++v)
      worst = std::max(worst, length(live->positions()[v] - engine->positions()[v]));
    most = std::max(most, length(take->motions[i][0].shift));
  }
  EXPECT_LT(worst, 3e-7f);
  EXPECT_GT(most, 0.005f);
}

TEST(FleshPlay, LiveStepsGiveTheSameBitsAsTheBake) {
  const Character limb = fleshy_limb();
  const Clip clip = shaking(0.7);  // does not loop
  const auto take = play_flesh(limb, clip, {.anchor = Anchor::linear, .preroll = 0});
  ASSERT_TRUE(take.ok());
  auto skin = Skin::make(limb);
  ASSERT_TRUE(skin.ok());
  const double dt = double{clip.duration()} / static_cast<double>(take->times.size() - 1);
  for (std::size_t i = 0; i < take->times.size(); ++i) {
    ASSERT_TRUE(skin->animate(limb.at(clip, take->times[i]), dt).ok());
    EXPECT_EQ(skin->flesh()[0].shift, take->motions[i][0].shift) << i;
  }
}

TEST(FleshPlay, AnyTimeCanBeEntered) {
  const Character limb = fleshy_limb();
  for (const bool cycle : {true, false}) {
    const Clip clip = cycle ? shaking(0, 4) : shaking(0.3, 6);
    const auto take = play_flesh(limb, clip);
    ASSERT_TRUE(take.ok());
    double peak = 0;
    for (const auto& motion : take->motions) peak = std::max(peak, double{length(motion[0].shift)});
    for (const double error : {1e-2, 1e-4}) {
      EXPECT_LT(memory(limb.flesh, error), 4);
      for (const std::size_t i : {std::size_t{0}, take->times.size() / 3, take->times.size() - 1}) {
        const auto state = seek_flesh(limb, clip, double{take->times[i]}, error);
        ASSERT_TRUE(state.ok());
        EXPECT_LT(length(Vec3d(state->motions[0].shift) - Vec3d(take->motions[i][0].shift)), error * peak + 1e-6)
            << cycle << ' ' << i;
      }
    }
  }
}

TEST(FleshPlay, RefusesWhatCannotMove) {
  const Character limb = fleshy_limb();
  Clip still = shaking();
  still.tracks[0].times = {0};
  still.tracks[0].values.resize(3);
  const auto take = play_flesh(limb, still);
  ASSERT_FALSE(take.ok());
  EXPECT_NE(take.error().message().find("single frame"), std::string::npos);
  EXPECT_FALSE(play_flesh(limb, shaking(), {.rate = 1e9}).ok());
  const auto bare = make::make_limb({});
  EXPECT_FALSE(play_flesh(*bare, shaking()).ok());
  EXPECT_FALSE(seek_flesh(limb, shaking(), 0.5, 0).ok());
}

TEST(FleshPlay, ATeleportIsToldAndCarriesTheFleshAlong) {
  // Standing still, then standing still elsewhere: nothing swings, whichever way the bones are thought to move.
  const Character limb = fleshy_limb();
  for (const double jump : {1.5, 50.0}) {
    Clip clip = shaking();
    for (std::size_t i = 0; i <= 30; ++i) {
      clip.tracks[0].values[3 * i] = i < 15 ? 0 : static_cast<float>(jump);
      clip.tracks[0].values[3 * i + 1] = 0;
    }
    for (const Anchor anchor : {Anchor::linear, Anchor::cubic}) {
      Warnings warnings;
      const auto take = play_flesh(limb, clip, {.anchor = anchor}, &warnings);
      ASSERT_TRUE(take.ok());
      ASSERT_EQ(warnings.size(), 1u);
      EXPECT_NE(warnings[0].find("jumps by"), std::string::npos);
      for (const auto& motion : take->motions) EXPECT_LT(length(motion[0].shift), 1e-4f);
    }
  }
}

TEST(FleshPlay, CoarseKeysShowTheSameMotion) {
  const Character limb = fleshy_limb();
  const Clip clip = shaking(0, 2);
  const auto fine = play_flesh(limb, clip), coarse = play_flesh(limb, clip, {.rate = 5});
  ASSERT_TRUE(fine.ok() && coarse.ok());
  ASSERT_EQ(coarse->times.size(), 11u);
  for (std::size_t i = 0; i < coarse->times.size(); ++i)
    EXPECT_LT(length(coarse->motions[i][0].shift - fine->motions[6 * i][0].shift), 1e-6f);
}

TEST(FleshPlay, TheTwistOfACycleClosesToo) {
  FleshRecipe recipe = limb_recipe();
  recipe.elements[0].torsion = FleshTorsion{1, 0.05f, 0.8f};
  recipe.elements[0].springs[0].frequency = 20;
  recipe.elements[0].springs[0].damping_ratio = 1;
  const Character limb = fleshy_limb(recipe);
  Clip clip{"turn", {}};
  Track track{Channel::rotation, Interpolation::linear, 0, 4, {}, {}};
  for (int i = 0; i <= 30; ++i) {
    const Quatf q =
        from_axis_angle(Vec3f{0, 1, 0}, 0.3f * std::sin(2 * std::numbers::pi_v<float> * static_cast<float>(i) / 30));
    track.times.push_back(static_cast<float>(i) / 30);
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  clip.tracks.push_back(track);
  const auto take = play_flesh(limb, clip);
  ASSERT_TRUE(take.ok());
  EXPECT_GT(take->cycles, 1);
  EXPECT_LT(take->gap, 1e-5);
  float most = 0, step = 0;
  for (std::size_t i = 1; i < take->motions.size(); ++i) {
    most = std::max(most, std::abs(take->motions[i][0].twist));
    step = std::max(step, std::abs(take->motions[i][0].twist - take->motions[i - 1][0].twist));
  }
  EXPECT_GT(most, 0.05f);
  EXPECT_LT(step, most);  // no pop where it closes
}

TEST(FleshPlay, AClipOfOneFrameHangs) {
  FleshRecipe recipe = limb_recipe();
  recipe.elements[0].modelled_under_gravity = false;
  const Character limb = fleshy_limb(recipe);
  Clip still = shaking();
  still.tracks[0].times = {0};
  still.tracks[0].values.resize(3);
  const FleshTake take = still_take(limb, still);
  EXPECT_LT(take.motions[0][0].shift.y, -0.005f);
  put_take(limb, take, still);
  EXPECT_EQ(still.tracks.size(), 1 + limb.flesh.elements[0].twins.size());
  EXPECT_EQ(still.tracks.back().times.size(), 1u);
}

}  // namespace
}  // namespace supple
