// Training on a sleeve whose corrections are known: what it finds, what it refuses, and what it says.
#include "supple/author/learn/eigenskin.h"

#include <gtest/gtest.h>

#include "learn/sleeve.h"
#include "supple/author/learn/fit_error.h"
#include "supple/author/learn/refine_weights.h"
#include "supple/author/learn/vertex_budget.h"
#include "supple/base/parallel.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

using test::sleeve;
using test::sleeve_examples;
using test::SleevePose;

struct Fitted {
  Character character;
  EigenSkin skin;
  Attached attached;
  ErrorSummary errors(const ExampleSet& set, Group group, const std::vector<bool>& used = {}) const {
    return summarize(measure_poses(character, 0, attached, set, examples_of(set, group), used), set.vertices(),
                     moved_vertices(skin, set.vertices()));
  }
};

Fitted fitted(const Character& c, const ExampleSet& set, const EigenSkinOptions& options, bool signed_weights = false) {
  auto skin = train_eigenskin(set, c, 0, options);
  EXPECT_TRUE(skin.ok()) << skin.error().message();
  Fitted result{c, std::move(*skin), {}};
  const std::size_t part = 0;
  result.attached = attach(result.skin, set, result.character, std::span(&part, 1), {signed_weights, {}});
  EXPECT_TRUE(validate(result.character).ok()) << validate(result.character).error().message();
  return result;
}

class Normals : public ::testing::TestWithParam<NormalModes> {};
INSTANTIATE_TEST_SUITE_P(EigenSkin, Normals,
                         ::testing::Values(NormalModes::own, NormalModes::shared, NormalModes::none));

TEST_P(Normals, ExamplesComeBackAndPosesBetweenThemTo) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps());
  EigenSkinOptions options;
  options.normals = GetParam();
  options.support.threshold = 1e-4;
  const Fitted f = fitted(c, set, options);
  ASSERT_EQ(f.skin.corrections.size(), 2u);
  // The elbow bulges in one way and dents in another, the wrist in two: no more modes than that.
  for (const Correction& joint : f.skin.corrections) {
    EXPECT_GT(joint.singular_values[1], 1e-2 * joint.singular_values[0]);
    for (std::size_t m = 2; m < joint.singular_values.size(); ++m)
      EXPECT_LT(joint.singular_values[m], 1e-4 * joint.singular_values[0]);  // rounding of float positions
  }
  const ErrorSummary train = f.errors(set, Group::train), single = f.errors(set, Group::held_out_single),
                     several = f.errors(set, Group::held_out_several);
  EXPECT_EQ(train.examples, 22u);
  EXPECT_LT(train.relative, 1e-3);   // what lies outside the supports
  EXPECT_LT(single.relative, 0.03);  // sines through seven points
  EXPECT_EQ(several.examples, 2u);
  EXPECT_LT(several.relative, 0.05);
  EXPECT_GT(train.blend_normal, 0.01);
  // The sleeve's normals turn the same way whichever sign the correction has: shared modes can follow half of that.
  if (GetParam() == NormalModes::own) {
    EXPECT_LT(train.normal, 0.05 * train.blend_normal);
  }
  if (GetParam() == NormalModes::shared) {
    EXPECT_LT(train.normal, 0.8 * train.blend_normal);
  }
  EXPECT_LT(f.skin.border.size, 1e-4);
}

TEST(EigenSkin, ShiftedWeightsGiveTheSameSkinAndStayInRange) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps());
  for (const NormalModes normals : {NormalModes::own, NormalModes::shared}) {
    EigenSkinOptions options;
    options.normals = normals;
    const Fitted shifted = fitted(c, set, options), raw = fitted(c, set, options, true);
    Skin a = Skin::make(shifted.character).value(), b = Skin::make(raw.character).value();
    for (std::size_t i = 0; i < set.size(); ++i) {
      Pose pose = set.pose(i);
      pose.morph_weights = shifted.character.morph_weights;
      ASSERT_TRUE(a.evaluate(pose).ok() && b.evaluate(pose).ok());
      for (std::size_t v = 0; v < set.vertices(); ++v) {
        EXPECT_LT(length(a.positions()[v] - b.positions()[v]), 1e-6f);  // rounding of floats at 1 m
        EXPECT_LT(length(a.normals()[v] - b.normals()[v]), 3e-5f);      // each of a few offsets is kept to 1e-5
      }
      for (const float w : a.morph_weights()) {
        EXPECT_GE(w, 0);
        EXPECT_LE(w, 1);
      }
    }
    for (const Vec3f n : shifted.character.parts[0].mesh.normals) EXPECT_NEAR(length(n), 1, 1e-6);
    // Rest is what it was.
    ASSERT_TRUE(a.evaluate(shifted.character.rest()).ok());
    for (std::size_t v = 0; v < set.vertices(); ++v)
      EXPECT_LT(length(a.positions()[v] - set.rest_positions[v]), 5e-7f)
          << v;  // rounding of floats at 1 m, and of 16-bit offsets
  }
}

