#include "supple/workflow/jobs/simulate/teaching_plan.h"

#include <algorithm>
#include <set>

#include "supple/rig/clip_sweeps.h"
#include "supple/rig/crowding.h"

namespace supple::workflow {
namespace {

constexpr std::size_t most_times = 3;     // as many poses as are wanted may be planned where there are many joints
constexpr std::uint64_t taught_seed = 2;  // of mixed poses: others than a skin is judged in
constexpr int test_every = 4;             // frames of a clip
constexpr std::size_t fewest_tests_beside_clips = 4;
constexpr double most_crowded = 0.3;  // of the radius of the thinner limb

/// From the most to the least that a plan of limits may hold; the first that fits is taken. Given up first are test
/// poses of one joint, which clips and poses of several joints test as well, then poses along the axes.
std::vector<PlanOptions> richest_first(const LimitsInUse& limits, std::size_t poses, bool clips) {
  const LimitSource source = limits.source;
  PlanOptions rich;
  rich.min_spacing = 20;
  rich.held_out_random = static_cast<int>(std::max(clips ? fewest_tests_beside_clips : enough_held_out, poses / 20));
  // Whoever wrote limits wrote what joints do; where limits are guesses, more is learnt from joints that turn together.
  rich.coupled = source == LimitSource::rig ? 0 : static_cast<int>(poses / 5);
  // Bodies do not grip: where clips tell what joints do, their frames turn all joints at once.
  const bool body = source == LimitSource::anatomy && limits.plan != BodyPlan::hand;
  rich.grips = source == LimitSource::clips || body ? 0 : static_cast<int>(poses / 10);
  if (body) rich.coupled += static_cast<int>(poses / 10);
  rich.held_out_grips = rich.grips / 4;
  std::vector<PlanOptions> all;
  for (const bool off_axis : {true, false})
    for (const int per_dof : {4, 3, 2, 1})
      for (const int between : {1, 0}) {
        PlanOptions less = rich;
        less.off_axis = off_axis;
        less.poses_per_dof = per_dof;
        less.held_out_between = between;
        all.push_back(less);
      }
  PlanOptions least = all.back();
  least.coupled /= 2;
  least.grips /= 2;
  all.push_back(least);
  return all;
}

/// Frames of all clips, so far apart that there are about as many as wanted.
std::size_t add_clips(const Character& character, std::size_t wanted, PosePlan& plan) {
  double seconds = 0;
  for (const Clip& clip : character.clips) seconds += double{clip.duration()};
  ClipSweepOptions options;
  options.every = std::max(0.04, seconds / std::max<double>(1, static_cast<double>(wanted)));
  options.test_every = test_every;
  std::size_t used = 0;
  for (const Clip& clip : character.clips) {
    // A clip that turns no joint, or one that a plan cannot name, is none to learn from.
    if (auto ok = add_clip_sweeps(character, clip, options, plan); ok) ++used;
  }
  return used;
}

/// Leaves out turns of joints that must stay, and poses that are then at rest.
void keep_still(PosePlan& plan, const Skeleton& skeleton, const std::vector<bool>& may_turn) {
  for (Sweep& sweep : plan.sweeps) {
    for (PlannedPose& pose : sweep.poses)
      std::erase_if(pose.angles, [&](const JointAngles& turn) {
        const auto joint = skeleton.find(turn.joint);
        return !joint || !may_turn[*joint];
      });
    std::erase_if(sweep.poses, [](const PlannedPose& pose) { return pose.angles.empty(); });
  }
  std::erase_if(plan.sweeps, [](const Sweep& sweep) { return sweep.poses.empty(); });
}

/// Guessed limits know nothing of neighbours: a finger that is turned into the next one teaches nothing.
void leave_out_crowded(PosePlan& plan, const Skeleton& skeleton, const Crowding& crowding) {
  for (Sweep& sweep : plan.sweeps)
    std::erase_if(sweep.poses,
                  [&](const PlannedPose& pose) { return crowding.deepest(pose_of(pose, skeleton)) > most_crowded; });
  std::erase_if(plan.sweeps, [](const Sweep& sweep) { return sweep.poses.empty(); });
}

/// About `most` of the poses, taken evenly: of rigs with many joints each keeps some of its poses.
void thin(PosePlan& plan, std::size_t most) {
  const std::size_t all = plan.pose_count();
  if (all <= most) return;
  std::size_t number = 0;
  for (Sweep& sweep : plan.sweeps)
    std::erase_if(sweep.poses, [&](const PlannedPose&) {
      const std::size_t before = number * most / all, after = ++number * most / all;
      return before == after;
    });
  std::erase_if(plan.sweeps, [](const Sweep& sweep) { return sweep.poses.empty(); });
}

std::size_t turned_joints(const PosePlan& plan) {
  std::set<std::string> names;
  for (const Sweep& sweep : plan.sweeps)
    for (const PlannedPose& pose : sweep.poses)
      for (const JointAngles& turn : pose.angles) names.insert(turn.joint);
  return names.size();
}

Result<TeachingPlan> plan_of_joints(const Character& character, const std::vector<bool>& may_turn, std::size_t poses) {
  LimitsInUse limits = limits_in_use(character);
  narrow_limits(limits.skeleton);
  for (JointIndex j = 0; j < limits.skeleton.size(); ++j)
    if (!may_turn[j]) limits.skeleton.set_dofs(j, {});
  TeachingPlan result;
  result.source = limits.source;
  const Crowding crowding(character);
  for (const PlanOptions& options : richest_first(limits, poses, !character.clips.empty())) {
    auto plan = make_plan(limits.skeleton, options, &crowding);
    if (!plan) return plan.error();
    result.plan = std::move(*plan);
    if (limits.source != LimitSource::rig) leave_out_crowded(result.plan, limits.skeleton, crowding);
    if (result.plan.pose_count() <= poses) break;
  }
  thin(result.plan, std::max(most_times * poses, limits.skeleton.size()));
  result.plan = in_own_axes(std::move(result.plan), limits.skeleton);
  return result;
}

Result<TeachingPlan> finished(TeachingPlan plan, const Character& character, const std::vector<bool>& may_turn) {
  keep_still(plan.plan, character.skeleton, may_turn);
  if (auto valid = validate(plan.plan, character.skeleton); !valid) return valid.error();
  plan.joints = turned_joints(plan.plan);
  plan.held_out = plan.plan.pose_count(Role::test);
  return plan;
}

}  // namespace

Result<TeachingPlan> joint_plan(const Character& character, const std::vector<bool>& may_turn, std::size_t poses) {
  auto plan = plan_of_joints(character, may_turn, poses);
  if (!plan) return plan;
  return finished(std::move(*plan), character, may_turn);
}

Result<TeachingPlan> teaching_plan(const Character& character, const std::vector<bool>& may_turn, std::size_t poses) {
  const std::size_t frames = character.clips.empty() ? 0 : 2 * poses / 5;
  auto plan = plan_of_joints(character, may_turn, poses - frames);
  if (!plan) return plan;
  if (frames > 0) plan->clips = add_clips(character, frames, plan->plan);
  return finished(std::move(*plan), character, may_turn);
}

Result<FullPlan> full_plan(const Character& character, std::size_t poses, std::size_t clip_frames) {
  auto plan = joint_plan(character, std::vector<bool>(character.skeleton.size(), true), poses);
  if (!plan) return plan.error();
  FullPlan result{std::move(*plan), {}};
  ClipPoses frames = clip_poses(character, clip_frames);
  result.plan.clips = frames.clips;
  result.plan.clip_frames = frames.poses.size();
  for (const TeachingPose& frame : frames.poses) result.plan.held_out += frame.role == Role::test;
  result.poses = std::move(frames.poses);
  std::ranges::move(teaching_poses(result.plan.plan, character), std::back_inserter(result.poses));
  if (result.poses.empty())
    return Error{"", "no joint bends this skin: there are no clips, and no joint could be turned", ""};
  std::ranges::move(mirrored_poses(character, result.poses, clip_frames / 2), std::back_inserter(result.poses));
  // Without clips, mixed poses alone say what joints do together.
  const std::size_t mixed = poses / 4 + (frames.clips > 0 ? 0 : clip_frames);
  std::ranges::move(mixed_poses(character, result.poses, mixed, taught_seed), std::back_inserter(result.poses));
  return result;
}

}  // namespace supple::workflow
