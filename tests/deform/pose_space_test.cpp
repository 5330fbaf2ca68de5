// Pose space deformation: weights, the reference, every kernel against it, and a Skin with the rest of its layers.
#include <cmath>

#include "gtest/gtest.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/deform/pose_space/build.h"
#include "supple/deform/pose_space/job.h"
#include "supple/deform/pose_space/reference.h"
#include "supple/deform/pose_space/weights.h"
#include "supple/deform/skin.h"
#include "support/pose_space_arm.h"

using namespace supple;
using namespace supple::test;

namespace {

constexpr JointInfluence all_kinds[] = {JointInfluence::equal, JointInfluence::weights, JointInfluence::subtree};
/// Between, beyond and far from the examples.
constexpr ArmPose other_poses[] = {{0.6f, 0.2f, 0.4f}, {0.1f, 0, 0}, {-0.5f, 0.9f, 1.6f}, {2.5f, -1.5f, 2.9f}};

struct Shape {
  std::vector<Vec3f> positions, normals;
};

Shape shape_of(const Character& c, const PoseSpaceTable& table, const Pose& pose, unsigned threads = 1,
               const pose_space::Kernel* kernel = nullptr) {
  const Mesh& mesh = c.parts[0].mesh;
  Shape out{std::vector<Vec3f>(mesh.positions.size()), std::vector<Vec3f>(mesh.positions.size())};
  std::vector<float> scratch(table.distances.size());
  const PoseSpaceJob job{&table,      pose.local, mesh.positions, mesh.normals, out.positions,
                         out.normals, scratch,    threads,        kernel};
  EXPECT_TRUE(job.validate());
  job.run();
  return out;
}

double largest_difference(std::span<const Vec3d> a, std::span<const Vec3f> b) {
  double worst = a.size() == b.size() ? 0 : 1;
  for (std::size_t v = 0; v < a.size(); ++v) worst = std::max(worst, length(a[v] - Vec3d(b[v])));
  return worst;
}

/// The rest shape of example `e`: the mesh and the example's offsets.
Vec3d example_position(const Character& c, std::size_t e, std::size_t v) {
  const Part& part = c.parts[0];
  const Vec3d rest(part.mesh.positions[v]);
  return e == 0 ? rest : rest + Vec3d(part.morphs[e].positions[v]);
}

TEST(PoseSpace, ReferenceReproducesItsExamplesAndItsWeightsSumToOne) {
  for (const JointInfluence kind : all_kinds) {
    const Character c = pose_space_arm(kind);
    for (std::size_t e = 0; e < std::size(arm_examples); ++e) {
      const PoseSpaceShape shape = pose_space_reference(c, *c.pose_space, pose_of_arm(c, arm_examples[e]));
      double worst = 0;
      for (std::size_t v = 0; v < shape.positions.size(); ++v) {
        worst = std::max(worst, length(shape.positions[v] - example_position(c, e, v)));
        for (std::size_t i = 0; i < shape.weights[v].size(); ++i)
          EXPECT_NEAR(shape.weights[v][i], i == e ? 1 : 0, 1e-9);
      }
      EXPECT_LT(worst, 1e-9);  // a millionth of a millimetre
    }
    for (const ArmPose& p : other_poses) {
      for (const auto& weights : pose_space_reference(c, *c.pose_space, pose_of_arm(c, p)).weights) {
        double sum = 0;
        for (const double s : weights) sum += s;
        EXPECT_NEAR(sum, 1, 1e-9);
      }
    }
  }
}

TEST(PoseSpace, WithTwoExamplesTheWeightIsKnown) {
  // One joint at angle t between rest and an example at angle T: with a = phi(t), b = phi(T - t), q = phi(T) and
  // phi(r) = exp(-(r / radius)^1.5), f_0 = (a - q b) / (1 - q^2), f_1 = (b - q a) / (1 - q^2) by Cramer's rule.
  Character c = pose_space_arm(JointInfluence::equal);
  PoseSpace& space = *c.pose_space;
  space.joints = {1};
  space.reference.resize(1);
  space.settings = {Quatf{}, pose_of_arm(c, {1.2f, 0, 0}).local[1].rotation};
  ASSERT_TRUE(validate(c));
  for (const double t : {0.0, 0.3, 0.6, 1.2}) {
    const double radius = double{space.radius}, whole = double{1.2f};
    const auto phi = [&](double r) { return std::exp(-std::pow(r / radius, 1.5)); };
    const double a = phi(t), b = phi(whole - t), q = phi(whole);
    const double expected = (b - q * a) / (b - q * a + a - q * b);
    Pose pose = pose_of_arm(c, {static_cast<float>(t), 0, 0});
    drive_morph_weights(c, pose);
    EXPECT_NEAR(double{pose.morph_weights[1]}, expected, 2e-7) << t;  // float rotations
  }
}

TEST(PoseSpace, EveryKernelIsTheReferenceToFloatRounding) {
  for (const JointInfluence kind : all_kinds) {
    const Character c = pose_space_arm(kind);
    const PoseSpaceTable table = build_pose_space_table(c, *c.pose_space).value();
    for (const pose_space::Kernel& kernel : pose_space::available()) {
      for (const ArmPose& p : other_poses) {
        const Pose pose = pose_of_arm(c, p);
        const PoseSpaceShape expected = pose_space_reference(c, *c.pose_space, pose);
        const Shape got = shape_of(c, table, pose, 1, &kernel);
        // Positions of a metre are rounded to 6e-8 as each of four examples is added; weights to some 1e-5 where skin
        // feels the joints least and examples seem near each other, times offsets of a centimetre, or normals of a
        // fifth.
        EXPECT_LT(largest_difference(expected.positions, got.positions), 4e-7) << kernel.name;
        EXPECT_LT(largest_difference(expected.normals, got.normals), 1e-5) << kernel.name;
      }
    }
  }
}

TEST(PoseSpace, RuntimeReproducesItsExamplesToTheRoundingOfTheSum) {
  for (const JointInfluence kind : all_kinds) {
    const Character c = pose_space_arm(kind);
    const PoseSpaceTable table = build_pose_space_table(c, *c.pose_space).value();
    for (std::size_t e = 0; e < std::size(arm_examples); ++e) {
      const Shape got = shape_of(c, table, pose_of_arm(c, arm_examples[e]));
      double worst = 0;
      for (std::size_t v = 0; v < got.positions.size(); ++v)
        worst = std::max(worst, length(Vec3d(got.positions[v]) - example_position(c, e, v)));
      EXPECT_LT(worst, 1.2e-7);  // the sums of positions of a metre, rounded to float
    }
  }
}

TEST(PoseSpace, WeightsDoNotDependOnHowFarTheKernelsReach) {
  // With tiny radii every phi underflows, with huge ones all are one: weights stay what their limits are.
  Character c = pose_space_arm();
  for (const float radius : {1e-3f, 1e4f}) {
    c.pose_space->radius = radius;
    const PoseSpaceTable table = build_pose_space_table(c, *c.pose_space).value();
    const Pose pose = pose_of_arm(c, other_poses[0]);
    // Phi of a wide kernel is 1 - d / radius, whose inverse loses as many digits as d / radius is small, in double.
    EXPECT_LT(
        largest_difference(pose_space_reference(c, *c.pose_space, pose).positions, shape_of(c, table, pose).positions),
        1e-6)
        << radius;
  }
}

TEST(PoseSpace, IsTheSameOnAnyNumberOfThreadsAndInPlace) {
  const Character c = pose_space_arm();
  const PoseSpaceTable table = build_pose_space_table(c, *c.pose_space).value();
  const Pose pose = pose_of_arm(c, other_poses[0]);
  const Shape one = shape_of(c, table, pose, 1), many = shape_of(c, table, pose, 3);
  EXPECT_EQ(one.positions, many.positions);
  EXPECT_EQ(one.normals, many.normals);
  Shape own{c.parts[0].mesh.positions, c.parts[0].mesh.normals};
  std::vector<float> scratch(table.distances.size());
  PoseSpaceJob{&table, pose.local, own.positions, own.normals, own.positions, own.normals, scratch, 1, nullptr}.run();
  EXPECT_EQ(one.positions, own.positions);
  EXPECT_EQ(one.normals, own.normals);
}

TEST(PoseSpace, SkinThatFeelsTheJointsAlikeSharesItsCoefficients) {
  const Character c = pose_space_arm();
  const PoseSpaceTable weighted = build_pose_space_table(c, *c.pose_space).value();
  const PoseSpaceTable alike = build_pose_space_table(c, plain(*c.pose_space)).value();
  EXPECT_EQ(alike.coefficients.size(), alike.coefficients_a_set());
  EXPECT_GT(weighted.coefficients.size(), weighted.coefficients_a_set());
  EXPECT_LE(weighted.coefficients.size(), weighted.blocks() * weighted.coefficients_a_set());
}

TEST(PoseSpace, OnlyTheJointsAtHandMatterToSkin) {
  // The elbow bent as in example 1 and the finger besides: skin at the elbow feels the finger by the floor alone and
  // keeps to the example, where plain weights turn to the examples with bent fingers.
  const Character c = pose_space_arm();
  const Pose pose = pose_of_arm(c, {1.2f, 0, 0.7f});
  const PoseSpaceShape weighted = pose_space_reference(c, *c.pose_space, pose);
  const PoseSpaceShape alike = pose_space_reference(c, plain(*c.pose_space), pose);
  std::size_t near_elbow = 0;  // the vertex at the elbow, where example 1 is nearly all that counts
  for (std::size_t v = 0; v < weighted.positions.size(); ++v)
    if (std::abs(c.parts[0].mesh.positions[v].y - 0.3f) < std::abs(c.parts[0].mesh.positions[near_elbow].y - 0.3f))
      near_elbow = v;
  EXPECT_GT(weighted.weights[near_elbow][1], 0.75);
  EXPECT_LT(alike.weights[near_elbow][1], 0.6);
}

TEST(PoseSpace, SkinShowsTheMixedShapeAndOtherTargetsOverIt) {
  for (const JointInfluence kind : all_kinds) {
    const Character c = pose_space_arm(kind);
    Character mixed = c;  // its rest shape is the mixture, without a pose space
    Pose pose = pose_of_arm(c, other_poses[0]);
    const PoseSpaceShape expected = pose_space_reference(c, *c.pose_space, pose);
    for (std::size_t v = 0; v < expected.positions.size(); ++v) {
      mixed.parts[0].mesh.positions[v] = Vec3f(expected.positions[v]);
      mixed.parts[0].mesh.normals[v] = Vec3f(expected.normals[v]);
    }
    mixed.pose_space.reset();
    pose.morph_weights[0] = 0.7f;  // the bulge
    for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) {
      Skin skin = Skin::make(c, blend).value(), wanted = Skin::make(mixed, blend).value();
      ASSERT_TRUE(skin.evaluate(pose));
      ASSERT_TRUE(wanted.evaluate(pose));
      for (std::size_t v = 0; v < expected.positions.size(); ++v) {
        // Morph targets are kept in 16 bits and what these leave out: 2e-7 of a metre a target.
        EXPECT_LT(length(skin.positions()[v] - wanted.positions()[v]), 1e-6f);
        EXPECT_LT(length(skin.normals()[v] - wanted.normals()[v]), 1e-4f);
      }
    }
  }
}

