// Motion onto skeletons that rest otherwise and are called otherwise.
#include "supple/files/retarget.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/rng.h"
#include "supple/files/bvh.h"
#include "supple/files/humanoid_names.h"
#include "supple/files/load.h"
#include "supple/rig/bind_pose.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

/// A joint in the world: built into a skeleton whose joints have orientations of their own.
struct PlacedJoint {
  std::string name;
  std::optional<std::size_t> parent;
  Vec3d at;
};

Skeleton skeleton_of(const std::vector<PlacedJoint>& placed, std::uint64_t seed, bool turned) {
  Rng rng(seed);
  std::vector<Affined> world;
  std::vector<RawJoint> joints;
  for (const PlacedJoint& p : placed) {
    const Vec3d axis = normalized(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, Vec3d{0, 1, 0});
    const Quatd own = turned ? from_axis_angle(axis, rng.uniform(-3, 3)) : Quatd{};
    world.push_back({to_matrix(own), p.at});
    const Affined local = p.parent ? inverse(world[*p.parent]) * world.back() : world.back();
    joints.push_back({p.name, p.parent, {Vec3f(local.translation), Quatf(from_matrix(local.linear)), {1, 1, 1}}, {}});
  }
  return build_skeleton(joints).value().skeleton;
}

/// Arms straight to the sides, legs spread by 20 degrees as CMU's: facing +z, 1.7 tall.
std::vector<PlacedJoint> t_pose() {
  return {{"Hips", {}, {0, 0.95, 0}},
          {"LowerBack", 0, {0, 0.95, 0}},
          {"Spine", 1, {0, 1.1, 0}},
          {"Spine1", 2, {0, 1.25, 0.01}},
          {"Neck", 3, {0, 1.45, 0}},
          {"Head", 4, {0, 1.55, 0.02}},
          {"LeftArm", 3, {0.18, 1.42, 0}},
          {"LeftForeArm", 6, {0.46, 1.42, 0}},
          {"LeftHand", 7, {0.7, 1.42, 0}},
          {"RightArm", 3, {-0.18, 1.42, 0}},
          {"RightForeArm", 9, {-0.46, 1.42, 0}},
          {"RightHand", 10, {-0.7, 1.42, 0}},
          {"LeftUpLeg", 0, {0.1, 0.9, 0}},
          {"LeftLeg", 12, {0.25, 0.49, 0}},
          {"LeftFoot", 13, {0.39, 0.1, 0}},
          {"LeftToeBase", 14, {0.4, 0.05, 0.13}},
          {"RightUpLeg", 0, {-0.1, 0.9, 0}},
          {"RightLeg", 16, {-0.25, 0.49, 0}},
          {"RightFoot", 17, {-0.39, 0.1, 0}},
          {"RightToeBase", 18, {-0.4, 0.05, 0.13}}};
}

/// Arms 45 degrees down, legs together and a little bent, facing +x, half as tall, with higher ankles.
std::vector<PlacedJoint> a_pose() {
  const auto place = [](double left, double up, double front) { return Vec3d{front, up, -left}; };  // facing +x
  return {{"pelvis", {}, place(0, 0.5, 0)},          {"spine_01", 0, place(0, 0.55, 0.01)},
          {"spine_02", 1, place(0, 0.62, 0.01)},     {"spine_03", 2, place(0, 0.68, 0)},
          {"neck_01", 3, place(0, 0.78, 0)},         {"head", 4, place(0, 0.83, 0.01)},
          {"clavicle_l", 3, place(0.02, 0.75, 0)},   {"upperarm_l", 6, place(0.09, 0.75, 0)},
          {"lowerarm_l", 7, place(0.19, 0.65, 0)},   {"hand_l", 8, place(0.28, 0.56, 0.02)},
          {"clavicle_r", 3, place(-0.02, 0.75, 0)},  {"upperarm_r", 10, place(-0.09, 0.75, 0)},
          {"lowerarm_r", 11, place(-0.19, 0.65, 0)}, {"hand_r", 12, place(-0.28, 0.56, 0.02)},
          {"thigh_l", 0, place(0.05, 0.48, 0)},      {"calf_l", 14, place(0.05, 0.27, 0.02)},
          {"foot_l", 15, place(0.05, 0.08, -0.01)},  {"ball_l", 16, place(0.05, 0.02, 0.04)},
          {"thigh_r", 0, place(-0.05, 0.48, 0)},     {"calf_r", 18, place(-0.05, 0.27, 0.02)},
          {"foot_r", 19, place(-0.05, 0.08, -0.01)}, {"ball_r", 20, place(-0.05, 0.02, 0.04)}};
}

