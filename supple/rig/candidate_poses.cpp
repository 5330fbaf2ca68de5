#include "supple/rig/candidate_poses.h"

#include <algorithm>
#include <cmath>

#include "supple/rig/clip_sweeps.h"
#include "supple/rig/crowding.h"

namespace supple {
namespace {

constexpr std::uint64_t candidate_seed = 0xd1342543de82ef95u;  // others than those of plans

bool has_tag(const PlannedPose& pose, std::string_view tag) {
  return std::find(pose.tags.begin(), pose.tags.end(), tag) != pose.tags.end();
}

/// Frames at equal times over all clips.
std::vector<PlannedPose> clip_poses(const Character& character, std::span<const JointIndex> joints, std::size_t most) {
  double seconds = 0;
  for (const Clip& clip : character.clips) seconds += double{clip.duration()};
  std::vector<PlannedPose> result;
  const double step = seconds / static_cast<double>(std::max<std::size_t>(1, most));
  if (!(step > 0)) return result;
  for (const Clip& clip : character.clips) {
    for (double t = step / 2; t < double{clip.duration()}; t += step) {
      const Pose pose = character.at(clip, clip.start() + static_cast<float>(t));
      PlannedPose planned = planned_pose(character.skeleton, pose, joints);
      if (planned.angles.empty()) continue;
      if (!is_same_pose(planned, character.skeleton, pose, joints)) continue;
      planned.name = clip.name + "-" + std::to_string(std::lround(t * 1000)) + "ms";
      planned.tags = {"clip"};
      result.push_back(std::move(planned));
    }
  }
  return result;
}

}  // namespace

Result<std::vector<PlannedPose>> candidate_poses(const Character& character, std::span<const JointIndex> joints,
                                                 const PlanOptions& options, std::size_t count) {
  PlanOptions wide = options;
  wide.seed += candidate_seed;
  wide.coupled = static_cast<int>(count - count / 2);
  wide.grips = static_cast<int>(count / 2);
  wide.poses_per_dof = 1;
  wide.off_axis = false;
  wide.held_out_between = wide.held_out_random = wide.held_out_grips = 0;
  const Crowding crowding(character);
  const auto plan = make_plan(character.skeleton, wide, &crowding);
  if (!plan) return plan.error();
  std::vector<PlannedPose> result;
  for (const Sweep& sweep : plan->sweeps)
    for (const PlannedPose& pose : sweep.poses)
      if (has_tag(pose, "coupled") || has_tag(pose, "grip")) result.push_back(pose);
  const auto turns = [&](const JointAngles& a) {
    const auto j = character.skeleton.find(a.joint);
    return j && std::find(joints.begin(), joints.end(), *j) != joints.end();
  };
  for (PlannedPose& pose : result) std::erase_if(pose.angles, [&](const JointAngles& a) { return !turns(a); });
  std::erase_if(result, [](const PlannedPose& pose) { return pose.angles.empty(); });
  std::vector<PlannedPose> used = clip_poses(character, joints, count / 2);
  const float each = used.empty() ? 1.0f : static_cast<float>(result.size()) / static_cast<float>(used.size());
  for (PlannedPose& pose : used) {
    pose.weight = result.empty() ? 1.0f : each;
    result.push_back(std::move(pose));
  }
  return result;
}

}  // namespace supple