/// Limits of a trained driver against the weights that the same driver without limits has in the training poses.
TEST(EigenSkin, WeightsAreLimitedToThoseOfTheTrainingPoses) {
  const Character c = sleeve();
  std::vector<SleevePose> poses = test::sleeve_sweeps();
  for (int e = -2; e <= 2; ++e)  // pairs of joints are learnt too
    for (int w = -2; w <= 2; ++w)
      if (e * w != 0)
        poses.push_back({"both " + std::to_string(e) + " " + std::to_string(w), 0.5f * static_cast<float>(e),
                         0.5f * static_cast<float>(w)});
  const ExampleSet set = sleeve_examples(c, poses, 0.5f);
  std::vector<SleevePose> far;
  for (const float angle : {-3.0f, -2.2f, 2.2f, 3.0f}) {
    far.push_back({"far", angle, -angle, angle / 2});
    far.push_back({"far", 0, angle, angle});
    far.push_back({"far", angle, 0.5f, 0});
  }
  const auto expect_limits = [&](RbfKernel kernel, bool is_signed) {
    EigenSkinOptions options;
    options.kernel = kernel;
    const Fitted f = fitted(c, set, options, is_signed);
    ASSERT_FALSE(f.character.drivers.empty());
    std::size_t beyond = 0;
    for (const MorphDriver& limited : f.character.drivers) {
      ASSERT_EQ(limited.least.size(), limited.targets());
      ASSERT_EQ(limited.most.size(), limited.targets());
      MorphDriver free = limited;
      free.least = free.most = {};
      std::vector<float> low = limited.rest_weights, high = low;
      std::vector<float> weights(f.character.morph_weights.size()), unlimited = weights;
      for (std::size_t i = 0; i < set.size(); ++i) {
        if (set.examples[i].role != Role::train) continue;
        drive(std::span(&free, 1), set.pose(i).local, unlimited);
        drive(std::span(&limited, 1), set.pose(i).local, weights);
        EXPECT_EQ(weights, unlimited);
        for (std::size_t m = 0; m < low.size(); ++m) {
          low[m] = std::min(low[m], weights[limited.first_weight + m]);
          high[m] = std::max(high[m], weights[limited.first_weight + m]);
        }
      }
      for (std::size_t m = 0; m < low.size(); ++m) {  // tolerances: rounding of weights that were shifted and scaled
        const float rest = limited.rest_weights[m], tolerance = 2e-6f * std::max(1.0f, high[m] - low[m]);
        EXPECT_NEAR(limited.least[m], rest + 1.25f * (low[m] - rest), tolerance);
        EXPECT_NEAR(limited.most[m], rest + 1.25f * (high[m] - rest), tolerance);
      }
      for (const SleevePose& p : far) {
        drive(std::span(&free, 1), test::pose_of(c, p).local, unlimited);
        drive(std::span(&limited, 1), test::pose_of(c, p).local, weights);
        for (std::size_t m = 0; m < low.size(); ++m) {
          EXPECT_GE(weights[limited.first_weight + m], limited.least[m]);
          EXPECT_LE(weights[limited.first_weight + m], limited.most[m]);
          beyond += weights[limited.first_weight + m] != unlimited[limited.first_weight + m];
        }
      }
    }
    if (kernel == RbfKernel::cubic) {
      EXPECT_GT(beyond, 0u);  // extrapolates by the cube of the distance
    }
  };
  for (const RbfKernel kernel : {RbfKernel::exponential, RbfKernel::cubic})
    for (const bool is_signed : {true, false}) expect_limits(kernel, is_signed);
}

