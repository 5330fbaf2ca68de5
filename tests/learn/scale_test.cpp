// What is learnt does not depend on the unit of a mesh: a sleeve in centimetres under a node of scale .01, as animation
// services export characters, and one that is a hundred times larger.
#include <gtest/gtest.h>

#include "learn/sleeve.h"
#include "supple/author/learn/fit_error.h"
#include "supple/author/learn/kernel_skin.h"
#include "supple/author/learn/refine_weights.h"

namespace supple::learn {
namespace {

using test::sleeve;
using test::sleeve_examples;

/// About a hundred; by a power of two floats round alike, so that thresholds fall on the same vertices.
constexpr float hundred = 128;

/// The same sleeve with another unit for its mesh and joints, below a root that brings it to `in_world` times its size.
struct OtherUnit {
  float mesh = 1, in_world = 1;

  Character of(const Character& c) const {
    Character other = c;
    for (Vec3f& p : other.parts[0].mesh.positions) p = p * mesh;
    for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
      Transformf rest = c.skeleton.rest(j);
      rest.translation = rest.translation * mesh;
      if (j == 0) rest.scale = rest.scale * (in_world / mesh);
      other.skeleton.set_rest(j, rest);
    }
    for (Affinef& bind : other.skins[0].inverse_bind) bind.translation = bind.translation * mesh;
    return other;
  }
  ExampleSet of(const ExampleSet& set, const Character& other) const {
    ExampleSet result = set;
    result.skeleton = other.skeleton;
    result.rest_positions = other.parts[0].mesh.positions;
    std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
    for (Vec3f& p : positions) p = p * in_world;
    result.positions = std::move(positions);
    return result;
  }
};

class Units : public ::testing::TestWithParam<OtherUnit> {};
INSTANTIATE_TEST_SUITE_P(Scale, Units,
                         ::testing::Values(OtherUnit{hundred, 1}, OtherUnit{1, hundred}, OtherUnit{hundred, hundred},
                                           OtherUnit{1 / hundred, 1 / hundred}));

/// Modes are directions in the space of all vertices: their signs are free.
double largest_difference(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double same = 0, turned = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    same = std::max(same, double{length(a[i] - b[i])});
    turned = std::max(turned, double{length(a[i] + b[i])});
  }
  return std::min(same, turned);
}

TEST_P(Units, GiveTheSameCorrectionsScaled) {
  const Character c = sleeve(), other = GetParam().of(c);
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps()), others = GetParam().of(set, other);
  const auto plain = train_eigenskin(set, c, 0), scaled = train_eigenskin(others, other, 0);
  ASSERT_TRUE(plain.ok()) << plain.error().message();
  ASSERT_TRUE(scaled.ok()) << scaled.error().message();
  ASSERT_EQ(scaled->corrections.size(), plain->corrections.size());
  const double unit = static_cast<double>(GetParam().mesh);
  for (std::size_t k = 0; k < plain->corrections.size(); ++k) {
    const Correction &a = plain->corrections[k], &b = scaled->corrections[k];
    EXPECT_EQ(b.support.vertices, a.support.vertices);
    EXPECT_EQ(b.driver.joints, a.driver.joints);
    EXPECT_EQ(b.kept, a.kept);
    ASSERT_FALSE(a.singular_values.empty());
    for (std::size_t m = 0; m < 2; ++m) {  // an elbow that bulges and dents, a wrist likewise: the others are rounding
      EXPECT_NEAR(b.singular_values[m] / unit, a.singular_values[m], 1e-4 * a.singular_values[0]);
      EXPECT_LT(largest_difference(a.positions[m], b.positions[m]), 1e-3);  // of unit modes, by float positions
    }
  }
}

TEST_P(Units, ShowTheSameSkinInPosesHeldOut) {
  const Character c = sleeve(), other = GetParam().of(c);
  const ExampleSet set = sleeve_examples(c, test::sleeve_sweeps()), others = GetParam().of(set, other);
  const auto error = [](const Character& character, const ExampleSet& examples, bool modes_of_all) {
    Character shown = character;
    const std::size_t part = 0;
    EigenSkin skin;
    if (modes_of_all) {
      const auto trainer = KernelTrainer::make(examples, character, 0);
      EXPECT_TRUE(trainer.ok()) << trainer.error().message();
      skin = trainer->skin(trainer->modes());
    } else {
      skin = train_eigenskin(examples, character, 0).value();
    }
    const Attached attached = attach(skin, examples, shown, std::span(&part, 1));
    return summarize(measure_poses(shown, 0, attached, examples, examples_of(examples, Group::held_out_single)),
                     examples.vertices(), 0)
        .relative;
  };
  for (const bool modes_of_all : {false, true}) {
    const double plain = error(c, set, modes_of_all);
    EXPECT_LT(plain, 0.1);
    EXPECT_NEAR(error(other, others, modes_of_all), plain, 2e-3);  // modes are cut off at thresholds of floats
  }
}

// Weights that are wrong on purpose come back to the same ones.
TEST_P(Units, RefineTheSameWeights) {
  const Character right = sleeve();
  std::vector<test::SleevePose> poses;
  for (const float a : {-1.0f, -0.5f, 0.5f, 1.0f}) poses.push_back({"pose " + std::to_string(poses.size()), a, a / 2});
  const ExampleSet set = sleeve_examples(right, poses);
  Character c = right;
  SkinWeights& weights = c.parts[0].weights;
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    const std::span<Influence> of(&weights.entries[weights.first[v]], weights.of(v).size());
    if (of.size() < 2) continue;
    const float shift = 0.4f * of[0].weight;
    of[0].weight -= shift;
    of[1].weight += shift;
  }
  Character other = GetParam().of(c);
  const ExampleSet others = GetParam().of(set, other);
  const auto plain = refine_weights(set, c, 0), scaled = refine_weights(others, other, 0);
  ASSERT_TRUE(plain.ok() && scaled.ok());
  EXPECT_LT(plain->rms_after, 0.8 * plain->rms_before);
  const double unit = static_cast<double>(GetParam().in_world);
  EXPECT_NEAR(scaled->rms_before / unit, plain->rms_before, 1e-3 * plain->rms_before);
  EXPECT_NEAR(scaled->rms_after / unit, plain->rms_after, 0.01 * plain->rms_before);
}

}  // namespace
}  // namespace supple::learn
