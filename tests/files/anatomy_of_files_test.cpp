// Joints of files that other programs wrote: people, animals and hands are recognised, everything else is left alone.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "supple/files/load_character.h"
#include "supple/rig/guessed_limits.h"
#include "support/shared_data.h"

namespace supple {
namespace {

struct KnownFile {
  const char* file;
  BodyPlan plan;
  LimitSource source;
  std::map<std::string, JointKind> joints;
  std::map<std::string, std::string> mirrors{};
};
void PrintTo(const KnownFile& known, std::ostream* out) { *out << known.file; }

std::vector<KnownFile> known_files() {
  using enum JointKind;
  const auto anatomy = LimitSource::anatomy, clips = LimitSource::clips;
  return {
      {"strangers/human-female.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"pelvis", hips},
        {"spine_02", spine},
        {"lowerarm_r", forearm},
        {"calf_l", shin},
        {"ball_l", toe},
        {"pinky_03_r", finger},
        {"thumb_01_l", thumb},
        {"index_04_leaf_l", end},
        {"Mannequin_F", unknown}},
       {{"thigh_l", "thigh_r"}, {"ring_02_r", "ring_02_l"}}},
      {"strangers/Mage.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"chest", spine},
        {"wrist.l", hand},
        {"hand.l", palm},
        {"handslot.r", helper},
        {"lowerleg.r", shin},
        {"kneeIK.l", helper},
        {"control-heel-roll.l", helper},
        {"Mage_Head", unknown},
        {"Mage_LegLeft", unknown}},
       {{"upperleg.l", "upperleg.r"}}},
      {"strangers/Character_HumanoidRig.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"Abdomen", spine}, {"Ear2.L", ear}, {"UpperArm.L", upper_arm}, {"Fist.R", hand}, {"Belly", unknown}}},
      {"strangers/RobotExpressive.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"Palm2.L", palm}, {"Middle1.L", finger}, {"Thumb2.R", thumb}, {"PoleTarget.L", helper}, {"Bone", unknown}}},
      {"strangers/Wolf.glb",
       BodyPlan::quadruped,
       anatomy,
       {{"FrontShoulder.L", clavicle},
        {"FrontUpperLeg.L", upper_arm},
        {"FrontLowerLeg.R", forearm},
        {"BackShoulder.L", clavicle},
        {"BackLeg.L", thigh},
        {"BackUpperLeg.R", shin},
        {"BackLowerLeg.R", foot},
        {"Tail8", tail},
        {"Neck2", neck},
        {"PoleTargetBack.R", helper}},
       {{"Ear3.L", "Ear3.R"}}},
      {"strangers/horse-animations.glb",
       BodyPlan::quadruped,
       anatomy,
       {{"front_scapula_l", clavicle},
        {"front_humerus_r", upper_arm},
        {"back_leg_lower_l", shin},
        {"ear_leaf_l", end},
        {"nose", unknown},
        {"mouth", jaw}}},
      {"strangers/dragon-animations.glb",
       BodyPlan::quadruped,
       anatomy,
       {{"front_leg_collar_l", clavicle}, {"wing_2_l", unknown}, {"collar_anchor_l", helper}, {"tail_6", tail}}},
      {"strangers/kaiju-t-rex.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"Front_Leg_Lower_L", forearm},
        {"Finger_Pinky_01_L", finger},
        {"Tail_Mid.002", tail},
        {"Chin", jaw},
        {"Back_Leg_Ankle_R", foot},
        {"Stomach", unknown}}},
      {"strangers/bird-animations.glb",
       BodyPlan::unknown,
       anatomy,
       {{"UpperLeg_L", thigh}, {"AnkleLeg_R", foot}, {"wing_1_L", unknown}, {"mouth_lower", jaw}}},
      {"strangers/snake-animations.glb", BodyPlan::unknown, anatomy, {{"tail13", tail}, {"head", head}}},
      {"strangers/Manta_ray.glb", BodyPlan::unknown, anatomy, {{"Spine3", spine}, {"MidFlipper.L", unknown}}},
      {"strangers/spider-animations.glb",
       BodyPlan::unknown,
       clips,
       {{"leg_b_2_l", unknown}, {"legs_anchor_l", helper}}},
      {"gltf_khronos/CesiumMan.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"Skeleton_torso_joint_1", hips},
        {"Skeleton_arm_joint_L__4_", upper_arm},
        {"Skeleton_arm_joint_L__2_", hand},
        {"Skeleton_arm_joint_R__2_", forearm},
        {"leg_joint_R_5", toe}},
       {{"Skeleton_arm_joint_L__3_", "Skeleton_arm_joint_R__2_"}, {"leg_joint_L_2", "leg_joint_R_2"}}},
      {"gltf_khronos/RiggedFigure.glb",
       BodyPlan::humanoid,
       anatomy,
       {{"arm_joint_L_2", forearm}, {"leg_joint_L_2", shin}}},
      {"gltf_khronos/Fox.glb",
       BodyPlan::quadruped,
       anatomy,
       {{"b_Hip_01", hips}, {"b_RightForeArm_07", forearm}, {"b_LeftLeg02_016", shin}, {"b_LeftFoot02_018", toe}},
       {{"b_RightHand_08", "b_LeftHand_011"}}},
      {"gltf_khronos/RiggedSimple.glb", BodyPlan::unknown, clips, {{"Bone.001", unknown}}},
      {"godot_xr_hands/hand_l.gltf",
       BodyPlan::hand,
       anatomy,
       {{"Wrist_L", hand},
        {"Thumb_Metacarpal_L", thumb},
        {"Little_Metacarpal_L", palm},
        {"Ring_Proximal_L", finger},
        {"Middle_Distal_L", finger},
        {"Index_Tip_L", end}}},
      {"godot_xr_hands/Hand_low_R.gltf", BodyPlan::hand, anatomy, {{"Index_Intermediate_R", finger}}},
  };
}