TEST(EigenSkin, TheSameBitsOnAnyNumberOfThreads) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps());
  const Fitted two = fitted(c, set, {});
  set_thread_count(1);
  const Fitted one = fitted(c, set, {});
  set_thread_count(0);
  EXPECT_EQ(one.character.drivers, two.character.drivers);
  ASSERT_EQ(one.character.parts[0].morphs.size(), two.character.parts[0].morphs.size());
  for (std::size_t m = 0; m < one.character.parts[0].morphs.size(); ++m)
    EXPECT_EQ(one.character.parts[0].morphs[m].positions, two.character.parts[0].morphs[m].positions);
}

TEST(EigenSkin, PairsOfJointsAreLearntFromPosesThatMoveBoth) {
  const Character c = sleeve();
  std::vector<SleevePose> poses = test::sleeve_sweeps();
  for (const float a : {-1.1f, -0.6f, 0.6f, 1.1f})
    for (const float b : {-1.0f, -0.5f, 0.5f, 1.0f}) poses.push_back({"both " + std::to_string(poses.size()), a, b});
  const ExampleSet set = sleeve_examples(c, poses, 0.5f);
  EigenSkinOptions without, with;
  without.coupling = false;
  without.support.threshold = with.support.threshold = 1e-4;
  const Fitted single = fitted(c, set, without), coupled = fitted(c, set, with);
  ASSERT_EQ(coupled.skin.corrections.size(), 3u);
  EXPECT_TRUE(coupled.skin.corrections[2].is_pair());
  EXPECT_LT(*coupled.skin.corrections[2].left_out, 0.2);
  const double before = single.errors(set, Group::held_out_several).relative;
  EXPECT_GT(before, 0.2);
  EXPECT_LT(coupled.errors(set, Group::held_out_several).relative, 0.4 * before);
  // Poses of one joint are left as they were, nearly: the pair is held at 0 there.
  EXPECT_LT(coupled.errors(set, Group::held_out_single).relative, 0.06);
}

TEST(EigenSkin, PosesNeedNotMoveJointsAlone) {
  const Character c = sleeve();
  std::vector<SleevePose> poses;
  for (const float a : {-1.2f, -0.7f, -0.3f, 0.3f, 0.7f, 1.2f})
    for (const float b : {-1.0f, -0.4f, 0.4f, 1.0f}) poses.push_back({"both " + std::to_string(poses.size()), a, b});
  poses.push_back({"test", 0.5f, -0.7f, 0, Role::test});
  const ExampleSet set = sleeve_examples(c, poses);
  EigenSkinOptions options;
  options.support.threshold = 1e-3;
  const Fitted f = fitted(c, set, options);
  EXPECT_LT(f.errors(set, Group::train).relative, 0.2);
  EXPECT_LT(f.errors(set, Group::held_out_several).relative, 0.25);
}

TEST(EigenSkin, OneExampleIsEnoughForALine) {
  const Character c = sleeve();
  const SleevePose pose{"bent", 0.9f};
  const ExampleSet set = sleeve_examples(c, std::span(&pose, 1));
  Warnings warnings;
  const auto skin = train_eigenskin(set, c, 0, {}, &warnings);
  ASSERT_TRUE(skin.ok());
  EXPECT_EQ(skin->corrections.size(), 1u);
  EXPECT_EQ(skin->still, (std::vector<JointIndex>{0, 2}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("one training example only"), std::string::npos);
}

TEST(EigenSkin, BadSetsAreRefusedByName) {
  const Character c = sleeve();
  const auto problem = [&](std::vector<SleevePose> poses) {
    const auto trained = train_eigenskin(sleeve_examples(c, poses), c, 0);
    return trained ? std::string() : trained.error().message();
  };
  EXPECT_NE(problem({{"one", 0.5f}, {"other", 0.5f}}).find("'one' and 'other'"), std::string::npos);
  EXPECT_NE(problem({{"one", 0.5f}, {"other", 0.5f}}).find("'elbow'"), std::string::npos);
  EXPECT_NE(problem({{"test", 0.5f, 0, 0, Role::test}}).find("no usable training example"), std::string::npos);
  EXPECT_NE(problem({{"rest"}}).find("moves no joint"), std::string::npos);
  ExampleSet other = sleeve_examples(c, test::sleeve_sweeps());
  Character finer = c;
  finer.parts[0].mesh.positions.push_back({});
  EXPECT_FALSE(train_eigenskin(other, finer, 0).ok());
  Character unbound = c;
  unbound.parts[0].skin.reset();
  EXPECT_NE(train_eigenskin(other, unbound, 0).error().message().find("not bound"), std::string::npos);
}

TEST(EigenSkin, FewerModesAreTheFirstOnes) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps());
  const Fitted all = fitted(c, set, {});
  EigenSkin fewer = all.skin;
  keep_first(fewer, 2);
  Character character = c;
  const std::size_t part = 0;
  const Attached attached = attach(fewer, set, character, std::span(&part, 1));
  ASSERT_EQ(attached.targets.size(), 2u);
  std::vector<bool> used;
  for (const TargetSource& t : all.attached.targets) used.push_back(t.mode < fewer.corrections[t.correction].kept);
  const auto examples = examples_of(set, Group::train);
  const auto a = measure_poses(character, 0, attached, set, examples);
  const auto b = measure_poses(all.character, 0, all.attached, set, examples, used);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].squared, b[i].squared, 1e-3 * a[i].blend_squared + 1e-12);
  // The estimate from singular values is near what evaluating gives.
  EXPECT_NEAR(estimated_error(all.skin, 2), all.errors(set, Group::train, used).relative, 0.1);
  EXPECT_EQ(estimated_error(all.skin, 0), 1);
  EXPECT_LE(knee(all.skin), all.skin.order.size());
  EXPECT_EQ(knee(all.skin, 1.0), 0u);
}

