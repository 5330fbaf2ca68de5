// Skins of local modes and the pose kernel, on a sleeve whose corrections are known.
#include "supple/author/learn/kernel_skin.h"

#include <gtest/gtest.h>

#include "learn/sleeve.h"
#include "supple/author/learn/details.h"
#include "supple/author/learn/fit_error.h"
#include "supple/author/learn/rbf_fit.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

using test::sleeve;
using test::sleeve_examples;
using test::SleevePose;

constexpr float coupling = 0.5f;

std::vector<SleevePose> together(std::size_t count, std::uint64_t seed, Role role) {
  std::vector<SleevePose> poses;
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i)
    poses.push_back({"both " + std::to_string(seed) + "." + std::to_string(i),
                     static_cast<float>(rng.uniform(-1.2, 1.2)), static_cast<float>(rng.uniform(-1.2, 1.2)),
                     static_cast<float>(rng.uniform(-0.5, 0.5)), role});
  return poses;
}

std::vector<SleevePose> operator+(std::vector<SleevePose> a, const std::vector<SleevePose>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double error(const ExampleSet& set, const Character& c, const EigenSkin& skin, Group group) {
  Character shown = c;
  const std::size_t part = 0;
  const Attached attached = attach(skin, set, shown, std::span(&part, 1));
  EXPECT_TRUE(validate(shown).ok()) << validate(shown).error().message();
  return summarize(measure_poses(shown, 0, attached, set, examples_of(set, group)), set.vertices(), 0).relative;
}

EigenSkin learnt(const ExampleSet& set, const Character& c, const KernelSkinOptions& options = {}) {
  const auto trainer = KernelTrainer::make(set, c, 0, options);
  EXPECT_TRUE(trainer.ok()) << trainer.error().message();
  return trainer->skin(trainer->modes());
}

TEST(KernelSkin, DetailsHitTheirExamplesExactly) {
  const Character c = sleeve();
  ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(12, 1, Role::train), coupling);
  // A sculptor's corrective: a bump that modes of the others do not have.
  const std::size_t sculpt = set.size() - 1;
  set.examples[sculpt].tags.push_back(exact_tag);
  std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
  for (std::size_t v = 40; v < 60; ++v) positions[sculpt * set.vertices() + v].x += 0.01f;
  set.positions = positions;
  const auto trainer = KernelTrainer::make(set, c, 0);
  ASSERT_TRUE(trainer.ok()) << trainer.error().message();
  const EigenSkin plain = trainer->skin(4);
  const auto largest = [&](const EigenSkin& skin, std::size_t example) {
    Character shown = c;
    const std::size_t part = 0;
    const Attached attached = attach(skin, set, shown, std::span(&part, 1));
    EXPECT_TRUE(validate(shown).ok()) << validate(shown).error().message();
    return measure_poses(shown, 0, attached, set, std::span(&example, 1))[0].largest;
  };
  EigenSkin detailed = plain;
  const auto added = add_details(detailed, trainer->examples(), c.skeleton, {});
  ASSERT_TRUE(added.ok()) << added.error().message();
  EXPECT_EQ(*added, 1u);
  EXPECT_GT(largest(plain, sculpt), 1e-3);
  EXPECT_LT(largest(detailed, sculpt), 3e-4);  // a hundredth of the largest offset is left out as faint
  EigenSkin more = plain;
  ASSERT_EQ(add_details(more, trainer->examples(), c.skeleton, {.worst = 3}).value(), 4u);
  std::size_t hit = 0;
  for (const std::size_t e : more.corrections[1].examples) hit += largest(more, e) < 3e-4;
  EXPECT_EQ(hit, 4u);
  // Far away nothing changes: an example of one joint, at the end of its sweep.
  EXPECT_NEAR(largest(detailed, 0), largest(plain, 0), 1e-5);
}

