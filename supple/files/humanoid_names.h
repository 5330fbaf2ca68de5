// What the joints of a person are called by the programs and libraries that many motions and rigs come from.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "supple/rig/skeleton.h"

namespace supple {

/// Joints that every person has, left ones before right ones.
enum class HumanJoint {
  hips,
  spine,
  chest,
  upper_chest,
  neck,
  head,
  left_shoulder,
  left_upper_arm,
  left_lower_arm,
  left_hand,
  left_upper_leg,
  left_lower_leg,
  left_foot,
  left_toes,
  right_shoulder,
  right_upper_arm,
  right_lower_arm,
  right_hand,
  right_upper_leg,
  right_lower_leg,
  right_foot,
  right_toes
};
inline constexpr std::size_t human_joints = 22;

/// "mixamorig:Left_Arm" and "leftArm" are the same name: letters and digits after the last colon, in lower case.
std::string plain_joint_name(std::string_view name);

/// The set of names that a skeleton follows, and its joints; no_joint where it lacks one.
struct KnownHuman {
  std::string names;  // "CMU", "Mixamo", ...; empty: none is known
  std::array<JointIndex, human_joints> joints{};
  std::size_t found = 0;
};
/// The set of which the skeleton has most names; it must have hips and at least eight.
KnownHuman known_human(const Skeleton& skeleton);

}  // namespace supple
