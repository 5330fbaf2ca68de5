// Baked weight tracks play what the drivers compute, and leave everything else of a clip as it was.
#include "supple/author/bake/bake_drivers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "supple/deform/drive.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/deform/skin.h"
#include "support/driven_character.h"

namespace supple::test {
namespace {

constexpr std::uint32_t strip_weights = 7;  // of the block that drivers move; see driven_strip

std::vector<const Track*> weight_tracks(const Clip& clip) {
  std::vector<const Track*> result;
  for (const Track& track : clip.tracks) {
    if (track.channel == Channel::morph_weights) result.push_back(&track);
  }
  return result;
}

/// What the clip says before baking, with the drivers on top of it.
std::vector<float> driven_at(const Character& character, const Clip& clip, float seconds) {
  Pose pose = character.at(clip, seconds);
  drive(character.drivers, pose);
  return pose.morph_weights;
}

double worst_difference(const Character& before, const Clip& original, const Clip& baked, int samples) {
  Rng rng(11);
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const auto t = static_cast<float>(rng.uniform(-0.1, original.end() + 0.1));
    const std::vector<float> wanted = driven_at(before, original, t), got = before.at(baked, t).morph_weights;
    for (std::size_t w = 0; w < wanted.size(); ++w)
      worst = std::max(worst, std::abs(double{wanted[w]} - double{got[w]}));
  }
  return worst;
}

TEST(BakeDrivers, TracksStayWithinTheTolerance) {
  for (const double tolerance : {5e-3, 5e-4}) {
    const Character before = driven_strip();
    Character c = before;
    bake_drivers(c, tolerance);
    ASSERT_TRUE(validate(c)) << validate(c).error().message();
    const auto tracks = weight_tracks(c.clips[0]);
    ASSERT_EQ(tracks.size(), 1u) << "the flag's weights are not driven";
    EXPECT_EQ(tracks[0]->target, 0u);
    EXPECT_EQ(tracks[0]->width, strip_weights) << "glTF: all targets of the mesh";
    EXPECT_EQ(tracks[0]->interpolation, Interpolation::linear);
    EXPECT_LE(worst_difference(before, before.clips[0], c.clips[0], 2000), tolerance);
    for (const Track& track : before.clips[0].tracks) {  // their keys are keys of the weights too
      EXPECT_TRUE(
          std::includes(tracks[0]->times.begin(), tracks[0]->times.end(), track.times.begin(), track.times.end()));
    }
    EXPECT_LT(tracks[0]->times.size(), 400u) << "bisection ends: 1.6 s hold 384 intervals of 1/240 s";
  }
}

TEST(BakeDrivers, AnEngineWithoutDriversShowsTheSameSkin) {
  const Character before = driven_strip();
  Character c = before;
  bake_drivers(c);
  auto live = Skin::make(before);
  auto plain = Skin::make(c, Blend::linear, Layers::as_given());
  ASSERT_TRUE(live && plain);
  for (const float t : {0.0f, 0.37f, 0.8f, 1.21f, 1.6f}) {
    ASSERT_TRUE(live->evaluate(before.at(before.clips[0], t)));
    ASSERT_TRUE(plain->evaluate(c.at(c.clips[0], t)));
    for (std::size_t p = 0; p < live->parts(); ++p) {
      for (std::size_t v = 0; v < live->positions(p).size(); ++v) {
        // Seven targets, none longer than 0.18 m, each weight off by at most 5e-4.
        EXPECT_LT(length(live->positions(p)[v] - plain->positions(p)[v]), 7 * 0.18f * 5e-4f);
      }
    }
  }
}

TEST(BakeDrivers, BakingTwiceChangesNothing) {
  Character c = driven_strip();
  bake_drivers(c);
  const Clip once = c.clips[0];
  bake_drivers(c);
  ASSERT_EQ(c.clips[0].tracks.size(), once.tracks.size());
  for (std::size_t t = 0; t < once.tracks.size(); ++t) {
    EXPECT_EQ(c.clips[0].tracks[t].times, once.tracks[t].times);
    EXPECT_EQ(c.clips[0].tracks[t].values, once.tracks[t].values);
  }
}

TEST(BakeDrivers, StepsStaySteps) {
  Character c = driven_strip();
  for (Track& track : c.clips[0].tracks) track.interpolation = Interpolation::step;
  const Clip original = c.clips[0];
  bake_drivers(c);
  const auto tracks = weight_tracks(c.clips[0]);
  ASSERT_EQ(tracks.size(), 1u);
  EXPECT_EQ(tracks[0]->interpolation, Interpolation::step);
  std::set<float> keys;
  for (const Track& track : original.tracks) keys.insert(track.times.begin(), track.times.end());
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), tracks[0]->times.begin(), tracks[0]->times.end()));
  EXPECT_EQ(worst_difference(c, original, c.clips[0], 500), 0) << "between keys nothing moves";
}

