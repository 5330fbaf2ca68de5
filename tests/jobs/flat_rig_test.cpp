// Skeletons whose joints all hang on one: noticed, and given a tree without anything moving otherwise.
#include "supple/rig/flat_rig.h"

#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/base/file.h"
#include "supple/deform/skin.h"
#include "supple/make/figure.h"
#include "supple/make/hand.h"
#include "supple/rig/reparent.h"
#include "supple/workflow/jobs/convert_file.h"

namespace supple::test {
namespace {

using namespace workflow;

/// The largest distance between the skins of two files over all their clips, by names of joints, at `moments` of each.
double largest_distance(const Character& a, const Character& b, int moments) {
  auto first = Skin::make(a).value(), second = Skin::make(b).value();
  double far = 0;
  EXPECT_EQ(a.clips.size(), b.clips.size());
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    for (int i = 0; i <= moments; ++i) {
      const float time =
          a.clips[c].start() + a.clips[c].duration() * static_cast<float>(i) / static_cast<float>(moments);
      EXPECT_TRUE(first.evaluate(a.at(a.clips[c], time)) && second.evaluate(b.at(b.clips[c], time)));
      for (std::size_t p = 0; p < a.parts.size(); ++p)
        for (std::size_t v = 0; v < first.positions(p).size(); ++v)
          far = std::max(far, double{length(first.positions(p)[v] - second.positions(p)[v])});
    }
  }
  return far;
}

/// A file of the character whose joints in skins all hang on its first one.
std::string flattened(const ScratchFolder& folder, const Character& c) {
  const std::string tree = (folder / "tree.glb").string(), flat = (folder / "flat.glb").string();
  EXPECT_TRUE(save(tree, c));
  Json parents = Json::object();
  const std::vector<bool> skinned = skinned_joints(c);
  for (JointIndex j = 1; j < skinned.size(); ++j)
    if (skinned[j]) parents[c.skeleton.name(j)] = c.skeleton.name(0);
  const std::string file = (folder / "parents.json").string();
  EXPECT_TRUE(write_file(file, parents.dump(2)));
  Work work;
  const auto made = convert_file({.input = tree, .output = flat, .parents = file}, work);
  EXPECT_TRUE(made) << made.error().message();
  return flat;
}

std::map<std::string, std::string> tree_of(const Character& c) {
  std::map<std::string, std::string> tree;
  for (JointIndex j = 0; j < c.skeleton.size(); ++j)
    tree[c.skeleton.name(j)] = c.skeleton.parent(j) == no_joint ? "" : c.skeleton.name(c.skeleton.parent(j));
  return tree;
}

TEST(FlatRig, AFigureGetsItsTreeBackAndMovesAsBefore) {
  const ScratchFolder folder;
  const Character figure = make::make_figure({.vertices = 1500}).value();
  EXPECT_FALSE(flat_rig(figure));
  const std::string flat_file = flattened(folder, figure), out = (folder / "out.glb").string();
  const Character flat = load(flat_file).value().character();
  const auto noticed = flat_rig(flat);
  ASSERT_TRUE(noticed);
  EXPECT_EQ(noticed->parent, *flat.skeleton.find("root"));
  EXPECT_EQ(noticed->joints.size(), 19u);
  // Metres of a figure 1.7 m tall, between keys too: 1e-5 of its size.
  EXPECT_LT(largest_distance(figure, flat, 97), 1.7e-5);

  Work work;
  const auto made = convert_file({.input = flat_file, .output = out, .reparent = true}, work);
  ASSERT_TRUE(made) << made.error().message();
  const Character again = load(out).value().character();
  EXPECT_FALSE(flat_rig(again));
  const auto is = tree_of(again), should = tree_of(figure);
  for (const auto& [joint, parent] : should) EXPECT_EQ(is.at(joint), parent) << joint;
  EXPECT_LT(largest_distance(figure, again, 97), 1.7e-5);
  // A leg takes its foot along again.
  EXPECT_TRUE(again.skeleton.is_ancestor(*again.skeleton.find("thigh-left"), *again.skeleton.find("foot-left")));
}

TEST(FlatRig, AHandGetsItsFingersBack) {
  const ScratchFolder folder;
  const Character hand = make::make_hand({.vertices = 2000}).value();
  const std::string flat_file = flattened(folder, hand), out = (folder / "out.glb").string();
  Work work;
  const auto made = convert_file({.input = flat_file, .output = out, .reparent = true}, work);
  ASSERT_TRUE(made) << made.error().message();
  const Character again = load(out).value().character();
  const auto is = tree_of(again), should = tree_of(hand);
  for (const auto& [joint, parent] : should) EXPECT_EQ(is.at(joint), parent) << joint;
  EXPECT_LT(largest_distance(hand, again, 20), 2e-6);  // a hand 20 cm long
}

TEST(FlatRig, WithoutJointsThereIsNothingToHangUp) {
  const ScratchFolder folder;
  Character bare = *make::make_limb({.vertices = 200});
  bare.skins.clear();
  bare.parts[0].skin.reset();
  bare.parts[0].weights = {};
  bare.clips.clear();
  ASSERT_TRUE(save(folder / "bare.glb", bare));
  Work work;
  const auto refused = convert_file(
      {.input = (folder / "bare.glb").string(), .output = (folder / "out.glb").string(), .reparent = true}, work);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(refused.error(), "has no joints")) << refused.error().message();
}

