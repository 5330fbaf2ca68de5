// Joints are recognised by the names that programs give them, and by their places where names say nothing.
#include "supple/rig/anatomy.h"

#include <gtest/gtest.h>

#include <map>

#include "supple/rig/joint_name.h"

namespace supple {
namespace {

struct Named {
  std::string name, parent;
  JointKind kind = JointKind::unknown;
  BodySide side = BodySide::unknown;
};

struct NamedRig {
  std::string program;
  std::vector<Named> joints;
};
void PrintTo(const NamedRig& rig, std::ostream* out) { *out << rig.program; }

Skeleton skeleton_of(const NamedRig& rig) {
  std::map<std::string, std::size_t> place;
  std::vector<RawJoint> raw;
  for (const Named& joint : rig.joints) {
    place[joint.name] = raw.size();
    raw.push_back({joint.name, std::nullopt, {}, {}});
    if (!joint.parent.empty()) raw.back().parent = place.at(joint.parent);
  }
  return build_skeleton(raw).value().skeleton;
}

std::vector<NamedRig> rigs() {
  using enum JointKind;
  constexpr BodySide left = BodySide::left, right = BodySide::right, none = BodySide::unknown;
  return {
      {"Mixamo",
       {{"Armature", "", root, none},
        {"mixamorig:Hips", "Armature", hips, none},
        {"mixamorig:Spine", "mixamorig:Hips", spine, none},
        {"mixamorig:Spine2", "mixamorig:Spine", spine, none},
        {"mixamorig:Neck", "mixamorig:Spine2", neck, none},
        {"mixamorig:Head", "mixamorig:Neck", head, none},
        {"mixamorig:HeadTop_End", "mixamorig:Head", end, none},
        {"mixamorig:LeftEye", "mixamorig:Head", eye, left},
        {"mixamorig:LeftShoulder", "mixamorig:Spine2", clavicle, left},
        {"mixamorig:LeftArm", "mixamorig:LeftShoulder", upper_arm, left},
        {"mixamorig:LeftForeArm", "mixamorig:LeftArm", forearm, left},
        {"mixamorig:LeftHand", "mixamorig:LeftForeArm", hand, left},
        {"mixamorig:LeftHandThumb1", "mixamorig:LeftHand", thumb, left},
        {"mixamorig:LeftHandMiddle1", "mixamorig:LeftHand", finger, left},
        {"mixamorig:LeftHandMiddle2", "mixamorig:LeftHandMiddle1", finger, left},
        {"mixamorig:RightUpLeg", "mixamorig:Hips", thigh, right},
        {"mixamorig:RightLeg", "mixamorig:RightUpLeg", shin, right},
        {"mixamorig:RightFoot", "mixamorig:RightLeg", foot, right},
        {"mixamorig:RightToeBase", "mixamorig:RightFoot", toe, right},
        {"mixamorig:RightToe_End", "mixamorig:RightToeBase", end, right}}},
      {"Unreal",
       {{"root", "", root, none},
        {"pelvis", "root", hips, none},
        {"spine_01", "pelvis", spine, none},
        {"clavicle_l", "spine_01", clavicle, left},
        {"upperarm_l", "clavicle_l", upper_arm, left},
        {"upperarm_twist_01_l", "upperarm_l", twist, left},
        {"lowerarm_l", "upperarm_l", forearm, left},
        {"lowerarm_twist_01_l", "lowerarm_l", twist, left},
        {"hand_l", "lowerarm_l", hand, left},
        {"thumb_01_l", "hand_l", thumb, left},
        {"index_metacarpal_l", "hand_l", palm, left},
        {"index_01_l", "index_metacarpal_l", finger, left},
        {"ring_03_l", "hand_l", finger, left},
        {"thigh_r", "pelvis", thigh, right},
        {"calf_r", "thigh_r", shin, right},
        {"foot_r", "calf_r", foot, right},
        {"ball_r", "foot_r", toe, right},
        {"ik_hand_gun", "root", helper, none},
        {"ik_foot_l", "root", helper, left}}},
      {"Unity and VRM",
       {{"hips", "", hips, none},
        {"upperChest", "hips", spine, none},
        {"leftShoulder", "upperChest", clavicle, left},
        {"leftUpperArm", "leftShoulder", upper_arm, left},
        {"leftLowerArm", "leftUpperArm", forearm, left},
        {"leftHand", "leftLowerArm", hand, left},
        {"leftThumbMetacarpal", "leftHand", thumb, left},
        {"leftLittleIntermediate", "leftHand", finger, left},
        {"J_Bip_R_UpperLeg", "hips", thigh, right},
        {"J_Bip_R_LowerLeg", "J_Bip_R_UpperLeg", shin, right},
        {"J_Bip_R_ToeBase", "J_Bip_R_LowerLeg", toe, right},
        {"Left UpperLeg", "hips", thigh, left},
        {"Left_LowerLeg", "Left UpperLeg", shin, left}}},
      {"Biped",
       {{"Bip01", "", root, none},
        {"Bip01 Pelvis", "Bip01", hips, none},
        {"Bip01 Spine1", "Bip01 Pelvis", spine, none},
        {"Bip01 L Clavicle", "Bip01 Spine1", clavicle, left},
        {"Bip01 L UpperArm", "Bip01 L Clavicle", upper_arm, left},
        {"Bip01 L Forearm", "Bip01 L UpperArm", forearm, left},
        {"Bip01 L ForeTwist", "Bip01 L Forearm", twist, left},
        {"Bip01 L Hand", "Bip01 L Forearm", hand, left},
        {"Bip01 L Finger0", "Bip01 L Hand", thumb, left},
        {"Bip01 L Finger01", "Bip01 L Finger0", thumb, left},
        {"Bip01 L Finger1", "Bip01 L Hand", finger, left},
        {"Bip01 L Finger12", "Bip01 L Finger1", finger, left},
        {"Bip01 L Finger1Nub", "Bip01 L Finger12", end, left},
        {"Bip01 R Thigh", "Bip01 Pelvis", thigh, right},
        {"Bip01 R Calf", "Bip01 R Thigh", shin, right},
        {"Bip01 R Foot", "Bip01 R Calf", foot, right},
        {"Bip01 R Toe0", "Bip01 R Foot", toe, right}}},
      {"Rigify",
       {{"DEF-spine", "", hips, none},
        {"DEF-spine.001", "DEF-spine", spine, none},
        {"DEF-spine.003", "DEF-spine.001", spine, none},
        {"DEF-spine.004", "DEF-spine.003", neck, none},
        {"DEF-spine.006", "DEF-spine.004", head, none},
        {"DEF-shoulder.L", "DEF-spine.003", clavicle, left},
        {"DEF-upper_arm.L", "DEF-shoulder.L", upper_arm, left},
        {"DEF-upper_arm.L.001", "DEF-upper_arm.L", twist, left},
        {"DEF-forearm.L", "DEF-upper_arm.L.001", forearm, left},
        {"DEF-forearm.L.001", "DEF-forearm.L", twist, left},
        {"DEF-hand.L", "DEF-forearm.L.001", hand, left},
        {"DEF-palm.01.L", "DEF-hand.L", palm, left},
        {"DEF-f_index.01.L", "DEF-palm.01.L", finger, left},
        {"DEF-thumb.01.L", "DEF-palm.01.L", thumb, left},
        {"DEF-thigh.R", "DEF-spine", thigh, right},
        {"DEF-shin.R", "DEF-thigh.R", shin, right},
        {"DEF-shin.R.001", "DEF-shin.R", twist, right},
        {"DEF-foot.R", "DEF-shin.R.001", foot, right},
        {"MCH-foot_roll.R", "DEF-spine", helper, right}}},
      {"BVH",
       {{"Hips", "", hips, none},
        {"LowerBack", "Hips", spine, none},
        {"LeftCollar", "LowerBack", clavicle, left},
        {"LeftShoulder", "LeftCollar", upper_arm, left},
        {"LeftElbow", "LeftShoulder", forearm, left},
        {"LeftWrist", "LeftElbow", hand, left},
        {"RightHip", "Hips", thigh, right},
        {"RightKnee", "RightHip", shin, right},
        {"RightAnkle", "RightKnee", foot, right}}},
      {"CMU",
       {{"Hips", "", hips, none},
        {"LHipJoint", "Hips", clavicle, left},
        {"LeftUpLeg", "LHipJoint", thigh, left},
        {"LeftLeg", "LeftUpLeg", shin, left},
        {"LeftFoot", "LeftLeg", foot, left},
        {"LeftToeBase", "LeftFoot", toe, left},
        {"RightHand", "Hips", hand, right},
        {"RightFingerBase", "RightHand", palm, right},
        {"RightHandIndex1", "RightFingerBase", finger, right},
        {"RThumb", "RightHand", thumb, right}}},
      {"DAZ",
       {{"pelvis", "", hips, none},
        {"abdomenLower", "pelvis", spine, none},
        {"lCollar", "abdomenLower", clavicle, left},
        {"lShldrBend", "lCollar", upper_arm, left},
        {"lShldrTwist", "lShldrBend", twist, left},
        {"lForearmBend", "lShldrTwist", forearm, left},
        {"lHand", "lForearmBend", hand, left},
        {"lCarpal1", "lHand", palm, left},
        {"lMid1", "lCarpal1", finger, left},
        {"rThighBend", "pelvis", thigh, right},
        {"rShin", "rThighBend", shin, right},
        {"rFoot", "rShin", foot, right}}},
      {"MakeHuman",
       {{"root", "", hips, none},
        {"pelvis.R", "root", clavicle, right},
        {"upperleg01.R", "pelvis.R", thigh, right},
        {"upperleg02.R", "upperleg01.R", twist, right},
        {"clavicle.L", "root", clavicle, left},
        {"shoulder01.L", "clavicle.L", clavicle, left},
        {"upperarm01.L", "shoulder01.L", upper_arm, left},
        {"upperarm02.L", "upperarm01.L", twist, left},
        {"lowerarm01.L", "upperarm02.L", forearm, left},
        {"wrist.L", "lowerarm01.L", hand, left},
        {"finger1-1.L", "wrist.L", thumb, left},
        {"finger5-3.L", "wrist.L", finger, left},
        {"metacarpal3.L", "wrist.L", palm, left}}},
      {"WebXR",
       {{"wrist", "", hand, none},
        {"thumb-metacarpal", "wrist", thumb, none},
        {"thumb-phalanx-distal", "thumb-metacarpal", thumb, none},
        {"thumb-tip", "thumb-phalanx-distal", end, none},
        {"index-finger-metacarpal", "wrist", palm, none},
        {"index-finger-phalanx-proximal", "index-finger-metacarpal", finger, none},
        {"ring-finger-phalanx-intermediate", "wrist", finger, none},
        {"pinky-finger-tip", "wrist", end, none}}},
      {"counted",
       {{"torso_joint_1", "", hips, none},
        {"torso_joint_2", "torso_joint_1", spine, none},
        {"arm_joint_L_1", "torso_joint_2", upper_arm, left},
        {"arm_joint_L_2", "arm_joint_L_1", forearm, left},
        {"arm_joint_L_3", "arm_joint_L_2", hand, left},
        {"leg_joint_R_1", "torso_joint_1", thigh, right},
        {"leg_joint_R_2", "leg_joint_R_1", shin, right},
        {"leg_joint_R_3", "leg_joint_R_2", foot, right},
        {"leg_joint_R_5", "leg_joint_R_3", toe, right}}},
      {"no sign between words",
       {{"spine", "", hips, none},
        {"lshoulder", "spine", upper_arm, left},
        {"leftforearm", "lshoulder", forearm, left},
        {"handl", "leftforearm", hand, left},
        {"RIGHTUPPERLEG", "spine", thigh, right}}},
      {"horse",
       {{"hips", "", hips, none},
        {"front_scapula_l", "hips", clavicle, left},
        {"front_humerus_l", "front_scapula_l", upper_arm, left},
        {"front_leg_upper_l", "front_humerus_l", forearm, left},
        {"front_leg_lower_l", "front_leg_upper_l", hand, left},
        {"front_leg_ankle_l", "front_leg_lower_l", toe, left},
        {"back_leg_pelvis_r", "hips", clavicle, right},
        {"back_leg_upper_r", "back_leg_pelvis_r", thigh, right},
        {"back_leg_lower_r", "back_leg_upper_r", shin, right},
        {"back_leg_ankle_r", "back_leg_lower_r", foot, right},
        {"back_leg_foot_r", "back_leg_ankle_r", toe, right},
        {"tail_1", "hips", tail, none},
        {"ear_1_l", "hips", ear, left},
        {"mouth", "hips", jaw, none}}},
      {"no body",
       {{"Bone", "", unknown, none},
        {"Bone.001", "Bone", unknown, none},
        {"ribcage_middle", "Bone", spine, none},
        {"Tail_Mid", "Bone", tail, none},
        {"wing_feather_1_1_L", "Bone", unknown, left},
        {"eyelid_l", "Bone", unknown, left},
        {"hair_head_01", "Bone", unknown, none},
        {"middle", "Bone", unknown, none},
        {"sword", "Bone", unknown, none},
        {"handslot.l", "Bone", helper, left}}},
  };
}

class JointNames : public ::testing::TestWithParam<NamedRig> {};
INSTANTIATE_TEST_SUITE_P(Anatomy, JointNames, ::testing::ValuesIn(rigs()));

TEST_P(JointNames, SayWhatJointsAre) {
  const Anatomy anatomy = anatomy_of(skeleton_of(GetParam()));
  for (std::size_t j = 0; j < GetParam().joints.size(); ++j) {
    const Named& joint = GetParam().joints[j];
    EXPECT_STREQ(name_of(anatomy.joints[j].kind), name_of(joint.kind)) << joint.name;
    EXPECT_EQ(read_joint_name(joint.name).side, joint.side) << joint.name;
  }
}

TEST(Anatomy, NumbersTheFingersAndTheirJoints) {
  const Skeleton s = skeleton_of({"",
                                  {{"wrist", ""},
                                   {"finger1-1", "wrist"},
                                   {"finger1-2", "finger1-1"},
                                   {"finger5-1", "wrist"},
                                   {"finger5-2", "finger5-1"},
                                   {"finger5-3", "finger5-2"}}});
  const Anatomy anatomy = anatomy_of(s);
  EXPECT_EQ(anatomy.joints[2].digit, 0);
  EXPECT_EQ(anatomy.joints[2].order, 1);
  EXPECT_EQ(anatomy.joints[5].digit, 4);
  EXPECT_EQ(anatomy.joints[5].order, 2);
  EXPECT_EQ(anatomy.plan, BodyPlan::hand);
}

TEST(Anatomy, MirrorsByName) {
  const Skeleton s = skeleton_of(
      {"", {{"Spine", ""}, {"Hand.L", "Spine"}, {"Hand.R", "Spine"}, {"RightFoot", "Spine"}, {"LeftFoot", "Spine"}}});
  const Anatomy anatomy = anatomy_of(s);
  EXPECT_EQ(anatomy.joints[0].mirror, no_joint);
  EXPECT_EQ(anatomy.joints[1].mirror, 2u);
  EXPECT_EQ(anatomy.joints[3].mirror, 4u);
  EXPECT_EQ(anatomy.joints[4].mirror, 3u);
}

struct Placed {
  std::string name;
  int parent = -1;
  Vec3f at{};  // in the world
};

Skeleton placed(const std::vector<Placed>& joints) {
  std::vector<RawJoint> raw;
  for (const Placed& p : joints) {
    raw.push_back({p.name, std::nullopt, {}, {}});
    raw.back().rest.translation = p.at;
    if (p.parent < 0) continue;
    raw.back().parent = static_cast<std::size_t>(p.parent);
    raw.back().rest.translation = p.at - joints[static_cast<std::size_t>(p.parent)].at;
  }
  return build_skeleton(raw).value().skeleton;
}

TEST(Anatomy, MirrorsByPlaceWhereNamesSayNothing) {
  const Anatomy anatomy = anatomy_of(placed({{"", -1, {0, 1, 0}},
                                             {"", 0, {0.2f, 1, 0}},
                                             {"", 0, {-0.2f, 1, 0}},
                                             {"", 1, {0.6f, 1.001f, 0}},
                                             {"", 2, {-0.6f, 1, 0}},
                                             {"", 0, {0, 1.5f, 0}}}));
  EXPECT_EQ(anatomy.joints[1].mirror, 2u);
  EXPECT_EQ(anatomy.joints[4].mirror, 3u);
  EXPECT_EQ(anatomy.joints[5].mirror, no_joint);
  EXPECT_EQ(anatomy.joints[3].side, BodySide::left);
  EXPECT_EQ(anatomy.joints[4].side, BodySide::right);
  EXPECT_EQ(anatomy.joints[5].side, BodySide::middle);
  EXPECT_EQ(anatomy.joints[3].kind, JointKind::unknown);
}

/// A dog without names: hips, spine, chest; front and hind legs; neck, head with an end; a tail.
std::vector<Placed> nameless_dog() {
  return {{"", -1, {0, 0, 0}},
          {"", 0, {0, 0.6f, -0.4f}},
          {"", 1, {0, 0.62f, 0}},
          {"", 2, {0, 0.6f, 0.3f}},
          {"", 3, {0, 0.75f, 0.45f}},
          {"", 4, {0, 0.9f, 0.55f}},
          {"", 5, {0, 0.9f, 0.75f}},
          {"", 1, {0, 0.65f, -0.5f}},
          {"", 7, {0, 0.6f, -0.7f}},
          {"", 3, {0.1f, 0.5f, 0.3f}},
          {"", 9, {0.1f, 0.25f, 0.32f}},
          {"", 10, {0.1f, 0.02f, 0.3f}},
          {"", 3, {-0.1f, 0.5f, 0.3f}},
          {"", 12, {-0.1f, 0.25f, 0.32f}},
          {"", 13, {-0.1f, 0.02f, 0.3f}},
          {"", 1, {0.1f, 0.5f, -0.4f}},
          {"", 15, {0.1f, 0.3f, -0.35f}},
          {"", 16, {0.1f, 0.15f, -0.45f}},
          {"", 17, {0.1f, 0.02f, -0.4f}},
          {"", 1, {-0.1f, 0.5f, -0.4f}},
          {"", 19, {-0.1f, 0.3f, -0.35f}},
          {"", 20, {-0.1f, 0.15f, -0.45f}},
          {"", 21, {-0.1f, 0.02f, -0.4f}}};
}

TEST(Anatomy, FindsAQuadrupedByItsShape) {
  const Anatomy dog = anatomy_of(placed(nameless_dog()));
  EXPECT_EQ(dog.plan, BodyPlan::quadruped);
  using enum JointKind;
  const std::map<std::size_t, JointKind> expected{
      {1, hips},      {2, spine},    {3, spine}, {4, neck},   {5, head},  {6, end},   {7, tail}, {8, tail},
      {9, upper_arm}, {10, forearm}, {11, hand}, {15, thigh}, {16, shin}, {17, foot}, {18, toe}, {19, thigh}};
  for (const auto& [j, kind] : expected) EXPECT_STREQ(name_of(dog.joints[j].kind), name_of(kind)) << j;
  EXPECT_EQ(dog.joints[10].mirror, 13u);
  EXPECT_EQ(dog.joints[10].side, BodySide::left);
}

TEST(Anatomy, UnknownStaysUnknown) {
  std::vector<Placed> table = nameless_dog();  // four legs, no neck
  table[4].at = {0, 0.6f, 0.4f};
  table[5].at = {0, 0.6f, 0.5f};
  table[6].at = {0, 0.01f, 0.6f};  // a fifth end on the ground
  const Anatomy none_found = anatomy_of(placed(table));
  EXPECT_EQ(none_found.plan, BodyPlan::unknown);
  for (const JointAnatomy& joint : none_found.joints) EXPECT_EQ(joint.kind, JointKind::unknown);
}

TEST(Anatomy, ASpiderHasNoThighs) {
  NamedRig spider{"", {{"hips", ""}}};
  for (const char* leg : {"a", "b", "c", "d"})
    for (const char* side : {"l", "r"})
      for (int i = 1; i <= 3; ++i) {
        const auto name = [&](int n) { return std::string("leg_") + leg + "_" + std::to_string(n) + "_" + side; };
        spider.joints.push_back({name(i), i == 1 ? "hips" : name(i - 1)});
      }
  const Anatomy anatomy = anatomy_of(skeleton_of(spider));
  for (std::size_t j = 1; j < anatomy.joints.size(); ++j) EXPECT_EQ(anatomy.joints[j].kind, JointKind::unknown);
}

}  // namespace
}  // namespace supple
