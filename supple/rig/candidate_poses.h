// Poses that a character may be asked for: what examples are chosen from.
#pragma once

#include <span>

#include "supple/rig/character.h"
#include "supple/rig/pose_plan.h"

namespace supple {

/// About `count` poses of these joints; all others are at rest. Half turn several joints at random, half are grips;
/// none is one of the plan that the same options make. Frames of the character's clips are added, at most half as many,
/// which count as much as all the others together: they are what is really used. Weights say how much each counts;
/// their tags are "coupled", "grip" or "clip".
Result<std::vector<PlannedPose>> candidate_poses(const Character& character, std::span<const JointIndex> joints,
                                                 const PlanOptions& options, std::size_t count);

}  // namespace supple
