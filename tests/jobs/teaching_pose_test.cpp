// Poses that a skin is taught in: frames of clips, poses of a plan, and mixtures of both.
#include "supple/workflow/jobs/simulate/teaching_pose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/angle.h"
#include "supple/make/limb.h"
#include "supple/rig/character.h"
#include "supple/workflow/jobs/simulate/teaching_plan.h"

namespace supple::test {
namespace {

using namespace workflow;

constexpr double degree = 3.141592653589793 / 180;

/// Keys of one joint's rotation about x, degrees, one every `every` seconds.
Clip turning(const std::string& name, JointIndex joint, const std::vector<double>& degrees, double every) {
  Track track{Channel::rotation, Interpolation::linear, joint, 4, {}, {}};
  for (std::size_t k = 0; k < degrees.size(); ++k) {
    const Quatf q = Quatf(from_axis_angle(Vec3d{1, 0, 0}, degrees[k] * degree));
    track.times.push_back(static_cast<float>(every * static_cast<double>(k)));
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  return {name, {track}};
}

/// Keys of one joint's translation or scale.
Clip moving(const std::string& name, Channel channel, JointIndex joint, const std::vector<Vec3f>& keys) {
  Track track{channel, Interpolation::linear, joint, 3, {}, {}};
  for (std::size_t k = 0; k < keys.size(); ++k) {
    track.times.push_back(static_cast<float>(k));
    track.values.insert(track.values.end(), {keys[k].x, keys[k].y, keys[k].z});
  }
  return {name, {track}};
}

/// Joints "joint-0" and so on, a metre apart; two of them are a skeleton of the size of a metre.
Character joints_apart(std::size_t count) {
  std::vector<RawJoint> raw(count);
  for (std::size_t j = 0; j < count; ++j) {
    raw[j].name = "joint-" + std::to_string(j);
    if (j == 0) continue;
    raw[j].parent = j - 1;
    raw[j].rest.translation = {0, 1, 0};
  }
  Character c;
  c.skeleton = build_skeleton(raw).value().skeleton;
  return c;
}
Character two_joints() { return joints_apart(2); }

Pose turned_by(const Character& c, JointIndex joint, Vec3d axis, double degrees) {
  Pose pose = c.rest();
  Quatf& local = pose.local[joint].rotation;
  local = Quatf(Quatd(local) * from_axis_angle(axis, degrees * degree));
  return pose;
}

double turn_of(const Pose& pose, JointIndex joint) {
  return angle_between(Quatd(), Quatd(pose.local[joint].rotation)) / degree;
}

std::vector<std::size_t> held_out(const std::vector<TeachingPose>& poses) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < poses.size(); ++i)
    if (poses[i].role == Role::test) result.push_back(i);
  return result;
}

std::size_t count_of(const ClipPoses& frames, const std::string& sweep) {
  return static_cast<std::size_t>(
      std::ranges::count_if(frames.poses, [&](const TeachingPose& p) { return p.sweep == sweep; }));
}

TEST(ClipPoses, AreAsManyAsWantedEvenlyOverTheClip) {
  Character c = two_joints();
  c.clips = {turning("wave", 1, {0, 80}, 1)};
  const ClipPoses frames = clip_poses(c, 20);
  EXPECT_EQ(frames.clips, 1u);
  ASSERT_EQ(frames.poses.size(), 21u);  // both ends besides
  for (std::size_t i = 0; i < 21; ++i) {
    const TeachingPose& frame = frames.poses[i];
    EXPECT_NEAR(turn_of(frame.pose, 1), 4 * static_cast<double>(i), 0.01);  // files have angles in single precision
    EXPECT_EQ(frame.sweep, "wave");
    EXPECT_EQ(frame.weight, 1);
    EXPECT_EQ(frame.tags[0], clip_tag);
  }
  EXPECT_EQ(frames.poses[3].name, "wave@0.150s");
  // Two of eight, side by side; of the last, broken block as well.
  EXPECT_EQ(held_out(frames.poses), (std::vector<std::size_t>{3, 4, 11, 12, 19, 20}));
  for (const TeachingPose& frame : frames.poses)
    EXPECT_EQ(std::ranges::find(frame.tags, "between") != frame.tags.end(), frame.role == Role::test) << frame.name;
}

TEST(ClipPoses, AreMoreOfClipsThatMoveMore) {
  Character c = two_joints();
  // Both clips last 4 s; the slow one turns a quarter as far. Moving by the size counts as much as turning by a radian.
  c.clips = {turning("fast", 1, {0, 80, 0, 80, 0}, 1), turning("slow", 1, {0, 80}, 4)};
  const ClipPoses frames = clip_poses(c, 100);
  EXPECT_EQ(count_of(frames, "fast"), 81u);
  EXPECT_EQ(count_of(frames, "slow"), 21u);
  const double size = 1;  // of two_joints
  c.clips[1] = moving("slides", Channel::translation, 1, {{0, 1, 0}, {static_cast<float>(size), 1, 0}});
  const double turns = 4 * 80 * std::numbers::pi / 180;
  const auto slides = static_cast<std::size_t>(std::ceil(100 * size / (turns + size)));
  EXPECT_EQ(count_of(clip_poses(c, 100), "slides"), slides + 1);
}

TEST(ClipPoses, OfAClipOfManyYearsAreAFew) {
  Character c = two_joints();
  c.clips = {turning("endless", 1, {0, 80}, 1e9)};
  EXPECT_EQ(clip_poses(c, 20).poses.size(), 21u);
}

TEST(ClipPoses, AreNoMoreThanAScreenShows) {
  Character c = two_joints();
  c.clips = {turning("wave", 1, {0, 170}, 1)};
  const ClipPoses frames = clip_poses(c, 100000);
  EXPECT_EQ(frames.poses.size(), 61u);
}

TEST(ClipPoses, TellFramesApartByHalfADegreeOrAsLittleOfTheSize) {
  Character c = two_joints();
  // 0.4 degrees from frame to frame: every other one differs from the one before that was taken.
  c.clips = {turning("slow", 1, {0, 8}, 1)};
  EXPECT_EQ(clip_poses(c, 20).poses.size(), 11u);
  c.clips = {turning("still, then fast", 1, {0, 0, 40}, 0.5)};
  EXPECT_EQ(clip_poses(c, 20).poses.size(), 11u);
  // Half a degree is 0.0087 of the size, which is a metre: 0.5 mm too little in one, 0.5 mm enough in the other.
  const auto with_step = [&](Channel channel, Vec3f from, double step) {
    c.clips = {moving("along", channel, 1, {from, from + Vec3f{static_cast<float>(10 * step), 0, 0}})};
    return clip_poses(c, 10).poses.size();
  };
  for (const auto& [channel, from] : {std::pair{Channel::translation, Vec3f{0, 1, 0}}, {Channel::scale, {1, 1, 1}}}) {
    EXPECT_EQ(with_step(channel, from, 0.0092), 11u);
    EXPECT_EQ(with_step(channel, from, 0.0082), 6u);
  }
}

TEST(ClipPoses, OfShortClipsAreAFewFrames) {
  Character c = two_joints();
  const auto with = [&](std::size_t clips, std::size_t wanted) {
    c.clips.clear();
    for (std::size_t k = 0; k < clips; ++k) c.clips.push_back(turning("clip " + std::to_string(k), 1, {0, 60}, 0.1));
    return clip_poses(c, wanted);
  };
  // At least eight of each clip, as long as that is at most three times what is wanted.
  EXPECT_EQ(count_of(with(10, 40), "clip 7"), 8u);
  EXPECT_EQ(count_of(with(10, 20), "clip 7"), 6u);
  EXPECT_EQ(held_out(with(1, 1).poses), (std::vector<std::size_t>{1}));  // the middle one of three
  // With three frames each only every other clip has a test pose.
  const ClipPoses three = with(4, 4);
  ASSERT_EQ(three.poses.size(), 12u);
  EXPECT_EQ(held_out(three.poses), (std::vector<std::size_t>{1, 7}));
  // Two frames of each clip are all learnt from.
  const ClipPoses two = with(40, 10);
  EXPECT_EQ(two.poses.size(), 80u);
  EXPECT_TRUE(held_out(two.poses).empty());
}

TEST(ClipPoses, HaveNamesOfTheirOwn) {
  Character c = two_joints();
  for (const char* name : {"walk", "", "walk", "", "walk 2", "walk"}) c.clips.push_back(turning(name, 1, {0, 60}, 0.5));
  const ClipPoses frames = clip_poses(c, 60);
  EXPECT_EQ(frames.clips, 6u);
  std::set<std::string> names, sweeps;
  for (const TeachingPose& frame : frames.poses) names.insert(frame.name), sweeps.insert(frame.sweep);
  EXPECT_EQ(names.size(), frames.poses.size());
  EXPECT_EQ(sweeps.size(), 6u);
}

TEST(ClipPoses, LeaveOutClipsThatShowTheRestPose) {
  Character c = two_joints();
  c.clips = {turning("stands", 1, {0, 0}, 1), turning("one key", 1, {0}, 1), turning("one bent key", 1, {30}, 1)};
  const ClipPoses frames = clip_poses(c, 20);
  EXPECT_EQ(frames.clips, 1u);
  ASSERT_EQ(frames.poses.size(), 1u);
  EXPECT_EQ(frames.poses[0].sweep, "one bent key");
  EXPECT_EQ(frames.poses[0].role, Role::train);
  c.clips.clear();
  EXPECT_TRUE(clip_poses(c, 20).poses.empty());
  EXPECT_EQ(clip_poses(c, 20).clips, 0u);
}

TEST(ClipPoses, HaveTheMorphWeightsOfRest) {
  Character c = two_joints();
  c.morph_weights = {0.25f};
  c.clips = {turning("talk", 1, {0, 60}, 1)};
  c.clips[0].tracks.push_back({Channel::morph_weights, Interpolation::linear, 0, 1, {0, 1}, {0, 1}});
  for (const TeachingPose& frame : clip_poses(c, 20).poses)
    EXPECT_EQ(frame.pose.morph_weights, (std::vector<float>{0.25f})) << frame.name;
}

/// Joint 1 rests turned about y, and is turned from there by `degrees` about its own x.
TeachingPose turned_pose(const Character& c, double degrees) {
  return {"bent", "", turned_by(c, 1, {1, 0, 0}, degrees), Role::test, 0.5f, {clip_tag}};
}

Character turned_rest() {
  Character c = two_joints();
  Transformf rest = c.skeleton.rest(1);
  rest.rotation = Quatf(from_axis_angle(Vec3d{0, 1, 0}, 0.7));
  c.skeleton.set_rest(1, rest);
  return c;
}

TEST(MirroredPoses, ExchangeLeftAndRightInFramesOfClips) {
  std::vector<RawJoint> raw(3);
  raw[0] = {"hips", std::nullopt, {}, {}};
  raw[1] = {"arm_left", 0, {{1, 0, 0}, {}, {1, 1, 1}}, {}};
  raw[2] = {"arm_right", 0, {{-1, 0, 0}, {}, {1, 1, 1}}, {}};
  Character c;
  c.skeleton = build_skeleton(raw).value().skeleton;
  std::vector<TeachingPose> poses;
  for (int i = 0; i < 8; ++i) {
    const Role role = i == 3 ? Role::test : Role::train;
    const std::vector<std::string> tags = i == 5 ? std::vector<std::string>{} : std::vector<std::string>{clip_tag};
    poses.push_back({"pose " + std::to_string(i), "", turned_by(c, 1, {0, 0, 1}, 10 * (i + 1)), role, 1, tags});
  }
  const std::vector<TeachingPose> all = mirrored_poses(c, poses, 100);
  ASSERT_EQ(all.size(), 6u);  // not the one that is held out, nor the one that no clip has
  EXPECT_EQ(all[3].name, "mirrored pose 4");
  EXPECT_EQ(all[3].tags, (std::vector<std::string>{mixed_tag}));
  EXPECT_NEAR(turn_of(all[3].pose, 1), 0, 1e-3);
  EXPECT_NEAR(turn_of(all[3].pose, 2), 50, 1e-3);
  EXPECT_LT(all[3].pose.local[2].rotation.z, 0);  // up on the left is up on the right: the other way about z
  const std::vector<TeachingPose> some = mirrored_poses(c, poses, 3);
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[1].name, "mirrored pose 4");
  EXPECT_TRUE(mirrored_poses(two_joints(), poses, 3).empty());
}