TEST(BakeDrivers, JumpsAmongSmoothTracksAreNarrow) {
  Character c = driven_strip();
  c.clips[0].tracks[1].interpolation = Interpolation::step;
  const Clip original = c.clips[0];
  bake_drivers(c);
  const auto tracks = weight_tracks(c.clips[0]);
  ASSERT_EQ(tracks.size(), 1u);
  for (const float jump : original.tracks[1].times) {
    if (jump == 0) continue;
    const auto key = std::lower_bound(tracks[0]->times.begin(), tracks[0]->times.end(), jump);
    ASSERT_EQ(*key, jump);
    EXPECT_LE(*key - *(key - 1), 1.0f / 240);
  }
}

TEST(BakeDrivers, OwnWeightsOfTheClipGoOn) {
  for (const Interpolation interpolation : {Interpolation::linear, Interpolation::cubic_spline}) {
    const Character before = driven_strip();
    Character c = before;
    // Made before the drivers were: of the first two targets only, at times of its own, one of them driven since.
    Track own{Channel::morph_weights, interpolation, 0, 3, {0.15f, 0.9f}, {}};
    const std::vector<float> first{0, 0.5f, 0.9f}, last{1, 0.25f, 0.1f}, tangent{0.8f, -1, 0};
    const bool spline = interpolation == Interpolation::cubic_spline;
    for (const auto& value : {first, last}) {
      if (spline) own.values.insert(own.values.end(), tangent.begin(), tangent.end());
      own.values.insert(own.values.end(), value.begin(), value.end());
      if (spline) own.values.insert(own.values.end(), tangent.begin(), tangent.end());
    }
    c.clips[0].tracks.push_back(own);
    const Clip original = c.clips[0];
    bake_drivers(c);
    const auto tracks = weight_tracks(c.clips[0]);
    ASSERT_EQ(tracks.size(), 1u);
    EXPECT_EQ(tracks[0]->width, strip_weights);
    EXPECT_EQ(std::count(tracks[0]->times.begin(), tracks[0]->times.end(), 0.15f), 1);
    EXPECT_LE(worst_difference(before, original, c.clips[0], 1000), 5e-4);
  }
}

TEST(BakeDrivers, NarrowTracksAreWidenedWhereNoDrivenJointTurns) {
  for (const Interpolation interpolation : {Interpolation::step, Interpolation::linear, Interpolation::cubic_spline}) {
    Character c = driven_strip();
    const std::size_t per_key = interpolation == Interpolation::cubic_spline ? 3 : 1;
    Track own{Channel::morph_weights, interpolation, 0, 2, {0, 0.7f}, {}};
    for (std::size_t i = 0; i < 2 * 2 * per_key; ++i) own.values.push_back(0.1f * static_cast<float>(i));
    c.clips = {{"smile", {own}}};
    bake_drivers(c);
    ASSERT_TRUE(validate(c)) << validate(c).error().message();
    ASSERT_EQ(c.clips[0].tracks.size(), 1u);
    EXPECT_EQ(c.clips[0].tracks[0].interpolation, interpolation);
    EXPECT_EQ(c.clips[0].tracks[0].times, own.times);
    for (const float t : {0.0f, 0.2f, 0.5f, 1.0f}) {
      std::vector<float> wanted = c.morph_weights;  // the rest pose is the drivers' reference
      sample(own, t, std::span(wanted).first(2));
      const std::vector<float> got = c.at(c.clips[0], t).morph_weights;
      for (std::size_t w = 0; w < wanted.size(); ++w) EXPECT_NEAR(got[w], wanted[w], 1e-6) << t;  // a spline rounds
    }
  }
}

