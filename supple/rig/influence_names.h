// What the influences of joints in a pose space are called, in files and everywhere else.
#pragma once

#include <array>
#include <utility>

#include "supple/rig/pose_space.h"

namespace supple {

inline constexpr std::array<std::pair<const char*, JointInfluence>, 3> joint_influences{
    {{"equal", JointInfluence::equal}, {"weights", JointInfluence::weights}, {"subtree", JointInfluence::subtree}}};

constexpr const char* name_of(JointInfluence influence) {
  for (const auto& [name, known] : joint_influences)
    if (known == influence) return name;
  return "";
}

}  // namespace supple