TEST(MixedPoses, TurnFartherFromRestAboutTheSameAxis) {
  const Character c = turned_rest();
  for (const double degrees : {25.0, -60.0, 110.0}) {
    // The same rotation has two signs; neither may be taken the long way round.
    for (const float sign : {1.0f, -1.0f}) {
      TeachingPose of = turned_pose(c, degrees);
      Quatf& q = of.pose.local[1].rotation;
      q = {q.x * sign, q.y * sign, q.z * sign, q.w * sign};
      of.pose.local[1].translation = {0, 1.5f, 0};  // left out: joints are where they are at rest
      const auto mixed = mixed_poses(c, std::span(&of, 1), 2, 1);
      ASSERT_EQ(mixed.size(), 2u);
      const auto apart = [&](const TeachingPose& pose, double from_rest) {
        return angle_between(Quatd(pose.pose.local[1].rotation),
                             Quatd(turned_by(c, 1, {1, 0, 0}, from_rest).local[1].rotation)) /
               degree;
      };
      EXPECT_LT(apart(mixed[0], 1.4 * degrees), 0.01) << degrees;
      // With itself put together it is twice the turn, of which the shorter way round is taken.
      const double both = 2 * degrees > 180 ? 2 * degrees - 360 : 2 * degrees;
      EXPECT_LT(apart(mixed[1], 1.4 * both), 0.01) << degrees;
      for (const TeachingPose& pose : mixed) {
        EXPECT_EQ(pose.pose.local[1].translation, c.skeleton.rest(1).translation);
        EXPECT_EQ(pose.role, Role::train);
        EXPECT_EQ(pose.weight, 1);
        EXPECT_EQ(pose.tags, (std::vector<std::string>{mixed_tag}));
      }
    }
  }
}