/// Limits are 1.25 times what the first examples of the set reach.
void expect_limited_by(const MorphDriver& limited, const ExampleSet& set, std::size_t examples) {
  MorphDriver free = limited;
  free.least = free.most = {};
  ASSERT_EQ(limited.least.size(), limited.targets());
  ASSERT_EQ(limited.most.size(), limited.targets());
  std::vector<float> low(limited.targets(), 0.0f), high = low, weights = low;
  for (std::size_t i = 0; i < examples; ++i) {
    drive(std::span(&free, 1), set.pose(i).local, weights);
    for (std::size_t m = 0; m < low.size(); ++m) {
      low[m] = std::min(low[m], weights[m]);
      high[m] = std::max(high[m], weights[m]);
    }
  }
  for (std::size_t m = 0; m < low.size(); ++m) {
    // Rounding of rotations: settings of examples are a little off those of their poses.
    const float tolerance = 1e-4f * (high[m] - low[m]);
    EXPECT_NEAR(limited.least[m], 1.25f * low[m], tolerance);
    EXPECT_NEAR(limited.most[m], 1.25f * high[m], tolerance);
  }
}

/// The pose kernel and details: no pose, however far, moves a weight beyond 1.25 times what training poses do.
TEST(KernelSkin, WeightsAreLimitedToThoseOfTheTrainingPoses) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(24, 7, Role::train), coupling);
  const auto trainer = KernelTrainer::make(set, c, 0);
  ASSERT_TRUE(trainer.ok()) << trainer.error().message();
  EigenSkin skin = trainer->skin(6);
  ASSERT_EQ(add_details(skin, trainer->examples(), c.skeleton, {.worst = 3}).value(), 3u);
  Rng rng(8);
  std::vector<Pose> far;
  for (int i = 0; i < 200; ++i) {
    const auto angle = [&] { return static_cast<float>(rng.uniform(-3, 3)); };
    far.push_back(test::pose_of(c, {"far", angle(), angle(), angle()}));
  }
  for (const Correction& correction : skin.corrections) {
    const MorphDriver& limited = correction.driver;
    expect_limited_by(limited, set, set.size());
    std::vector<float> weights(limited.targets());
    for (const Pose& pose : far) {
      drive(std::span(&limited, 1), pose.local, weights);
      for (std::size_t m = 0; m < weights.size(); ++m) {
        EXPECT_GE(weights[m], limited.least[m]);
        EXPECT_LE(weights[m], limited.most[m]);
      }
    }
  }
}

/// Poses that mix what no clip does are learnt, and do not say how far weights may go; without clips they do.
TEST(KernelSkin, MixedPosesLimitNothingWhereClipsDo) {
  const Character c = sleeve();
  std::vector<SleevePose> sweeps = test::sleeve_sweeps();
  const std::vector<SleevePose> mixed = together(24, 7, Role::train);
  std::erase_if(sweeps, [](const SleevePose& pose) { return pose.role == Role::test; });
  ExampleSet set = sleeve_examples(c, sweeps + mixed, coupling);
  for (std::size_t i = sweeps.size(); i < set.size(); ++i) set.examples[i].tags = {mixed_tag};
  expect_limited_by(learnt(set, c).corrections[0].driver, set, set.size());
  set.examples[0].tags = {clip_tag};
  expect_limited_by(learnt(set, c).corrections[0].driver, set, sweeps.size());
}

/// A mesh that some modes do not move gets a driver of the others, in their order.
TEST(KernelSkin, ModesTakeTheirLimitsAlong) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(24, 7, Role::train), coupling);
  const MorphDriver all = learnt(set, c).corrections[0].driver;
  const std::size_t chosen[]{2, 0};
  MorphDriver some = with_modes(all, chosen);
  EXPECT_EQ(some.least, (std::vector<float>{all.least[2], all.least[0]}));
  EXPECT_EQ(some.most, (std::vector<float>{all.most[2], all.most[0]}));
  EXPECT_TRUE(validate(some, 3, 2).ok());
  some.least = some.most = {};
  EXPECT_FALSE(with_modes(some, std::span(chosen).subspan(1)).is_limited());
}

TEST(KernelSkin, MoreExamplesOfSeveralJointsNeverHurt) {
  const Character c = sleeve();
  const auto unseen = together(40, 100, Role::test);
  double before = 1;
  for (const std::size_t count : {0u, 8u, 24u, 72u}) {
    const ExampleSet set =
        sleeve_examples(c, test::sleeve_sweeps() + together(count, 1, Role::train) + unseen, coupling);
    const double now = error(set, c, learnt(set, c), Group::held_out_several);
    EXPECT_LT(now, before * 1.02) << count;
    before = now;
  }
  EXPECT_LT(before, 0.05);  // pairs are what the sleeve is made of
}