TEST(PoseSpace, WeightsGivenForExamplesCountOnlyWherePosesAreTakenAsGiven) {
  const Character c = pose_space_arm();
  Pose pose = pose_of_arm(c, arm_examples[2]), meddled = pose;
  meddled.morph_weights[3] = 1;
  Skin live = Skin::make(c).value(), again = Skin::make(c).value();
  ASSERT_TRUE(live.evaluate(pose));
  ASSERT_TRUE(again.evaluate(meddled));
  EXPECT_TRUE(std::equal(live.positions().begin(), live.positions().end(), again.positions().begin()));
  Skin given = Skin::make(c, Blend::linear, Layers::as_given()).value();
  drive_morph_weights(c, meddled);
  ASSERT_TRUE(given.evaluate(meddled));  // at an example all weights agree
  for (std::size_t v = 0; v < given.positions().size(); ++v)
    EXPECT_LT(length(given.positions()[v] - live.positions()[v]), 2e-6f);
}

TEST(PoseSpace, BakedClipsPlayPlainWeights) {
  Character c = pose_space_arm();
  const Clip wave = c.clips[0];
  bake_drivers(c);
  ASSERT_EQ(c.clips[0].tracks.size(), wave.tracks.size() + 1);
  for (const float seconds : {0.0f, 0.13f, 0.5f, 0.77f, 1.0f}) {
    const Pose played = c.at(c.clips[0], seconds);
    Pose live = c.at(wave, seconds);
    drive_morph_weights(c, live);
    for (std::size_t w = 0; w < live.morph_weights.size(); ++w)
      EXPECT_NEAR(played.morph_weights[w], live.morph_weights[w], 6e-4f) << seconds;  // the tolerance of baking
  }
  bake_drivers(c);  // again: nothing piles up
  EXPECT_EQ(c.clips[0].tracks.size(), wave.tracks.size() + 1);
  const Clip still = snapshot_clip(c, pose_of_arm(c, arm_examples[1]), "still");
  EXPECT_NEAR(c.at(still, 0).morph_weights[1], 1, 1e-6);
}