TEST(BakeDrivers, ClipsThatNothingDrivesStay) {
  Character c = driven_strip();
  const Track nod{Channel::rotation, Interpolation::linear, 0, 4, {0, 1}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}};
  const Track flag{Channel::morph_weights, Interpolation::linear, 7, 1, {0, 1}, {0, 1}};
  c.clips = {{"nod", {nod, flag}}, {"nothing", {}}};
  bake_drivers(c);
  ASSERT_EQ(c.clips[0].tracks.size(), 2u);
  EXPECT_EQ(c.clips[0].tracks[1].values, flag.values);
  EXPECT_TRUE(c.clips[1].tracks.empty());
  Character undriven = driven_strip();
  undriven.drivers.clear();
  bake_drivers(undriven);
  EXPECT_EQ(undriven.clips[0].tracks.size(), 2u);
}

TEST(BakeDrivers, ARestPoseAwayFromTheReferenceIsBakedToo) {
  Character c = driven_strip();
  Transformf rest = c.skeleton.rest(1);
  rest.rotation = from_axis_angle(Vec3f{1, 0, 0}, 0.5f);
  c.skeleton.set_rest(1, rest);
  const Track nod{Channel::rotation, Interpolation::linear, 0, 4, {0.5f, 1}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}};
  c.clips = {{"nod", {nod}}};
  const Clip original = c.clips[0];
  bake_drivers(c);
  EXPECT_EQ(weight_tracks(c.clips[0]).size(), 1u);
  EXPECT_EQ(c.at(c.clips[0], 0.8f).morph_weights, driven_at(c, original, 0.8f));
}

TEST(SnapshotClip, HoldsThePoseAndItsWeights) {
  Character c = driven_strip();
  Pose pose = c.at(c.clips[0], 0.8f);
  pose.local[0].translation = {1, 2, 3};
  pose.local[2].scale = {1, 1.5f, 1};
  pose.morph_weights[7] = 0.9f;
  const Clip clip = snapshot_clip(c, pose, "grip");
  c.clips = {clip};
  ASSERT_TRUE(validate(c)) << validate(c).error().message();
  EXPECT_EQ(clip.name, "grip");
  EXPECT_GT(clip.duration(), 0) << "players divide by it";
  Pose driven = pose;
  drive(c.drivers, driven);
  for (const float t : {0.0f, 0.3f, 1.0f}) {
    const Pose again = c.at(clip, t);
    EXPECT_EQ(again.morph_weights, driven.morph_weights);
    for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
      EXPECT_EQ(again.local[j].translation, pose.local[j].translation);
      EXPECT_EQ(again.local[j].scale, pose.local[j].scale);
      EXPECT_LT(angle_between(Quatd(again.local[j].rotation), Quatd(pose.local[j].rotation)), 1e-6);
    }
  }
  EXPECT_EQ(clip.tracks.size(), 6u) << "two rotations, a translation, a scale, two meshes' weights";
  EXPECT_TRUE(snapshot_clip(c, c.rest(), "rest").tracks.empty());
}

TEST(Bake, SurfacesHaveNoDrivers) {
  const Character c = driven_strip();
  const Pose pose = c.at(c.clips[0], 0.8f);
  const auto surfaces = posed_surfaces(c, pose);
  ASSERT_TRUE(surfaces) << surfaces.error().message();
  EXPECT_TRUE(surfaces->drivers.empty());
  EXPECT_TRUE(surfaces->morph_weights.empty());
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin->evaluate(pose));
  EXPECT_TRUE(std::ranges::equal(surfaces->parts[0].mesh.positions, skin->positions(0))) << "as the drivers leave it";
}

}  // namespace
}  // namespace supple::test