TEST(EigenSkin, NoVertexFollowsMoreModesThanAllowed) {
  const Character c = sleeve();
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps());
  Fitted f = fitted(c, set, {});
  limit_modes_per_vertex(f.skin, set.vertices(), 2);
  Character limited = c;
  const std::size_t part = 0;
  attach(f.skin, set, limited, std::span(&part, 1));
  std::vector<std::size_t> count(set.vertices());
  for (const MorphTarget& t : limited.parts[0].morphs)
    for (const std::uint32_t v : t.vertices) ++count[v];
  EXPECT_EQ(*std::max_element(count.begin(), count.end()), 2u);
  // Where no more than two act, nothing changed.
  std::vector<std::size_t> before(set.vertices());
  for (const MorphTarget& t : f.character.parts[0].morphs)
    for (const std::uint32_t v : t.vertices) ++before[v];
  EXPECT_GT(*std::max_element(before.begin(), before.end()), 2u);
  for (std::size_t v = 0; v < count.size(); ++v) EXPECT_TRUE(before[v] > 2 || count[v] == before[v]) << v;
}

TEST(RefineWeights, ComeNearTheExamples) {
  const Character c = sleeve();
  std::vector<SleevePose> poses;
  for (const float a : {-1.0f, -0.5f, 0.5f, 1.0f}) poses.push_back({"pose " + std::to_string(poses.size()), a, a / 2});
  // Examples made by other weights: those of the sleeve, moved along by one ring.
  Character other = c;
  for (std::size_t v = 0; v + 12 < other.parts[0].mesh.positions.size(); ++v) {
    const auto next = c.parts[0].weights.of(v + 12);
    std::copy(next.begin(), next.end(), other.parts[0].weights.entries.begin() + other.parts[0].weights.first[v]);
  }
  ExampleSet set = sleeve_examples(other, poses);
  Character refined = c;
  const auto result = refine_weights(set, refined, 0);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LT(result->rms_after, 0.8 * result->rms_before);  // smoothing takes some of it back
  EXPECT_TRUE(validate(refined).ok());
  EXPECT_LE(refined.parts[0].weights.max_influences(), c.parts[0].weights.max_influences());
}

TEST(RefineWeights, NeverTakeLinearBlendFartherFromTheExamples) {
  // Weights that are right already, but rough from ring to ring: smoothing could only spoil them.
  Character c = sleeve();
  SkinWeights& weights = c.parts[0].weights;
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    const std::span<Influence> of(&weights.entries[weights.first[v]], weights.of(v).size());
    if (of.size() < 2) continue;
    const float shift = (v / 12) % 2 == 0 ? 0.3f * of[0].weight : 0.0f;
    of[0].weight -= shift;
    of[1].weight += shift;
  }
  std::vector<SleevePose> poses;
  for (const float a : {-1.0f, -0.5f, 0.5f, 1.0f}) poses.push_back({"pose " + std::to_string(poses.size()), a, a / 2});
  const ExampleSet set = sleeve_examples(c, poses);
  Character refined = c;
  const auto result = refine_weights(set, refined, 0);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LE(result->rms_after, result->rms_before * (1 + 1e-9) + 1e-9);
}

}  // namespace
}  // namespace supple::learn