TEST(PoseSpace, JobsSayWhatDoesNotFit) {
  const Character c = pose_space_arm();
  const PoseSpaceTable table = build_pose_space_table(c, *c.pose_space).value();
  const Pose pose = c.rest();
  std::vector<Vec3f> out(c.parts[0].mesh.positions.size()), fewer(3);
  std::vector<float> scratch(table.distances.size());
  PoseSpaceJob job{&table, pose.local, c.parts[0].mesh.positions, {}, out, {}, scratch, 1, nullptr};
  EXPECT_TRUE(job.validate());
  job.out_positions = fewer;
  EXPECT_FALSE(job.validate());
  job.out_positions = out;
  job.out_normals = out;
  EXPECT_FALSE(job.validate());
  job.out_normals = {};
  job.scratch = std::span(scratch).first(3);
  EXPECT_FALSE(job.validate());
  job.scratch = scratch;
  job.local = std::span(pose.local).first(2);
  EXPECT_FALSE(job.validate());
  job.local = pose.local;
  job.run();                                    // without normals
  for (std::size_t v = 0; v < out.size(); ++v)  // the weights of other examples cancel to their rounding
    EXPECT_LT(length(out[v] - c.parts[0].mesh.positions[v]), 5e-8f);  // of offsets of centimetres
}

}  // namespace
