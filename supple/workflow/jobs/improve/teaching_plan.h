// Which poses a character's skin is taught in, when nobody says which.
#pragma once

#include "supple/rig/guessed_limits.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {

struct TeachingPlan {
  PosePlan plan;
  LimitSource source = LimitSource::rig;
  std::size_t joints = 0;  // that it turns
  std::size_t clips = 0;   // whose frames it holds
};

/// About `poses` of them at most: each joint by itself through its limits, several at once, and frames of all clips, of
/// which a quarter is held out. Joints that `may_turn` (#joints) does not allow stay at rest.
Result<TeachingPlan> teaching_plan(const Character& character, const std::vector<bool>& may_turn, std::size_t poses);

}  // namespace supple::workflow