class KnownFiles : public ::testing::TestWithParam<KnownFile> {};
INSTANTIATE_TEST_SUITE_P(Anatomy, KnownFiles, ::testing::ValuesIn(known_files()));

TEST_P(KnownFiles, AreRecognised) {
  const KnownFile& known = GetParam();
  const auto file = test::shared_data(known.file);
  SUPPLE_REQUIRE_DATA(file);
  const auto character = load_character(file);
  ASSERT_TRUE(character) << character.error().message();
  const Anatomy anatomy = anatomy_of(*character);
  EXPECT_STREQ(name_of(anatomy.plan), name_of(known.plan));
  for (const auto& [name, kind] : known.joints) {
    const auto j = character->skeleton.find(name);
    ASSERT_TRUE(j) << name;
    EXPECT_STREQ(name_of(anatomy.joints[*j].kind), name_of(kind)) << name;
  }
  for (const auto& [name, mirror] : known.mirrors) {
    const JointIndex other = anatomy.joints[character->skeleton.find(name).value()].mirror;
    ASSERT_NE(other, no_joint) << name;
    EXPECT_EQ(character->skeleton.name(other), mirror);
  }
  const LimitsInUse limits = limits_in_use(*character);
  EXPECT_EQ(limits.source, known.source);
  // Limits in files that other people made must be what a plan can be made of, and the file can read.
  if (limits.joints == 0) return;
  const auto plan = make_plan(limits.skeleton, {.poses_per_dof = 1, .held_out_random = 2, .grips = 2});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_TRUE(validate(in_own_axes(*plan, limits.skeleton), character->skeleton));
  for (JointIndex j = 0; j < anatomy.joints.size(); ++j) {
    const JointKind kind = anatomy.joints[j].kind;
    if (kind == JointKind::unknown || is_posed(kind)) continue;
    EXPECT_TRUE(known.source == LimitSource::clips || limits.skeleton.dofs(j).empty()) << character->skeleton.name(j);
  }
}

// Both hands of one shape close towards their palms: the tips come nearer to the wrist, and all to one side.
TEST(AnatomyOfHands, FingersCloseTowardsThePalm) {
  for (const char* name : {"hand_l", "hand_r"}) {
    const auto file = test::shared_data(std::string("godot_xr_hands/") + name + ".gltf");
    SUPPLE_REQUIRE_DATA(file);
    const auto c = load_character(file);
    ASSERT_TRUE(c);
    const Skeleton limits = limits_in_use(*c).skeleton;
    const Anatomy anatomy = anatomy_of(*c);
    Pose fist = rest_pose(limits);
    for (JointIndex j = 0; j < limits.size(); ++j) {
      if (anatomy.joints[j].kind != JointKind::finger || limits.dofs(j).empty()) continue;
      const Dof& bend = limits.dofs(j)[0];
      std::vector<float> angles(limits.dofs(j).size());
      angles[0] = 0.8f * (std::abs(bend.min) > std::abs(bend.max) ? bend.min : bend.max);
      set_angles(fist, limits, j, angles);
    }
    const auto at_rest = to_world(limits, rest_pose(limits)), closed = to_world(limits, fist);
    const JointIndex wrist = limits.find(std::string("Wrist_") + (name[5] == 'l' ? "L" : "R")).value();
    const auto tip = [&](const char* finger) {
      return limits.find(std::string(finger) + "_Tip_" + (name[5] == 'l' ? "L" : "R")).value();
    };
    Vec3f way{};
    for (const char* finger : {"Index", "Middle", "Ring", "Little"}) {
      const JointIndex t = tip(finger);
      const Vec3f moved = closed[t].translation - at_rest[t].translation;
      EXPECT_LT(length(closed[t].translation - closed[wrist].translation),
                0.75f * length(at_rest[t].translation - at_rest[wrist].translation))
          << name << " " << finger;
      if (length(way) > 0) {
        EXPECT_GT(dot(normalized(way), normalized(moved)), 0.7f) << name << " " << finger;
      }
      way = moved;
    }
  }
}

}  // namespace
}  // namespace supple