TEST(MixedPoses, PutTurnsOfTwoPosesTogether) {
  const Character c = joints_apart(3);
  std::vector<TeachingPose> poses;
  poses.push_back({"one", "", turned_by(c, 1, {1, 0, 0}, 20), Role::train, 1, {}});
  poses.push_back({"two", "", turned_by(c, 2, {0, 0, 1}, 30), Role::train, 1, {}});
  bool together = false;
  const auto mixed = mixed_poses(c, poses, 24, 5);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    const double one = turn_of(mixed[i].pose, 1) / 1.4, two = turn_of(mixed[i].pose, 2) / 1.4;
    if (i % 2 == 0) {  // one of both alone
      EXPECT_NEAR(one < 1 ? two : one, one < 1 ? 30 : 20, 0.01);
      EXPECT_LT(std::min(one, two), 0.01);
    }
    together = together || (std::abs(one - 20) < 0.01 && std::abs(two - 30) < 0.01);
  }
  EXPECT_TRUE(together);
}

TEST(MixedPoses, AreDrawnByTheSeed) {
  const Character c = two_joints();
  std::vector<TeachingPose> poses;
  for (const double degrees : {10, 20, 30, 40, 50, 60, 70}) poses.push_back(turned_pose(c, degrees));
  const auto turns = [&](std::uint64_t seed) {
    std::vector<double> all;
    for (const TeachingPose& pose : mixed_poses(c, poses, 16, seed)) all.push_back(turn_of(pose.pose, 1));
    return all;
  };
  EXPECT_EQ(turns(1), turns(1));
  EXPECT_NE(turns(1), turns(2));
  std::set<std::string> names;
  for (const TeachingPose& pose : mixed_poses(c, poses, 16, 1)) names.insert(pose.name);
  EXPECT_EQ(names.size(), 16u);
  EXPECT_TRUE(mixed_poses(c, {}, 16, 1).empty());
}

