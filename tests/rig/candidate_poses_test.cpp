// Poses to choose examples from: what they turn, how much they count, and turns that are written and read back.
#include "supple/rig/candidate_poses.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/base/rng.h"
#include "supple/rig/clip_sweeps.h"

namespace supple {
namespace {

Dof freedom(const char* name, Vec3f axis, float min, float max) { return {name, axis, min, max}; }

/// A palm with two fingers of two joints.
Character two_fingers() {
  std::vector<RawJoint> joints{{"palm", std::nullopt, {}, {}}};
  for (const char* finger : {"index", "ring"}) {
    const auto palm_or_knuckle = [&](bool knuckle) { return knuckle ? 0u : static_cast<unsigned>(joints.size() - 1); };
    joints.push_back({std::string(finger) + "-knuckle",
                      palm_or_knuckle(true),
                      {},
                      {freedom("flexion", {1, 0, 0}, -0.5f, 1.5f), freedom("abduction", {0, 1, 0}, -0.3f, 0.3f)}});
    joints.push_back(
        {std::string(finger) + "-hinge", palm_or_knuckle(false), {}, {freedom("flexion", {1, 0, 0}, 0, 1.7f)}});
  }
  for (RawJoint& j : joints) j.rest.rotation = from_axis_angle(normalized(Vec3f{1, 2, 3}), 0.4f);
  Character result;
  result.skeleton = build_skeleton(joints).value().skeleton;
  return result;
}

std::vector<JointIndex> all_but_the_palm() { return {1, 2, 3, 4}; }

TEST(CandidatePoses, TurnsAreWrittenAndReadBack) {
  const Character hand = two_fingers();
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    Pose pose = hand.rest();
    for (const JointIndex j : all_but_the_palm()) {
      const Vec3f axis =
          normalized(Vec3f{static_cast<float>(rng.uniform(-1, 1)), static_cast<float>(rng.uniform(-1, 1)),
                           static_cast<float>(rng.uniform(-1, 1))});
      pose.local[j].rotation = pose.local[j].rotation * from_axis_angle(axis, static_cast<float>(rng.uniform(-3, 3)));
    }
    const Pose back = pose_of(planned_pose(hand.skeleton, pose, all_but_the_palm()), hand.skeleton);
    for (const JointIndex j : all_but_the_palm())  // three angles, rounded to a hundredth of a degree
      EXPECT_LT(angle_between(Quatd(back.local[j].rotation), Quatd(pose.local[j].rotation)), 4e-4) << i;
  }
}

TEST(CandidatePoses, AreGripsAndPosesOfSeveralJointsThatPlansDoNotHave) {
  const Character hand = two_fingers();
  const auto poses = candidate_poses(hand, all_but_the_palm(), {}, 60).value();
  EXPECT_GE(poses.size(), 55u);
  PlanOptions options;
  options.coupled = 100;
  options.grips = 100;
  const PosePlan plan = make_plan(hand.skeleton, options).value();
  std::size_t grips = 0;
  for (const PlannedPose& pose : poses) {
    grips += std::count(pose.tags.begin(), pose.tags.end(), "grip");
    EXPECT_EQ(pose.weight, 1);
    for (const Sweep& sweep : plan.sweeps)
      for (const PlannedPose& planned : sweep.poses) EXPECT_NE(pose.angles, planned.angles);
  }
  EXPECT_GE(grips, 25u);
}

TEST(CandidatePoses, OnlyTurnTheseJoints) {
  for (const PlannedPose& pose : candidate_poses(two_fingers(), std::vector<JointIndex>{3, 4}, {}, 40).value())
    for (const JointAngles& a : pose.angles) EXPECT_TRUE(a.joint.starts_with("ring")) << a.joint;
}

TEST(CandidatePoses, ClipsCountAsMuchAsAllOthers) {
  Character hand = two_fingers();
  const Quatf from = hand.skeleton.rest(1).rotation, to = from * from_axis_angle(Vec3f{1, 0, 0}, 1.0f);
  hand.clips.push_back({"bend", {{Channel::rotation, Interpolation::linear, 1, 4, {0, 2}, {}}}});
  for (const Quatf q : {from, to})
    hand.clips[0].tracks[0].values.insert(hand.clips[0].tracks[0].values.end(), {q.x, q.y, q.z, q.w});
  double of_clips = 0, of_others = 0;
  std::size_t frames = 0;
  for (const PlannedPose& pose : candidate_poses(hand, all_but_the_palm(), {}, 40).value()) {
    const bool clip = pose.tags.front() == "clip";
    (clip ? of_clips : of_others) += double{pose.weight};
    frames += clip;
  }
  EXPECT_EQ(frames, 20u);
  EXPECT_NEAR(of_clips, of_others, 1e-3);
}

/// The knuckle bends and goes back within two seconds, the hinge follows it.
Character bending() {
  Character hand = two_fingers();
  for (const JointIndex j : {1u, 2u}) {
    Track track{Channel::rotation, Interpolation::linear, j, 4, {0, 1, 2}, {}};
    const Quatf rest = hand.skeleton.rest(j).rotation;
    for (const float angle : {0.0f, 1.0f, 0.0f}) {
      const Quatf q = rest * from_axis_angle(Vec3f{1, 0, 0}, angle / static_cast<float>(j));
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    hand.clips.resize(1);
    hand.clips[0].name = "bend";
    hand.clips[0].tracks.push_back(std::move(track));
  }
  return hand;
}

TEST(ClipSweeps, AreTestPosesThatTheClipHas) {
  const Character hand = bending();
  PosePlan plan;
  ASSERT_TRUE(add_clip_sweeps(hand, hand.clips[0], {.every = 0.1}, plan).ok());
  ASSERT_TRUE(validate(plan, hand.skeleton).ok());
  EXPECT_EQ(plan.pose_count(), 19u);  // rest at both ends is no pose
  EXPECT_EQ(plan.pose_count(Role::test), 19u);
  EXPECT_EQ(plan.sweeps[0].poses[4].name, "bend@0.500s");
  const Pose pose = pose_of(plan.sweeps[0].poses[4], hand.skeleton), wanted = hand.at(hand.clips[0], 0.5f);
  for (const JointIndex j : all_but_the_palm())
    EXPECT_LT(angle_between(Quatd(pose.local[j].rotation), Quatd(wanted.local[j].rotation)), 4e-4);
}

TEST(ClipSweeps, ToLearnFromLeaveFramesBetweenAndAThirdAtTheEnd) {
  const Character hand = bending();
  PosePlan plan;
  ASSERT_TRUE(add_clip_sweeps(hand, hand.clips[0], {.every = 0.1, .test_every = 2, .unseen_third = true}, plan).ok());
  std::size_t between = 0, unseen = 0;
  for (const Sweep& sweep : plan.sweeps)
    for (const PlannedPose& pose : sweep.poses) {
      between += std::count(pose.tags.begin(), pose.tags.end(), "between");
      unseen += std::count(pose.tags.begin(), pose.tags.end(), "unseen");
      EXPECT_EQ(pose.role == Role::train, pose.tags.size() == 1);
    }
  EXPECT_EQ(plan.pose_count(Role::train), 7u);
  EXPECT_EQ(between, 6u);
  EXPECT_EQ(unseen, 6u);
}

}  // namespace
}  // namespace supple
