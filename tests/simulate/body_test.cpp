// Bodies read off characters: bones, cuts, and every way in which a character can be unfit.
#include "supple/author/simulate/body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/author/simulate/capsule.h"
#include "supple/author/simulate/simulation.h"
#include "supple/geometry/bvh.h"
#include "supple/make/hand.h"
#include "supple/make/limb.h"

namespace supple::simulate {
namespace {

const Character& hand() {
  static const Character character = make::make_hand({.vertices = 2500}).value();
  return character;
}

TEST(Body, HandHasItsBonesAndOneCutAtTheForearm) {
  Warnings warnings;
  const auto body = body_of(hand(), {}, &warnings);
  ASSERT_TRUE(body.ok()) << body.error().message();
  EXPECT_EQ(body->bones.size(), 21u);  // forearm, carpus, 5 metacarpals, 14 phalanges
  EXPECT_FALSE(body->capsules);
  ASSERT_EQ(body->cuts.size(), 1u);
  EXPECT_EQ(body->skeleton.name(body->bones[body->cuts[0].bone].joint), "forearm");
  EXPECT_TRUE(warnings.empty());
}

TEST(Body, RestLeavesBonesWhereTheyAre) {
  const auto body = body_of(hand());
  std::vector<Affined> motions(body->bones.size());
  bone_motions(*body, rest_pose(body->skeleton), motions);
  for (const Affined& m : motions) {
    EXPECT_LT(norm(m.linear - Mat3d{}), 1e-14);
    EXPECT_LT(length(m.translation), 1e-15);
  }
}

TEST(Body, CapsulesFitInsideAHand) {
  BodyOptions options;
  options.bones = BoneSource::capsules;
  const auto body = body_of(hand(), options);
  ASSERT_TRUE(body.ok()) << body.error().message();
  EXPECT_TRUE(body->capsules);
  EXPECT_GE(body->bones.size(), 20u);
  const Bvh skin(body->skin.positions, body->skin.triangles);
  std::size_t checked = 0;
  for (const Bone& bone : body->bones) {
    EXPECT_TRUE(find_defects(bone.surface.positions, bone.surface.triangles).closed());
    EXPECT_GT(enclosed_volume(bone.surface.positions, bone.surface.triangles), 0);
    for (const Vec3f p : bone.surface.positions) {
      EXPECT_LT(skin.signed_distance(p), 0.0f) << body->skeleton.name(bone.joint);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000u);
}

TEST(Body, CapsuleVolumeIsTheClosedForm) {
  const Capsule capsule{{0, 0, 0}, {0, 0.03, 0.04}, 0.01};
  const Mesh mesh = capsule_surface(capsule);
  const double exact = 3.14159265 * 1e-4 * 0.05 + 4.0 / 3 * 3.14159265e-6;
  // Sixteen-sided: an inscribed polygon has 2.6 % less area than its circle, a coarse dome loses a little more.
  EXPECT_NEAR(enclosed_volume(mesh.positions, mesh.triangles) / exact, 0.97, 0.015);
}

TEST(Body, ALimbWithoutBonesGetsCapsules) {
  const auto limb = make::make_limb({.vertices = 800});
  ASSERT_TRUE(limb.ok());
  const auto body = body_of(*limb);
  ASSERT_TRUE(body.ok()) << body.error().message();
  EXPECT_TRUE(body->capsules);
  EXPECT_EQ(body->bones.size(), 3u);
}

TEST(Body, HolesAreNamedAndClosed) {
  Character open = hand();
  Mesh& mesh = open.parts[0].mesh;
  // The tip of the middle finger: everything beyond most of the hand's length.
  const Box box = bounds(mesh.positions);
  const float beyond = box.low.z + 0.1f * (box.high.z - box.low.z);
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return mesh.positions[t[0]].z < beyond; });
  const auto refused = body_of(open);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().problem.find("open"), std::string::npos);
  EXPECT_NE(refused.error().problem.find(" mm"), std::string::npos);
  EXPECT_NE(refused.error().remedy.find("--close"), std::string::npos);
  BodyOptions options;
  options.close_holes = true;
  options.bone_tolerance = 1;  // the finger's last bone now sticks out
  const auto closed = body_of(open, options);
  ASSERT_TRUE(closed.ok()) << closed.error().message();
  ASSERT_GE(closed->cuts.size(), 1u);
  EXPECT_EQ(closed->skin.positions.size(), mesh.positions.size());
  EXPECT_TRUE(find_defects(closed->closed_skin.positions, closed->closed_skin.triangles).closed());
}

TEST(Body, ABoneThatSticksOutIsNamed) {
  Character c = hand();
  const auto joint = c.skeleton.find("index-finger-phalanx-intermediate");
  Part& bones = c.parts[1];
  ASSERT_EQ(bones.name, "bones");
  const auto& joints = c.skins[*bones.skin].joints;
  for (std::size_t v = 0; v < bones.mesh.positions.size(); ++v)
    if (joints[bones.weights.of(v)[0].joint] == *joint) bones.mesh.positions[v].y += 0.02f;
  const auto body = body_of(c);
  ASSERT_FALSE(body.ok());
  EXPECT_NE(body.error().item.find("index-finger-phalanx-intermediate"), std::string::npos);
  EXPECT_NE(body.error().problem.find("sticks out"), std::string::npos);
}

