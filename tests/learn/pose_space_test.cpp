// Pose spaces learnt from a sleeve whose corrections are known: what they reproduce, what they refuse, what they say.
#include "supple/author/learn/pose_space.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/author/learn/fit_error.h"
#include "supple/author/learn/pose_space_examples.h"
#include "supple/deform/pose_space/reference.h"
#include "support/sleeve_poses.h"

namespace supple::learn {
namespace {

using test::few_poses;
using test::sleeve;
using test::sleeve_examples;
using test::SleevePose;

struct Trained {
  Character character;
  PoseSpace space;
  ErrorSummary train, several, single;
};

Trained trained(const Character& c, const ExampleSet& set, const PoseSpaceOptions& options = {}) {
  Trained result{c, {}, {}, {}, {}};
  auto space = train_pose_space(set, result.character, 0, options);
  EXPECT_TRUE(space) << space.error().message();
  result.space = std::move(*space);
  EXPECT_TRUE(validate(result.character)) << validate(result.character).error().message();
  const auto errors = [&](Group group) {
    return summarize(measure_live(result.character, 0, set, examples_of(set, group)).value(), set.vertices(),
                     set.vertices());
  };
  result.train = errors(Group::train);
  result.single = errors(Group::held_out_single);
  result.several = errors(Group::held_out_several);
  return result;
}

TEST(PoseSpaceTraining, ExamplesComeBackToFloatRounding) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, few_poses);
  for (const JointInfluence kind : {JointInfluence::equal, JointInfluence::weights, JointInfluence::subtree}) {
    const Trained t = trained(c, set, {kind, 0.01f, {}});
    ASSERT_EQ(t.train.examples, 4u);
    // Example positions, rest shapes and skinned positions of a metre are each rounded to 6e-8; plain PSD's morph
    // targets are kept to 4e-7 of the size.
    EXPECT_LT(t.train.largest, 1e-6);
    EXPECT_LT(t.train.normal, 1e-3);
    EXPECT_GT(t.train.blend_rms, 1e-4);
    ASSERT_EQ(t.character.parts[0].morphs.size(), 4u);
    EXPECT_EQ(t.character.parts[0].morphs[1].name, "wrist");
    EXPECT_EQ(t.space.joints, (std::vector<JointIndex>{1, 2}));
    EXPECT_EQ(*t.character.pose_space, t.space);
  }
}

TEST(PoseSpaceTraining, RestShapesOfExamplesAreTheKnownCorrections) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, few_poses);
  const Trained t = trained(c, set);
  for (std::size_t e = 0; e < 4; ++e) {
    const Pose pose = [&] {
      Pose p = pose_of(c, few_poses[e]);
      p.morph_weights = t.character.morph_weights;
      return p;
    }();
    const PoseSpaceShape shape = pose_space_reference(t.character, t.space, pose);
    for (std::size_t v = 0; v < shape.positions.size(); ++v) {
      const Vec3f at = c.parts[0].mesh.positions[v];
      // Carrying a rounded example back through the blend of joints magnifies its rounding a little.
      EXPECT_LT(length(shape.positions[v] - Vec3d(at + sleeve_correction(at, few_poses[e]))), 5e-7);
    }
  }
}

TEST(PoseSpaceTraining, WeightsOfEachVertexGeneraliseWherePlainOnesDoNot) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, few_poses);
  const Trained subtree = trained(c, set), alike = trained(c, set, {JointInfluence::equal, 0.01f, {}});
  // Elbow and wrist bent together: each has its example, both have none.
  EXPECT_LT(subtree.several.relative, 0.15);
  EXPECT_GT(alike.several.relative, 1.5 * subtree.several.relative);
  EXPECT_LT(subtree.single.relative, 0.5);
}

TEST(PoseSpaceTraining, TurnsOfTheWholeSkinDoNotCount) {
  const Character c = sleeve();
  ExampleSet set = sleeve_examples(c, few_poses);
  std::vector<Quatf> rotations(set.rotations.begin(), set.rotations.end());
  rotations[0] = Quatf(from_axis_angle(Vec3d{0, 0, 1}, 0.5));  // the root of the first example
  set.rotations = rotations;
  Character trained = c;
  const auto space = train_pose_space(set, trained, 0);
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(space->joints, (std::vector<JointIndex>{1, 2}));
}

TEST(PoseSpaceTraining, JointsThatShiftAreFollowed) {
  // As scans have them: the wrist of an example is a centimetre off its place at rest, and the skin with it.
  const Character c = sleeve();
  const std::vector<SleevePose> poses{{"elbow", 1.2f}, {"wrist", 0, 1}};
  ExampleSet set = sleeve_examples(c, poses);
  std::vector<Vec3f> translations, positions, scales(poses.size() * 3, Vec3f{1, 1, 1});
  Skin skin = Skin::make(c).value();
  for (const SleevePose& p : poses) {
    Pose pose = pose_of(c, p);
    pose.local[2].translation += Vec3f{0.01f, 0, 0};
    for (const Transformf& t : pose.local) translations.push_back(t.translation);
    ASSERT_TRUE(skin.evaluate(pose));
    positions.insert(positions.end(), skin.positions().begin(), skin.positions().end());
  }
  set.translations = translations;
  set.scales = scales;
  set.positions = positions;  // plain linear blend: nothing is left to correct
  const Trained t = trained(c, set);
  EXPECT_LT(t.train.largest, 1e-6);
  for (const MorphTarget& target : t.character.parts[0].morphs)
    for (const Vec3f& d : target.positions) EXPECT_LT(length(d), 1e-6f);
}