/// Every joint turns by up to a radian about an axis of its own; the root walks.
Clip wild_clip(const Skeleton& skeleton) {
  Clip clip;
  clip.name = "wild";
  Rng rng(5);
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    Track track{Channel::rotation, Interpolation::linear, j, 4, {0, 0.5f, 1}, {}};
    const Vec3d axis = normalized(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, Vec3d{0, 1, 0});
    for (int k = 0; k < 3; ++k) {
      const Quatf q(Quatd(skeleton.rest(j).rotation) * from_axis_angle(axis, rng.uniform(-1, 1)));
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.tracks.push_back(track);
  }
  clip.tracks.push_back({Channel::translation, Interpolation::linear, 0, 3, {0, 1}, {0, 0.95f, 0, 0.2f, 0.9f, 1}});
  return clip;
}

Vec3d bone_direction(const Skeleton& skeleton, std::span<const Affinef> world, const char* from, const char* to) {
  return normalized(Vec3d(world[*skeleton.find(to)].translation) - Vec3d(world[*skeleton.find(from)].translation));
}

TEST(Retarget, BonesPointWhereTheirSourcesPointHoweverTheyRest) {
  const Skeleton source = skeleton_of(t_pose(), 1, false), target = skeleton_of(a_pose(), 2, true);
  const Clip wild = wild_clip(source);
  const auto match = match_joints(source, target);
  ASSERT_TRUE(match) << match.error().message();
  EXPECT_EQ(match->source_names, "CMU");
  EXPECT_EQ(match->target_names, "Unreal");
  EXPECT_EQ(match->matched(), 20u);
  const auto clip = retarget(source, wild, target, *match);
  ASSERT_TRUE(clip) << clip.error().message();
  const std::pair<std::pair<const char*, const char*>, std::pair<const char*, const char*>> bones[] = {
      {{"LowerBack", "Spine"}, {"spine_01", "spine_02"}},
      {{"Spine", "Spine1"}, {"spine_02", "spine_03"}},
      {{"Neck", "Head"}, {"neck_01", "head"}},
      {{"LeftArm", "LeftForeArm"}, {"upperarm_l", "lowerarm_l"}},
      {{"LeftForeArm", "LeftHand"}, {"lowerarm_l", "hand_l"}},
      {{"RightArm", "RightForeArm"}, {"upperarm_r", "lowerarm_r"}},
      {{"RightForeArm", "RightHand"}, {"lowerarm_r", "hand_r"}},
      {{"LeftUpLeg", "LeftLeg"}, {"thigh_l", "calf_l"}},
      {{"LeftLeg", "LeftFoot"}, {"calf_l", "foot_l"}},
      {{"RightUpLeg", "RightLeg"}, {"thigh_r", "calf_r"}},
      {{"RightLeg", "RightFoot"}, {"calf_r", "foot_r"}}};
  for (const float time : {0.0f, 0.5f, 1.0f}) {  // at keys: in between, turns are interpolated in other frames
    Pose a = rest_pose(source), b = rest_pose(target);
    sample(wild, time, a);
    sample(*clip, time, b);
    const auto from = to_world(source, a), to = to_world(target, b);
    for (const auto& [s, t] : bones)
      EXPECT_LT(length(bone_direction(source, from, s.first, s.second) - bone_direction(target, to, t.first, t.second)),
                1e-4)
          << t.first << " at " << time;
  }
}