TEST(Body, InsideOutAndUnboundSkinsAreRefused) {
  Character flipped = hand();
  for (Triangle& t : flipped.parts[0].mesh.triangles) std::swap(t[0], t[1]);
  const auto inside_out = body_of(flipped);
  ASSERT_FALSE(inside_out.ok());
  EXPECT_NE(inside_out.error().problem.find("inside out"), std::string::npos);
  Character unbound = hand();
  for (Part& part : unbound.parts) part.skin.reset(), part.weights = {};
  EXPECT_FALSE(body_of(unbound).ok());
  const auto misnamed = body_of(hand(), {.skin_part = "skinn"});
  ASSERT_FALSE(misnamed.ok());
  EXPECT_NE(misnamed.error().remedy.find("skin"), std::string::npos);
}

TEST(Body, JointsThatMoveNoBoneAreNamed) {
  const auto body = body_of(hand());
  PosePlan plan;
  plan.sweeps.push_back({"tip", {{"tip-1", {{"index-finger-tip", "x", 0.5f}}}}});
  const auto moved = check_moved_joints(*body, plan);
  ASSERT_FALSE(moved.ok());
  EXPECT_NE(moved.error().item.find("index-finger-tip"), std::string::npos);
}

TEST(Body, SkinThatFollowsOneJointHoldsTheFleshBelowIt) {
  const Character limb = make::make_limb({.joints = 3, .vertices = 800}).value();
  BodyOptions options;
  const auto held_nodes = [&](double weight, double margin) {
    options.held_weight = weight;
    options.held_margin = margin;
    const auto body = body_of(limb, options);
    EXPECT_TRUE(body && body->capsules);
    TissueOptions fine;
    fine.element_size = 0.02;
    const auto tissue = make_tissue(*body, fine);
    EXPECT_TRUE(tissue);
    std::size_t sum = 0;
    for (const std::size_t nodes : tissue->nodes_of_bone) sum += nodes;
    return sum;
  };
  const std::size_t bones_alone = held_nodes(0, 0), most = held_nodes(0.85, 0), less = held_nodes(0.85, 2);
  EXPECT_GT(less, bones_alone);
  EXPECT_GT(most, less);
}

// An ear that is thinner than the elements has no flesh, and a bone in it holds none of the flesh elsewhere.
TEST(Body, WhatIsFartherThanAnElementFromFleshHoldsNothingAndStaysWithLinearBlend) {
  const auto limb = make::make_limb({.vertices = 800});
  ASSERT_TRUE(limb.ok());
  auto body = body_of(*limb);
  ASSERT_TRUE(body.ok()) << body.error().message();
  TissueOptions options;
  options.element_size = 0.02;
  const auto wanted = make_tissue(*body, options);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message();
  const Vec3f end = *std::ranges::max_element(body->skin.positions, {}, [](Vec3f p) { return p.z; });
  const Capsule ear{{double{end.x}, double{end.y}, double{end.z} + 0.05},
                    {double{end.x}, double{end.y}, double{end.z} + 0.09},
                    0.001};
  Bone in_the_ear = body->bones.back();
  in_the_ear.surface = capsule_surface(ear);
  body->bones.push_back(in_the_ear);
  const std::size_t vertices = body->skin.positions.size();
  for (const float away : {0.001f, 0.01f, 0.05f}) body->skin.positions.push_back(end + Vec3f{0, 0, away});
  Warnings warnings;
  const auto tissue = make_tissue(*body, options, &warnings);
  ASSERT_TRUE(tissue.ok()) << tissue.error().message();
  EXPECT_EQ(tissue->nodes_of_bone.back(), 0u);
  for (std::size_t b = 0; b < wanted->nodes_of_bone.size(); ++b)
    EXPECT_EQ(tissue->nodes_of_bone[b], wanted->nodes_of_bone[b]);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("has no element of flesh about it"), std::string::npos) << warnings[0];

  EXPECT_EQ(tissue->in_flesh[vertices], 1);
  EXPECT_GT(tissue->in_flesh[vertices + 1], 0);
  EXPECT_LT(tissue->in_flesh[vertices + 1], 1);
  EXPECT_EQ(tissue->in_flesh[vertices + 2], 0);
  EXPECT_TRUE(reaches_beyond_flesh(*tissue));
  EXPECT_FALSE(reaches_beyond_flesh(*wanted));
  const std::vector<Vec3f> linear(vertices + 3, Vec3f{7, 8, 9});
  std::vector<Vec3f> shown(vertices + 3);
  skin_positions(*tissue, tissue->mesh.nodes, linear, shown);
  EXPECT_LT(length(shown[vertices] - body->skin.positions[vertices]), 1e-5f);
  EXPECT_EQ(shown[vertices + 2], linear[vertices + 2]);
}

TEST(Body, HeldSkinIsThatOfTheWeights) {
  const Character limb = make::make_limb({.joints = 3, .vertices = 800}).value();
  BodyOptions options;
  options.held_weight = 0.9;
  const auto body = body_of(limb, options);
  ASSERT_TRUE(body) << body.error().message();
  ASSERT_EQ(body->held_by.size(), limb.parts[0].weights.vertices());
  for (std::size_t v = 0; v < body->held_by.size(); ++v) {
    const Influence heaviest = limb.parts[0].weights.of(v)[0];
    const bool alone = heaviest.weight >= 0.9f;
    ASSERT_EQ(body->held_by[v] != no_bone, alone) << v;
    if (!alone) continue;
    EXPECT_EQ(body->bones[body->held_by[v]].joint, limb.skins[0].joints[heaviest.joint]);
  }
}

}  // namespace
}  // namespace supple::simulate