TEST(FlatRig, TreesAndDeformersAreLeftAlone) {
  const MadeLimb limb;
  Work work;
  const auto tree = convert_file({.input = limb.file, .output = limb.out, .reparent = true}, work);
  ASSERT_FALSE(tree);
  EXPECT_TRUE(mentions(tree.error(), "form a tree already")) << tree.error().message();
  Character c = limb.before();
  const std::vector<JointIndex> circle{2, 0, 1, no_joint};
  ASSERT_FALSE(reparent(c, std::span(circle).first(c.skeleton.size())));
  c.delta_mush = {{}};
  ASSERT_TRUE(save(limb.file, c));
  const auto deformed = convert_file({.input = limb.file, .output = limb.out, .reparent = true}, work);
  ASSERT_FALSE(deformed);
  EXPECT_TRUE(mentions(deformed.error(), "supple remove all")) << deformed.error().message();
}

TEST(Reparent, WhatWouldBeShearedIsRefused) {
  Character c = MadeLimb().before();
  Transformf rest = c.skeleton.rest(1);
  rest.scale = {2, 1, 1};
  c.skeleton.set_rest(1, rest);
  Transformf turned = c.skeleton.rest(2);
  turned.rotation = from_axis_angle(Vec3f{0, 0, 1}, 0.7f);
  c.skeleton.set_rest(2, turned);
  std::vector<JointIndex> parents(c.skeleton.parents().begin(), c.skeleton.parents().end());
  parents[2] = 0;  // away from the joint that stretches it aslant
  const auto moved = reparent(c, parents);
  ASSERT_FALSE(moved);
  EXPECT_TRUE(mentions(moved.error(), "sheared")) << moved.error().message();
}

TEST(Reparent, JumpsStayJumps) {
  const MadeLimb limb;
  Character c = limb.before();
  const float half = 0.70710678f;
  c.clips = {{"jump", {{Channel::rotation, Interpolation::step, 1, 4, {0, 1}, {0, 0, 0, 1, half, 0, 0, half}}}}};
  std::vector<JointIndex> parents(c.skeleton.parents().begin(), c.skeleton.parents().end());
  parents[2] = 0;
  const auto moved = reparent(c, parents);
  ASSERT_TRUE(moved) << moved.error().message();
  for (const float time : {0.0f, 0.5f, 0.999f, 1.0f}) {
    const Vec3f before = to_world(c.skeleton, c.at(c.clips[0], time))[2].translation;
    Pose pose = c.rest();
    pose.local[2] = moved->rest[2];
    sample(moved->clips[0], time, pose);
    const Affinef above = to_world(c.skeleton, pose)[0];
    EXPECT_LT(length((above * pose.local[2].affine()).translation - before), 1e-6f) << time;
  }
}

}  // namespace
}  // namespace supple::test