TEST(TeachingPoses, AreThoseOfThePlan) {
  Character c = two_joints();
  c.skeleton.set_dofs(1, {{"flexion", {1, 0, 0}, -1, 1}});
  c.morph_weights = {0.5f};
  PosePlan plan;
  plan.sweeps = {{"first", {{"a", {{"joint-1", "flexion", 0.5f}}, Role::train, 1, {"axis"}}}},
                 {"second", {{"b", {{"joint-1", "flexion", -1}}, Role::test, 0.25f, {}}, {"c", {}}}}};
  const auto poses = teaching_poses(plan, c);
  ASSERT_EQ(poses.size(), 3u);
  EXPECT_EQ(poses[0].sweep, "first");
  EXPECT_EQ(poses[0].tags, (std::vector<std::string>{"axis"}));
  EXPECT_NEAR(turn_of(poses[0].pose, 1), 0.5 / degree, 1e-3);
  EXPECT_EQ(poses[1].name, "b");
  EXPECT_EQ(poses[1].role, Role::test);
  EXPECT_EQ(poses[1].weight, 0.25f);
  EXPECT_NEAR(turn_of(poses[1].pose, 1), 1 / degree, 1e-3);
  EXPECT_EQ(poses[2].pose.local, c.rest().local);
  for (const TeachingPose& pose : poses) EXPECT_EQ(pose.pose.morph_weights, c.morph_weights);
}

TEST(TeachingPlans, ManyJointsHaveFewPosesEach) {
  Character chain = make::make_limb({.joints = 60, .vertices = 600}).value();
  for (JointIndex j = 0; j < chain.skeleton.size(); ++j) chain.skeleton.set_dofs(j, {});
  chain.clips.clear();
  const auto plan = joint_plan(chain, std::vector<bool>(chain.skeleton.size(), true), 30);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_LE(plan->plan.pose_count(), 3u * 30u);
  EXPECT_GE(plan->plan.pose_count(), 60u);
  EXPECT_GE(plan->joints, 50u) << "of sixty, of which the last moves nothing";
}

}  // namespace
}  // namespace supple::test
