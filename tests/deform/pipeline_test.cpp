// The order of layers: what each sees of those before it, what is left where one is switched off, and that whoever does
// some of them by himself shows the same skin.
#include "supple/deform/pipeline.h"

#include <gtest/gtest.h>

#include "supple/deform/flesh/body.h"
#include "supple/deform/skin.h"
#include "supple/rig/append_morphs.h"
#include "support/driven_character.h"
#include "support/fleshy_limb.h"
#include "support/folding_limb.h"
#include "support/pose_space_arm.h"

namespace supple {
namespace {

constexpr std::size_t driven_targets = 4;  // two modes that move vertices and two that turn normals, in turns

/// A limb with every layer but a pose space: targets of a driver which also moves the rest pose, a fold on the
/// inner side of the bend, delta mush, flesh about the first bone.
Character layered_limb() {
  Character c = test::fleshy_limb(test::limb_recipe(), 4000);
  EXPECT_TRUE(add_wrinkle(c, test::only_part, test::inside(c)));
  const std::size_t vertices = c.parts[0].mesh.positions.size();
  Rng rng(5);
  std::vector<MorphTarget> targets;
  for (std::size_t t = 0; t < driven_targets; ++t) {
    MorphTarget target{"mode " + std::to_string(t), {}, {}, {}, {}};
    std::vector<Vec3f>& moved = t % 2 == 0 ? target.positions : target.normals;
    for (std::size_t v = 0; v < vertices; ++v) moved.push_back(c.parts[0].mesh.normals[v] * 0.004f);
    targets.push_back(std::move(target));
  }
  const std::uint32_t first =
      append_morphs(c, test::only_part, std::move(targets), std::vector<float>(driven_targets, 0.0f));
  c.drivers.push_back(test::random_driver(rng, {1}, RbfKernel::gaussian, first, driven_targets));
  c.drivers[0].reference = {c.skeleton.rest(1).rotation};
  c.delta_mush.push_back({});
  EXPECT_TRUE(validate(c));
  return c;
}

/// Bent by a radian, the flesh off by millimetres, with weights that no layer would give.
Pose bent_limb(const Character& c) {
  Pose pose = c.rest();
  EXPECT_TRUE(rotate(pose, c.skeleton, 1, "flexion", 1.0f));
  const std::vector<FleshMotion> motions{{{0.004f, 0, 0.006f}, {}, {}, 0}};
  move_twins(c.flesh, to_world(c.skeleton, pose), motions, pose.local);
  for (float& weight : pose.morph_weights) weight = 0.9f;
  return pose;
}

float fold_of(const Character& c, const Pose& pose) { return pose.morph_weights[c.wrinkles[0].weight]; }

float mode_of(const Character& c, const Pose& pose, std::size_t t) {
  return pose.morph_weights[c.drivers[0].first_weight + t];
}

double largest_gap(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t v = 0; v < a.size(); ++v) worst = std::max(worst, length(Vec3d(a[v]) - Vec3d(b[v])));
  return worst;
}

bool are_equal(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(Pipeline, FoldsSeeModesAndFlesh) {
  const Character c = layered_limb();
  Pose all = bent_limb(c), without_modes = all, without_flesh = all;
  drive_morph_weights(c, all);
  Layers layers;
  layers.drivers = LayerSource::at_rest;
  drive_morph_weights(c, without_modes, layers);
  rest_twins(c.flesh, without_flesh.local);
  drive_morph_weights(c, without_flesh);
  for (const Pose& pose : {all, without_modes, without_flesh}) {
    EXPECT_GT(fold_of(c, pose), 0.1f);
    EXPECT_LT(fold_of(c, pose), 1.0f);
  }
  EXPECT_NE(fold_of(c, all), fold_of(c, without_modes));
  EXPECT_NE(fold_of(c, all), fold_of(c, without_flesh));
}

TEST(Pipeline, WhatIsSwitchedOffStandsAtRestAndWhatIsGivenStays) {
  const Character c = layered_limb();
  const Pose given = bent_limb(c);
  Pose live = given, rest = given, same = given;
  drive_morph_weights(c, live);
  constexpr LayerSource off = LayerSource::at_rest;
  drive_morph_weights(c, rest, {off, off, off, off, off});
  drive_morph_weights(c, same, Layers::as_given());
  EXPECT_EQ(same.morph_weights, given.morph_weights);
  EXPECT_EQ(fold_of(c, rest), 0.0f);
  for (std::size_t t = 0; t < driven_targets; ++t) {
    EXPECT_NE(mode_of(c, live, t), c.drivers[0].rest_weights[t]);
    EXPECT_EQ(mode_of(c, rest, t), c.drivers[0].rest_weights[t]);
  }

  const Character arm = test::pose_space_arm();
  Pose posed = test::pose_of_arm(arm, {1.0f, 0.5f, 1.4f});
  drive_morph_weights(arm, posed);
  Layers layers;
  layers.pose_space = off;
  const PoseSpace& space = *arm.pose_space;
  EXPECT_GT(posed.morph_weights[space.first_weight + space.targets() - 1], 0.5f) << "the pose of that example";
  drive_morph_weights(arm, posed, layers);
  for (std::size_t t = 0; t < space.targets(); ++t) EXPECT_EQ(posed.morph_weights[space.first_weight + t], 0.0f);
}

TEST(Pipeline, ModesBeyondTheFirstStandAtRest) {
  const Character c = layered_limb();
  Pose all = bent_limb(c), one = all;
  drive_morph_weights(c, all);
  Layers layers;
  layers.max_modes = 1;
  drive_morph_weights(c, one, layers);
  for (const std::size_t t : {0, 1}) EXPECT_EQ(mode_of(c, one, t), mode_of(c, all, t)) << t;  // moves, and turns
  for (const std::size_t t : {2, 3}) EXPECT_EQ(mode_of(c, one, t), c.drivers[0].rest_weights[t]) << t;
  auto skin = Skin::make(c, Blend::linear, layers);
  ASSERT_TRUE(skin && skin->evaluate(all));
  for (const std::size_t t : {2, 3})
    EXPECT_EQ(skin->morph_weights()[c.drivers[0].first_weight + t], c.drivers[0].rest_weights[t]);
}

TEST(Pipeline, OnlySomeWeightsAreAsked) {
  const Character c = layered_limb();
  Pose pose = bent_limb(c);
  auto others = WeightLayers::make(c, {}, {0, c.wrinkles[0].weight});  // all before the fold's
  ASSERT_TRUE(others);
  EXPECT_EQ(others->wrinkles().size(), 0u);
  others->drive({}, pose);
  EXPECT_EQ(fold_of(c, pose), 0.9f);
}

TEST(Pipeline, WhatIsLeftBeyondWeightsGivesTheSameSkin) {
  const Character c = layered_limb();
  const Layers left = layers_beyond_weights(c, 0, {});
  EXPECT_TRUE(is_smoothed(c, 0));
  EXPECT_EQ(left.drivers, LayerSource::as_given);
  auto live = Skin::make(c), rest = Skin::make(c, Blend::linear, left);
  ASSERT_TRUE(live && rest);
  Pose pose = bent_limb(c);
  ASSERT_TRUE(live->evaluate(pose));
  drive_morph_weights(c, pose);
  ASSERT_TRUE(rest->evaluate(pose));
  // Folds see the twins by themselves here, and there by what the flesh does: rounding of 60 cm.
  EXPECT_LT(largest_gap(live->positions(), rest->positions()), 5e-7);

  for (const JointInfluence influence : {JointInfluence::equal, JointInfluence::subtree}) {
    const Character arm = test::pose_space_arm(influence);
    const Layers mixed = layers_beyond_weights(arm, 0, {});
    EXPECT_EQ(mixed == Layers::as_given(), influence == JointInfluence::equal);
    auto all = Skin::make(arm), given = Skin::make(arm, Blend::linear, mixed);
    ASSERT_TRUE(all && given);
    Pose posed = test::pose_of_arm(arm, {0.6f, 0.2f, 0.4f});
    ASSERT_TRUE(all->evaluate(posed));
    drive_morph_weights(arm, posed);
    ASSERT_TRUE(given->evaluate(posed));
    EXPECT_TRUE(are_equal(all->positions(), given->positions()));
  }
}

TEST(Pipeline, FleshAtRestIsTheSkinOfTheBones) {
  Character c = layered_limb();
  Layers layers;
  layers.flesh = LayerSource::at_rest;
  auto live = Skin::make(c), off = Skin::make(c, Blend::linear, layers);
  ASSERT_TRUE(live && off);
  Pose pose = bent_limb(c);
  ASSERT_TRUE(live->evaluate(pose) && off->evaluate(pose));
  EXPECT_GT(largest_gap(live->positions(), off->positions()), 1e-3);
  rest_twins(c.flesh, pose.local);
  ASSERT_TRUE(live->evaluate(pose));
  EXPECT_LT(largest_gap(live->positions(), off->positions()), 5e-7);  // rounding of 60 cm
  ASSERT_TRUE(off->animate(c.rest(), 0) && off->animate(pose, 0.1));
  EXPECT_LT(largest_gap(live->positions(), off->positions()), 5e-7);
}

TEST(Pipeline, ABodyIsTheSkinAtRest) {
  Character folded = layered_limb();
  folded.delta_mush.clear();  // is made from this very surface, and leaves it as it is only to rounding
  for (const Character& c : {folded, test::pose_space_arm()}) {
    const auto body = FleshBody::of(c);
    const auto skin = Skin::make(c);
    ASSERT_TRUE(body && skin);
    EXPECT_TRUE(are_equal(body->positions, skin->positions()));
    EXPECT_TRUE(are_equal(body->normals, skin->normals()));
  }
  EXPECT_GT(largest_gap(FleshBody::of(folded)->positions, folded.parts[0].mesh.positions), 1e-3) << "driven at rest";
}

}  // namespace
}  // namespace supple