TEST(Retarget, StandingAsTheSourceRestsFeetDoNotCrossAndStandFlat) {
  // The source's own rest pose, as a motion: the target takes it on, legs spread and arms out, facing +z.
  const Skeleton source = skeleton_of(t_pose(), 1, false), target = skeleton_of(a_pose(), 2, true);
  Clip still;
  still.name = "still";
  still.tracks.push_back({Channel::translation, Interpolation::linear, 0, 3, {0}, {0, 0.95f, 0}});
  const auto clip = retarget(source, still, target);
  ASSERT_TRUE(clip) << clip.error().message();
  Pose pose = rest_pose(target);
  sample(*clip, 0, pose);
  const auto world = to_world(target, pose);
  const auto at = [&](const char* name) { return world[*target.find(name)].translation; };
  EXPECT_GT(at("foot_l").x, 0.1f);
  EXPECT_LT(at("foot_r").x, -0.1f);
  EXPECT_GT(at("hand_l").x, 0.3f);
  EXPECT_NEAR(at("hand_l").y, at("upperarm_l").y, 0.01f);
  // The ball of the foot is as far below the ankle as it was: 0.06, and in front of it now along +z, 0.05.
  EXPECT_NEAR(at("foot_l").y - at("ball_l").y, 0.06f, 1e-4f);
  EXPECT_NEAR(at("ball_l").z - at("foot_l").z, 0.05f, 1e-3f);
}

TEST(Retarget, KnownSetsOfNamesAreRecognised) {
  const auto human = [](const std::vector<std::string>& names) {
    std::vector<RawJoint> joints;
    for (std::size_t i = 0; i < names.size(); ++i)
      joints.push_back({names[i], i == 0 ? std::optional<std::size_t>() : 0, {}, {}});
    return known_human(build_skeleton(joints).value().skeleton);
  };
  const auto mixamo = human({"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2",
                             "mixamorig:Neck", "mixamorig:Head", "mixamorig:LeftShoulder", "mixamorig:LeftArm",
                             "mixamorig:LeftForeArm", "mixamorig:RightUpLeg"});
  EXPECT_EQ(mixamo.names, "Mixamo");
  EXPECT_EQ(mixamo.found, 10u);
  EXPECT_EQ(human({"DEF-spine", "DEF-spine.001", "DEF-spine.004", "DEF-upper_arm.L", "DEF-upper_arm.R", "DEF-thigh.L",
                   "DEF-thigh.R", "DEF-shin.L"})
                .names,
            "Rigify");
  const auto vrm = human({"hips", "spine", "chest", "neck", "head", "leftUpperArm", "leftLowerArm", "rightUpperLeg",
                          "rightLowerLeg", "rightToes"});
  EXPECT_EQ(vrm.names, "VRM");
  EXPECT_EQ(vrm.joints[static_cast<std::size_t>(HumanJoint::right_toes)], 9u);
  EXPECT_EQ(human({"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_Neck", "J_Bip_L_UpperArm",
                   "J_Bip_R_UpperArm", "J_Bip_L_UpperLeg", "J_Bip_R_UpperLeg"})
                .names,
            "VRoid");
  EXPECT_EQ(human({"hips", "spine", "chest"}).names, "") << "three joints may be anything's";
}

TEST(Retarget, ACmuWalkDoesNotCrossTheLegsOfAWalkingMan) {
  const auto man = shared_data("gltf_khronos/CesiumMan.glb"), walk = shared_data("bvh/cmu_02_01_walk.bvh");
  SUPPLE_REQUIRE_DATA(man);
  SUPPLE_REQUIRE_DATA(walk);
  const auto motion = read_bvh(walk, {.scale = 0.056444});
  ASSERT_TRUE(motion);
  const auto loaded = load(man);
  ASSERT_TRUE(loaded);
  const Character& c = loaded->character();
  RetargetOptions options;
  options.standing = bind_pose(c);
  const auto clip = retarget(motion->skeleton, motion->clip, c.skeleton, options);
  ASSERT_TRUE(clip) << clip.error().message();
  for (float t = 0; t <= clip->end(); t += 0.1f) {
    const auto world = to_world(c.skeleton, c.at(*clip, t));
    const auto at = [&](const char* name) { return world[*c.skeleton.find(name)].translation; };
    const Vec3f across = normalized(at("leg_joint_L_1") - at("leg_joint_R_1"));
    EXPECT_GT(dot(at("leg_joint_L_3") - at("leg_joint_R_3"), across), 0) << t;
    EXPECT_GT(at("Skeleton_neck_joint_1").y - at("leg_joint_L_3").y, 0.7f) << "upright";
    EXPECT_GT(at("leg_joint_L_3").y, -0.05f) << t;
  }
}

}  // namespace
}  // namespace supple::test
