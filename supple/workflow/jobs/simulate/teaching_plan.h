// Which poses a character's skin is taught in, when nobody says which.
#pragma once

#include "supple/rig/guessed_limits.h"
#include "supple/workflow/jobs/simulate/teaching_pose.h"

namespace supple::workflow {

struct TeachingPlan {
  PosePlan plan;
  LimitSource source = LimitSource::rig;
  std::size_t joints = 0;       // that it turns
  std::size_t clips = 0;        // whose frames it holds, or whose frames are taught beside it
  std::size_t clip_frames = 0;  // of these
  std::size_t held_out = 0;     // poses that are not learnt from
};

/// Each joint by itself through its limits and several at once, about `poses` of them at most, and three times as many
/// where there are many joints. Joints that `may_turn`
/// (#joints) does not allow stay at rest.
Result<TeachingPlan> joint_plan(const Character& character, const std::vector<bool>& may_turn, std::size_t poses);

/// The same with frames of all clips in it, of which a quarter is held out, as turns of joints: for teachers that walk
/// from pose to pose.
Result<TeachingPlan> teaching_plan(const Character& character, const std::vector<bool>& may_turn, std::size_t poses);

/// The lattice is taught in these: joint_plan() of `poses`, about `clip_frames` frames of the clips, and a quarter of
/// `poses` more that mix all these and go beyond them. `plan.plan` holds the first alone.
struct FullPlan {
  TeachingPlan plan;
  std::vector<TeachingPose> poses;
};
Result<FullPlan> full_plan(const Character& character, std::size_t poses, std::size_t clip_frames);

/// Fewer held-out poses than these say nothing.
inline constexpr std::size_t enough_held_out = 12;

}  // namespace supple::workflow
