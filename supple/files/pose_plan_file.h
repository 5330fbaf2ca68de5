// Pose plans as JSON files that people read and edit: angles in degrees, one line per pose.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "supple/rig/pose_plan.h"

namespace supple {

/// {
///   "pose_plan": 1,
///   "sweeps": [
///     {"name": "wrist.flexion+", "poses": [
///       {"name": "wrist.flexion+35", "angles": {"wrist": {"flexion": 35}}},
///       {"name": "wrist.flexion+52.5", "angles": {"wrist": {"flexion": 52.5}}, "role": "test", "weight": 2, "tags":
///       ["a"]}
///     ]}
///   ]
/// }
/// "role" is "train" where it is left out, "weight" 1. Angles of one joint stand together; otherwise a plan comes back
/// exactly as it was.
std::string to_json(const PosePlan& plan);
Result<void> write_pose_plan(const std::filesystem::path& path, const PosePlan& plan);

/// Errors name the line, the sweep and the pose. `//` comments are allowed. Whether a rig can do what the plan asks is
/// for validate() to say.
Result<PosePlan> read_pose_plan(const std::filesystem::path& path);
Result<PosePlan> parse_pose_plan(std::string_view text, const std::string& name);

}  // namespace supple
