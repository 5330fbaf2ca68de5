// Where everyday limits take the limbs of a small person, whatever frames its joints have.
#include "supple/rig/anatomical_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/rng.h"
#include "supple/rig/guessed_limits.h"

namespace supple {
namespace {

constexpr double to_degree = 180 / std::numbers::pi;

struct PersonJoint {
  const char* name;
  const char* parent;
  Vec3f at;
};

/// In a T pose, facing +z: arms along x with palms down, straight elbows, knees and fingers.
const std::vector<PersonJoint> person{
    {"Hips", "", {0, 1, 0}},
    {"Spine", "Hips", {0, 1.2f, 0}},
    {"Chest", "Spine", {0, 1.4f, 0}},
    {"Neck", "Chest", {0, 1.5f, 0}},
    {"Head", "Neck", {0, 1.6f, 0}},
    {"HeadEnd", "Head", {0, 1.8f, 0}},
    {"LeftShoulder", "Chest", {0.05f, 1.4f, 0}},
    {"LeftArm", "LeftShoulder", {0.2f, 1.4f, 0}},
    {"LeftForeArm", "LeftArm", {0.5f, 1.4f, 0}},
    {"LeftHand", "LeftForeArm", {0.75f, 1.4f, 0}},
    {"LeftHandIndex1", "LeftHand", {0.85f, 1.4f, 0.03f}},
    {"LeftHandIndex2", "LeftHandIndex1", {0.9f, 1.4f, 0.03f}},
    {"LeftHandIndex3", "LeftHandIndex2", {0.93f, 1.4f, 0.03f}},
    {"LeftHandPinky1", "LeftHand", {0.85f, 1.4f, -0.03f}},
    {"LeftHandPinky2", "LeftHandPinky1", {0.88f, 1.4f, -0.03f}},
    {"RightShoulder", "Chest", {-0.05f, 1.4f, 0}},
    {"RightArm", "RightShoulder", {-0.2f, 1.4f, 0}},
    {"RightForeArm", "RightArm", {-0.5f, 1.4f, 0}},
    {"RightHand", "RightForeArm", {-0.75f, 1.4f, 0}},
    {"LeftUpLeg", "Hips", {0.1f, 0.95f, 0}},
    {"LeftLeg", "LeftUpLeg", {0.1f, 0.5f, 0}},
    {"LeftFoot", "LeftLeg", {0.1f, 0.08f, 0}},
    {"LeftToeBase", "LeftFoot", {0.1f, 0.02f, 0.12f}},
    {"LeftToe_End", "LeftToeBase", {0.1f, 0.02f, 0.2f}},
    {"RightUpLeg", "Hips", {-0.1f, 0.95f, 0}},
    {"RightLeg", "RightUpLeg", {-0.1f, 0.5f, 0}},
    {"RightFoot", "RightLeg", {-0.1f, 0.08f, 0}},
    {"RightToeBase", "RightFoot", {-0.1f, 0.02f, 0.12f}},
};

enum class Frames { world, any };

/// With a vertex at every joint. `any`: every joint's axes point somewhere else.
Character person_with(Frames frames) {
  Rng rng(5);
  std::vector<RawJoint> raw;
  std::vector<Affined> world;
  for (const PersonJoint& place : person) {
    RawJoint joint{place.name, std::nullopt, {}, {}};
    const Vec3d angles{rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-3, 3)};
    const Quatd turn = frames == Frames::world
                           ? Quatd{}
                           : from_axis_angle(Vec3d{1, 0, 0}, angles.x) * from_axis_angle(Vec3d{0, 1, 0}, angles.y) *
                                 from_axis_angle(Vec3d{0, 0, 1}, angles.z);
    Affined there{to_matrix(turn), Vec3d(place.at)};
    Affined local = there;
    for (std::size_t p = 0; p < raw.size(); ++p) {
      if (raw[p].name != place.parent) continue;
      joint.parent = p;
      local = inverse(world[p]) * there;
    }
    joint.rest.translation = Vec3f(local.translation);
    joint.rest.rotation = Quatf(from_matrix(local.linear));
    world.push_back(there);
    raw.push_back(joint);
  }
  Character character;
  character.skeleton = build_skeleton(raw).value().skeleton;
  Part part;
  part.name = "skin";
  part.skin = 0;
  SkinBinding binding;
  for (JointIndex j = 0; j < raw.size(); ++j) {
    binding.joints.push_back(j);
    binding.inverse_bind.push_back(Affinef(inverse(world[j])));
    part.mesh.positions.push_back(person[j].at);
    part.weights.push_vertex(std::vector<Influence>{{j, 1.0f}});
  }
  character.skins.push_back(binding);
  character.parts.push_back(part);
  return character;
}

JointIndex person_joint(const Character& c, const char* name) { return c.skeleton.require(name).value(); }

/// Where `end` goes, from rest, when one degree of freedom of `of` is turned by its share of the way to a limit.
Vec3d way_of(const Character& c, const Skeleton& limits, const char* of, const char* end, std::size_t dof,
             double degrees) {
  Pose pose = rest_pose(limits);
  std::vector<float> angles(limits.dofs(person_joint(c, of)).size());
  angles[dof] = static_cast<float>(degrees / to_degree);
  set_angles(pose, limits, person_joint(c, of), angles);
  const JointIndex e = person_joint(c, end);
  return Vec3d(to_world(limits, pose)[e].translation) - Vec3d(to_world(limits, rest_pose(limits))[e].translation);
}

double farther(const Dof& dof) { return double{std::abs(dof.min) > std::abs(dof.max) ? dof.min : dof.max} * to_degree; }

class AnyFrames : public ::testing::TestWithParam<Frames> {};
INSTANTIATE_TEST_SUITE_P(AnatomicalLimits, AnyFrames, ::testing::Values(Frames::world, Frames::any));

TEST_P(AnyFrames, HingesBendTheWayThatPeopleDo) {
  const Character c = person_with(GetParam());
  const LimitsInUse limits = limits_in_use(c);
  EXPECT_EQ(limits.source, LimitSource::anatomy);
  EXPECT_EQ(limits.plan, BodyPlan::humanoid);
  struct Hinge {
    const char *joint, *end;
    Vec3d way;
    double most;
  };
  for (const Hinge& h : {Hinge{"LeftForeArm", "LeftHand", {0, 0, 1}, 130},
                         {"RightForeArm", "RightHand", {0, 0, 1}, 130},
                         {"LeftLeg", "LeftFoot", {0, 0, -1}, 130},
                         {"RightLeg", "RightFoot", {0, 0, -1}, 130},
                         {"LeftHandIndex2", "LeftHandIndex3", {0, -1, 0}, 95}}) {
    const auto dofs = limits.skeleton.dofs(person_joint(c, h.joint));
    ASSERT_EQ(dofs.size(), 1u) << h.joint;
    EXPECT_NEAR(std::abs(farther(dofs[0])), h.most, 1e-3) << h.joint;
    const double quarter = farther(dofs[0]) > 0 ? 90 : -90;
    const Vec3d way = way_of(c, limits.skeleton, h.joint, h.end, 0, quarter);
    EXPECT_GT(dot(normalized(way), h.way), 0.7) << h.joint;  // a quarter turn goes as far on as it comes back
  }
}

TEST_P(AnyFrames, ShouldersAndHipsAreBallJoints) {
  const Character c = person_with(GetParam());
  const Skeleton limits = limits_in_use(c).skeleton;
  for (const char* name : {"LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg"})
    EXPECT_EQ(limits.dofs(person_joint(c, name)).size(), 3u) << name;
  for (const auto& [of, end] :
       {std::pair{"LeftUpLeg", "LeftLeg"}, {"RightUpLeg", "RightLeg"}, {"LeftArm", "LeftForeArm"}}) {
    const Dof forwards = limits.dofs(person_joint(c, of))[0];
    EXPECT_NEAR(std::abs(farther(forwards)), 90, 1e-3);
    EXPECT_GT(normalized(way_of(c, limits, of, end, 0, farther(forwards))).z, 0.6) << of;
    const Dof aside = limits.dofs(person_joint(c, of))[1];
    EXPECT_GT(std::min(std::abs(aside.min), std::abs(aside.max)), 0.1f);
  }
  // Legs go farther out than in.
  const Dof aside = limits.dofs(person_joint(c, "RightUpLeg"))[1];
  EXPECT_LT(way_of(c, limits, "RightUpLeg", "RightLeg", 1, farther(aside)).x, 0);
  // From a T pose an arm can be lowered by 75 degrees, and raised by 60.
  const Dof raise = limits.dofs(person_joint(c, "LeftArm"))[1];
  EXPECT_LT(way_of(c, limits, "LeftArm", "LeftForeArm", 1, farther(raise)).y, 0);
  EXPECT_NEAR(std::abs(farther(raise)), 75, 1);
}

TEST_P(AnyFrames, FingersSpreadAtTheirFirstJointAndNeverTwist) {
  const Character c = person_with(GetParam());
  const Skeleton limits = limits_in_use(c).skeleton;
  EXPECT_EQ(limits.dofs(person_joint(c, "LeftHandIndex1")).size(), 2u);
  for (const char* name : {"LeftHandIndex1", "LeftHandIndex2", "LeftHandPinky1"})
    for (const Dof& dof : limits.dofs(person_joint(c, name))) {
      const JointIndex j = person_joint(c, name);
      const Vec3f along = c.skeleton.rest(c.skeleton.children(j)[0]).translation;
      EXPECT_NEAR(dot(dof.axis, normalized(along)), 0, 1e-4f) << name;
    }
  EXPECT_TRUE(limits.dofs(person_joint(c, "HeadEnd")).empty());
}

TEST_P(AnyFrames, PlansAreReadByTheRigAsItIs) {
  const Character c = person_with(GetParam());
  const LimitsInUse limits = limits_in_use(c);
  const auto plan = make_plan(limits.skeleton, {.held_out_random = 4, .grips = 0, .held_out_grips = 0});
  ASSERT_TRUE(plan) << plan.error().message();
  const PosePlan own = in_own_axes(*plan, limits.skeleton);
  ASSERT_TRUE(validate(own, c.skeleton)) << validate(own, c.skeleton).error().message();
  ASSERT_EQ(own.pose_count(), plan->pose_count());
  for (std::size_t s = 0; s < own.sweeps.size(); ++s)
    for (std::size_t p = 0; p < own.sweeps[s].poses.size(); ++p) {
      const Pose wanted = pose_of(plan->sweeps[s].poses[p], limits.skeleton),
                 read = pose_of(own.sweeps[s].poses[p], c.skeleton);
      for (JointIndex j = 0; j < c.skeleton.size(); ++j)  // hundredths of a degree about three axes
        EXPECT_LT(angle_between(Quatd(wanted.local[j].rotation), Quatd(read.local[j].rotation)) * to_degree, 0.05);
    }
}

TEST_P(AnyFrames, WhatClipsDoIsIncluded) {
  Character c = person_with(GetParam());
  const JointIndex knee = person_joint(c, "LeftLeg");
  const Skeleton before = limits_in_use(c).skeleton;
  const Dof hinge = before.dofs(knee)[0];
  const double back = hinge.max > -hinge.min ? -20 : 20;  // a knee that is bent forwards by 20 degrees
  const Quatd turned = Quatd(c.skeleton.rest(knee).rotation) * from_axis_angle(Vec3d(hinge.axis), back / to_degree);
  Clip clip{"kick", {}};
  clip.tracks.push_back({Channel::rotation, Interpolation::linear, knee, 4, {0, 1}, {}});
  const Quatf rest = c.skeleton.rest(knee).rotation, there(turned);
  for (const Quatf& q : {rest, there})
    for (const float v : {q.x, q.y, q.z, q.w}) clip.tracks[0].values.push_back(v);
  c.clips.push_back(clip);
  const LimitsInUse limits = limits_in_use(c);
  EXPECT_EQ(limits.source, LimitSource::anatomy);
  // The clip's own axis may be the other way round: it is what says how the joint bends.
  double low = 0, high = 0;
  for (const Dof& dof : limits.skeleton.dofs(knee)) {
    const double along = double{dot(dof.axis, hinge.axis)};
    if (std::abs(along) < 0.9) continue;
    low = std::min(along > 0 ? dof.min : -dof.max, 0.0f) * to_degree;
    high = std::max(along > 0 ? dof.max : -dof.min, 0.0f) * to_degree;
  }
  EXPECT_TRUE(back > 0 ? high >= 20 : low <= -20) << low << " to " << high;
}

TEST(AnatomicalLimits, JointsOfTheFaceDoNotTurnByTheirShape) {
  Character c = person_with(Frames::world);
  const JointIndex lip =
      c.skeleton.append("levator02.L", person_joint(c, "Head"), {{0.02f, 0.1f, 0.1f}, {}, {1, 1, 1}});
  c.skins[0].joints.push_back(lip);
  c.skins[0].inverse_bind.emplace_back();
  c.parts[0].mesh.positions.push_back({0.02f, 1.7f, 0.1f});
  c.parts[0].weights.push_vertex(
      std::vector<Influence>{{static_cast<std::uint32_t>(c.skins[0].joints.size() - 1), 1.0f}});
  const LimitsInUse limits = limits_in_use(c);
  EXPECT_EQ(limits.source, LimitSource::anatomy);
  EXPECT_TRUE(limits.skeleton.dofs(lip).empty());
  EXPECT_FALSE(limits.skeleton.dofs(person_joint(c, "Head")).empty());
}

TEST(AnatomicalLimits, OfTheRigComeFirst) {
  Character c = person_with(Frames::world);
  c.skeleton.set_dofs(person_joint(c, "LeftLeg"), {{"flexion", {1, 0, 0}, 0, 1}});
  const LimitsInUse limits = limits_in_use(c);
  EXPECT_EQ(limits.source, LimitSource::rig);
  EXPECT_EQ(limits.joints, 1u);
}

}  // namespace
}  // namespace supple
