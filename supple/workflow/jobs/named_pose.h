// Poses by name: a clip at a time, joints turned by so many degrees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supple/rig/character.h"

namespace supple::workflow {

struct PoseOptions {
  std::string clip{};                // a clip's name or number; empty: the rest pose
  std::optional<float> time{};       // seconds into the clip
  std::vector<std::string> turns{};  // "joint.dof=degrees", or pose files
};

/// The clip of that name or number; the error lists what there is.
Result<const Clip*> find_clip(const Character& character, const std::string& name);

/// Rest pose, then the clip at the time, then each turn. A turn names joints with or without '*', a degree of freedom
/// of the rig or one of the joint's own axes x, y, z: "index-finger-*.flexion=60", "Hips.y=15".
Result<Pose> pose_of(const Character& character, const PoseOptions& options);

/// Degrees of freedom that a pose turns beyond their limits, one line each.
std::vector<std::string> exceeded_limits(const Skeleton& skeleton, const Pose& pose);

/// Applies "joint.dof=degrees" or a JSON file {"joint": {"dof": degrees}} to a pose.
Result<void> apply_turn(Pose& pose, const Skeleton& skeleton, const std::string& turn);

}  // namespace supple::workflow