TEST(KernelSkin, TakesPosesOfSeveralJointsAlone) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, together(60, 2, Role::train) + together(30, 101, Role::test), coupling);
  EXPECT_LT(error(set, c, learnt(set, c), Group::held_out_several), 0.08);
}

TEST(KernelSkin, RepeatedPosesAndCyclesDoNoHarm) {
  const Character c = sleeve();
  const auto once = together(30, 3, Role::train), unseen = together(30, 102, Role::test);
  const ExampleSet one = sleeve_examples(c, once + unseen, coupling),
                   twice = sleeve_examples(c, once + once + once + unseen, coupling);
  EXPECT_LT(error(twice, c, learnt(twice, c), Group::held_out_several),
            1.1 * error(one, c, learnt(one, c), Group::held_out_several));
}

TEST(KernelSkin, TheRootsMotionIsNoReason) {
  const Character c = sleeve();
  ExampleSet set = sleeve_examples(c, test::sleeve_sweeps(), coupling);
  std::vector<Quatf> rotations(set.rotations.begin(), set.rotations.end());
  const Quatf turn = from_axis_angle(Vec3f{0, 1, 0}, 0.7f);
  std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
  for (std::size_t e = 0; e < set.size(); e += 2) {
    rotations[e * 3] = turn;
    for (std::size_t v = 0; v < set.vertices(); ++v)
      positions[e * set.vertices() + v] = rotate(turn, positions[e * set.vertices() + v]);
  }
  set.rotations = std::move(rotations);
  set.positions = std::move(positions);
  const EigenSkin skin = learnt(set, c);
  EXPECT_EQ(skin.corrections[0].driver.joints, (std::vector<JointIndex>{1, 2}));
  EXPECT_LT(error(set, c, skin, Group::train), 0.02);
}

TEST(KernelSkin, NoVertexFollowsMoreModesThanItMay) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(40, 4, Role::train), coupling);
  double before = 1;
  for (const std::size_t most : {1u, 2u, 4u}) {
    KernelSkinOptions options;
    options.per_vertex = most;
    const EigenSkin skin = learnt(set, c, options);
    const Correction& correction = skin.corrections[0];
    for (std::size_t i = 0; i < correction.support.vertices.size(); ++i) {
      std::size_t acting = 0;
      for (const auto& mode : correction.positions) acting += mode[i] == Vec3f{} ? 0 : 1;
      ASSERT_LE(acting, most);
    }
    const double now = error(set, c, skin, Group::train);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_LT(before, 0.05);
}

TEST(KernelSkin, EnoughModesLeaveLittleMoreThanAll) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(40, 5, Role::train), coupling);
  const auto trainer = KernelTrainer::make(set, c, 0);
  ASSERT_TRUE(trainer.ok());
  EXPECT_LE(trainer->enough(), trainer->modes());
  EXPECT_LE(trainer->left_out(trainer->enough()), 1.15 * trainer->left_out(trainer->modes()) + 1e-9);
  for (std::size_t m = 1; m <= 4; ++m) EXPECT_LT(trainer->left_out(m), trainer->left_out(m - 1));
  EXPECT_NEAR(trainer->left_out(0), 1, 1e-9);
}

TEST(KernelSkin, IsTheSameForAnyNumberOfThreads) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps() + together(20, 6, Role::train), coupling);
  const EigenSkin two = learnt(set, c);
  set_thread_count(1);
  const EigenSkin one = learnt(set, c);
  set_thread_count(0);
  EXPECT_EQ(one.corrections[0].driver, two.corrections[0].driver);
  EXPECT_EQ(one.corrections[0].positions, two.corrections[0].positions);
  EXPECT_EQ(one.corrections[0].normals, two.corrections[0].normals);
}

TEST(KernelSkin, SaysWhenThereIsNothingToLearn) {
  const Character c = sleeve();
  const std::vector<SleevePose> rest{{"rest"}};
  const ExampleSet set = sleeve_examples(c, rest);
  const auto nothing = KernelTrainer::make(set, c, 0);
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().problem.find("moves no joint"), std::string::npos);
  const std::vector<SleevePose> one{{"bent", 1}};
  const ExampleSet single = sleeve_examples(c, one);
  EXPECT_LT(error(single, c, learnt(single, c), Group::train), 0.05);
}

}  // namespace
}  // namespace supple::learn