TEST(PoseSpaceTraining, WhatCannotBeLearntIsSaid) {
  const Character c = sleeve();
  const auto complaint = [&](std::vector<SleevePose> poses) {
    Character same = c;
    const auto space = train_pose_space(sleeve_examples(c, poses), same, 0);
    EXPECT_FALSE(space);
    EXPECT_TRUE(same.parts[0].morphs.empty()) << "the character was changed";
    return space ? std::string() : space.error().message();
  };
  EXPECT_NE(complaint({{"rest"}}).find("moves a joint"), std::string::npos);
  EXPECT_NE(complaint({{"test", 1, 0, 0, Role::test}}).find("role 'train'"), std::string::npos);
  Character twice = c;
  const ExampleSet set = sleeve_examples(c, few_poses);
  ASSERT_TRUE(train_pose_space(set, twice, 0));
  EXPECT_FALSE(train_pose_space(set, twice, 0));
}

TEST(PoseSpaceTraining, RepeatedPosesBecomeOneWithTheMeanShape) {
  const Character c = sleeve();
  const std::vector<SleevePose> poses{{"a", 0.5f}, {"b", 0, 0.5f}, {"a again", 0.505f}, {"b again", 0, 0.5f}};
  ExampleSet set = sleeve_examples(c, poses);
  Character merged = c, single = c;
  Warnings warnings;
  const auto space = train_pose_space(set, merged, 0, {}, &warnings);
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(space->examples(), 3u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("4 training examples became 2: 2 repeat"), std::string::npos) << warnings[0];
  EXPECT_EQ(merged.parts[0].morphs[0].name, "a");
  // The same poses once give the same shapes: those that were merged differ by a few hundredths of a correction.
  ASSERT_TRUE(train_pose_space(sleeve_examples(c, std::span(poses).first(2)), single, 0));
  for (std::size_t v = 0; v < c.parts[0].mesh.positions.size(); ++v) {
    const Vec3f once = single.parts[0].morphs[0].positions[v], mean = merged.parts[0].morphs[0].positions[v];
    EXPECT_LT(length(mean - once), 0.05f * length(once) + 1e-5f) << v;
  }
}

TEST(PoseSpaceTraining, OfTooManyExamplesThoseFarthestApartAreKept) {
  const Character c = sleeve();
  std::vector<SleevePose> poses;
  for (int i = 1; i <= 10; ++i)
    for (int j = 0; j < 10; ++j)
      poses.push_back(
          {std::to_string(i) + "-" + std::to_string(j), 0.12f * static_cast<float>(i), 0.12f * static_cast<float>(j)});
  for (int i = 0; i < 9; ++i)  // held out: between the others
    poses.push_back({"held out " + std::to_string(i), 0.12f * static_cast<float>(i) + 0.06f,
                     1.14f - 0.12f * static_cast<float>(i), 0, Role::test});
  const ExampleSet set = sleeve_examples(c, poses);
  const Trained t = trained(c, set);
  EXPECT_EQ(t.space.examples(), PoseSpace::max_examples);
  EXPECT_LT(t.several.relative, 0.2);
}

/// The largest weight of an example at any vertex, anywhere between rest and the examples.
double largest_weight(const Character& c, const PoseSpace& space, std::span<const SleevePose> at) {
  double largest = 0;
  for (const SleevePose& p : at)
    for (const auto& of_vertex : pose_space_reference(c, space, test::pose_of(c, p)).weights)
      for (const double w : of_vertex) largest = std::max(largest, std::abs(w));
  return largest;
}

TEST(PoseSpaceTraining, NearlyEqualPosesDoNotPullAgainstEachOther) {
  // Two poses that differ in a joint which the skin of the other joint hardly feels.
  const Character c = sleeve();
  for (const float apart : {0.3f, 0.05f, 0.01f, 0.002f}) {
    Character trained = c;
    const std::vector<SleevePose> poses{{"a", 0.6f, 0.5f}, {"far", -0.7f, 0.2f}, {"wrist", 0, -0.9f}};
    PoseSpace space = train_pose_space(sleeve_examples(c, poses), trained, 0).value();
    // Beside the first, too near to be learnt as another.
    space.settings.push_back(space.settings[2] * from_axis_angle(Vec3f{1, 0, 0}, apart));
    space.settings.push_back(space.settings[3] * from_axis_angle(Vec3f{1, 0, 0}, -apart));
    trained.parts[0].morphs.push_back(trained.parts[0].morphs[0]);
    trained.morph_weights.push_back(0);
    const std::vector<SleevePose> at{{"", 1.2f, 1}, {"", 0.3f, -0.9f}, {"", -1, 1}, {"", 0.3f, 0.25f}};
    const float ridge = needed_ridge(trained, space);
    EXPECT_EQ(ridge > 0, apart < 0.02f) << apart;
    if (ridge == 0) continue;
    EXPECT_GT(largest_weight(trained, space, at), 4) << apart;
    space.ridge = ridge;
    EXPECT_LT(largest_weight(trained, space, at), 4) << apart;
  }
}

TEST(PoseSpaceTraining, AnExampleAtRestThatIsNotTheRestSkinIsTold) {
  const Character c = sleeve();
  ExampleSet set = sleeve_examples(c, std::vector<SleevePose>{{"rest"}, {"elbow", 1}});
  Character quiet = c, warned = c;
  Warnings warnings;
  ASSERT_TRUE(train_pose_space(set, quiet, 0, {}, &warnings));
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_EQ(quiet.parts[0].morphs.size(), 1u);
  std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
  positions[5].x += 0.002f;
  set.positions = positions;
  ASSERT_TRUE(train_pose_space(set, warned, 0, {}, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("example 'rest': is at rest")) << warnings[0];
}

}  // namespace
}  // namespace supple::learn
