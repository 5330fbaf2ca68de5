#include "supple/files/humanoid_names.h"

#include <cctype>
#include <map>

namespace supple {
namespace {

constexpr std::size_t middle_joints = 6, side_joints = 8, fewest_joints = 8;

/// Names in the order of HumanJoint: those in the middle, then those of one side with * for the word of the side, or
/// left/right written out. Several names of a joint are separated by |; an empty one is not there.
struct NameSet {
  const char* name;
  const char* prefixes;  // separated by |; what all names may begin with, besides nothing
  const char *left, *right;
  std::array<const char*, middle_joints> middle;
  std::array<const char*, side_joints> side;
};

constexpr NameSet name_sets[] = {
    {"CMU",
     "",
     "Left",
     "Right",
     {"Hips", "LowerBack", "Spine", "Spine1", "Neck", "Head"},
     {"*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase"}},
    {"Mixamo",
     "mixamorig",
     "Left",
     "Right",
     {"Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"},
     {"*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase|*Toe"}},
    {"Rigify",
     "DEF|ORG",
     "L",
     "R",
     {"spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.006"},
     {"shoulder.*", "upper_arm.*", "forearm.*", "hand.*", "thigh.*", "shin.*", "foot.*", "toe.*"}},
    {"VRM",
     "",
     "left",
     "right",
     {"hips", "spine", "chest", "upperChest", "neck", "head"},
     {"*Shoulder", "*UpperArm", "*LowerArm", "*Hand", "*UpperLeg", "*LowerLeg", "*Foot", "*Toes"}},
    {"VRoid",
     "",
     "L",
     "R",
     {"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head"},
     {"J_Bip_*_Shoulder", "J_Bip_*_UpperArm", "J_Bip_*_LowerArm", "J_Bip_*_Hand", "J_Bip_*_UpperLeg",
      "J_Bip_*_LowerLeg", "J_Bip_*_Foot", "J_Bip_*_ToeBase"}},
    {"Unreal",
     "",
     "l",
     "r",
     {"pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"},
     {"clavicle_*", "upperarm_*", "lowerarm_*", "hand_*", "thigh_*", "calf_*", "foot_*", "ball_*"}},
    {"Biped",
     "Bip01|Bip001",
     "L",
     "R",
     {"Pelvis", "Spine", "Spine1", "Spine2", "Neck", "Head"},
     {"* Clavicle", "* UpperArm", "* Forearm", "* Hand", "* Thigh", "* Calf", "* Foot", "* Toe0"}},
    {"Supple",
     "",
     "left",
     "right",
     {"hips", "spine", "chest", "", "neck", "head"},
     {"shoulder-*", "upper-arm-*", "forearm-*", "hand-*", "thigh-*", "shin-*", "foot-*", "toe-*"}},
    {"Khronos samples",
     "Skeleton",
     "L",
     "R",
     {"torso_joint_1", "torso_joint_2", "torso_joint_3", "", "neck_joint_1", "neck_joint_2"},
     {"", "arm_joint_L__4_/arm_joint_R", "arm_joint_L__3_/arm_joint_R__2_", "arm_joint_L__2_/arm_joint_R__3_",
      "leg_joint_*_1", "leg_joint_*_2", "leg_joint_*_3", "leg_joint_*_5"}},
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == separator)
      words.emplace_back();
    else
      words.back().push_back(c);
  }
  return words;
}

std::string on_side(const std::string& pattern, bool left, const NameSet& set) {
  const std::size_t slash = pattern.find('/'), star = pattern.find('*');
  if (slash != std::string::npos) return left ? pattern.substr(0, slash) : pattern.substr(slash + 1);
  if (star == std::string::npos) return pattern;
  return pattern.substr(0, star) + (left ? set.left : set.right) + pattern.substr(star + 1);
}

/// All names that a joint may have in a set, plain.
std::vector<std::string> names_in(const NameSet& set, std::size_t joint) {
  const bool in_middle = joint < middle_joints;
  const bool left = joint < middle_joints + side_joints;
  std::vector<std::string> names;
  const char* patterns = in_middle ? set.middle[joint] : set.side[(joint - middle_joints) % side_joints];
  for (const std::string& pattern : split(patterns, '|')) {
    if (pattern.empty()) continue;
    const std::string plain = plain_joint_name(in_middle ? pattern : on_side(pattern, left, set));
    names.push_back(plain);
    for (const std::string& prefix : split(set.prefixes, '|'))
      if (!prefix.empty()) names.push_back(plain_joint_name(prefix) + plain);
  }
  return names;
}

}  // namespace

std::string plain_joint_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos) name = name.substr(colon + 1);
  std::string plain;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) plain.push_back(static_cast<char>(std::tolower(u)));
  }
  return plain;
}

KnownHuman known_human(const Skeleton& skeleton) {
  std::map<std::string, JointIndex> by_name;
  for (JointIndex j = 0; j < skeleton.size(); ++j) by_name.emplace(plain_joint_name(skeleton.given_name(j)), j);
  KnownHuman best;
  best.joints.fill(no_joint);
  for (const NameSet& set : name_sets) {
    KnownHuman human{set.name, {}, 0};
    human.joints.fill(no_joint);
    for (std::size_t joint = 0; joint < human_joints; ++joint) {
      for (const std::string& name : names_in(set, joint)) {
        const auto at = by_name.find(name);
        if (at == by_name.end() || human.joints[joint] != no_joint) continue;
        human.joints[joint] = at->second;
        ++human.found;
      }
    }
    const bool is_human = human.joints[0] != no_joint && human.found >= fewest_joints;
    if (is_human && human.found > best.found) best = human;
  }
  return best;
}

}  // namespace supple
