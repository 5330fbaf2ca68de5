#include "supple/workflow/jobs/comparison_poses.h"

#include <fmt/core.h>

#include <algorithm>

#include "supple/author/bake/play_muscles.h"
#include "supple/deform/vortex/table.h"
#include "supple/rig/guessed_limits.h"

namespace supple::workflow {
namespace {

constexpr std::size_t enough_poses = 60;

/// A pose of the first character for the second: what it has more stays at rest.
Pose for_second(const Pose& pose, const Character& after) {
  Pose other = after.rest();
  std::copy(pose.local.begin(), pose.local.end(), other.local.begin());
  const std::size_t weights = std::min(pose.morph_weights.size(), other.morph_weights.size());
  std::copy_n(pose.morph_weights.begin(), weights, other.morph_weights.begin());
  return other;
}

/// The muscles' states along each clip of the second character; none where it has no muscles, or where a clip cannot be
/// played.
std::vector<VortexTake> muscle_takes(const Character& after) {
  std::vector<VortexTake> takes(after.clips.size());
  if (!after.kinodynamics || after.kinodynamics->muscles.empty()) return takes;
  const auto table = build_vortex_table(after);
  for (std::size_t i = 0; table && i < takes.size(); ++i)
    if (auto take = play_muscles(after, *table, after.clips[i])) takes[i] = std::move(*take);
  return takes;
}

std::vector<Vec3f> muscles_at(const VortexTake& take, float seconds) {
  if (take.times.empty()) return {};
  const auto next = std::lower_bound(take.times.begin(), take.times.end(), seconds);
  return take
      .vorticity[std::min<std::size_t>(static_cast<std::size_t>(next - take.times.begin()), take.times.size() - 1)];
}

/// As many moments of each clip, from its start to its end.
std::vector<ComparedMoment> moments_of_clips(const Character& before, const Character& after) {
  std::vector<ComparedMoment> moments;
  const std::vector<VortexTake> takes = muscle_takes(after);
  const std::size_t each = std::max<std::size_t>(2, enough_poses / std::max<std::size_t>(1, before.clips.size()));
  for (std::size_t k = 0; k < before.clips.size(); ++k) {
    const Clip& clip = before.clips[k];
    const bool shared = k < after.clips.size() && after.clips[k].name == clip.name;
    const std::size_t count = clip.duration() > 0 ? each : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const float share = count > 1 ? static_cast<float>(i) / static_cast<float>(count - 1) : 0.0f;
      const float seconds = clip.start() + share * clip.duration();
      const std::string clip_name = clip.name.empty() ? fmt::format("clip {}", k) : clip.name;
      ComparedMoment moment{fmt::format("{} at {:.2f} s", clip_name, seconds), before.at(clip, seconds), {}};
      moment.after = shared ? after.at(after.clips[k], seconds) : for_second(moment.before, after);
      if (shared) moment.muscles = muscles_at(takes[k], seconds);
      moment.plays = true;
      moments.push_back(std::move(moment));
    }
  }
  return moments;
}

}  // namespace

Result<ComparisonPoses> comparison_poses(const Character& before, const Character& after) {
  ComparisonPoses poses{PoseSource::clips, moments_of_clips(before, after)};
  if (!poses.moments.empty()) return poses;
  LimitsInUse limits = limits_in_use(before);
  poses.source = limits.source == LimitSource::rig       ? PoseSource::limits
                 : limits.source == LimitSource::anatomy ? PoseSource::anatomy
                                                         : PoseSource::shape;
  if (limits.joints == 0) return poses;
  if (poses.source == PoseSource::anatomy) narrow_limits(limits.skeleton);
  PlanOptions options;
  if (poses.source != PoseSource::limits) {  // what was guessed is not trusted for several joints at once
    options.grips = options.held_out_grips = options.held_out_random = 0;
    options.off_axis = false;
  }
  const auto plan = make_plan(limits.skeleton, options);
  if (!plan) return plan.error();
  const std::size_t all = plan->pose_count(),
                    stride = std::max<std::size_t>(1, (all + enough_poses - 1) / enough_poses);
  std::vector<ComparedMoment> every = comparison_poses(before, after, in_own_axes(*plan, limits.skeleton)).moments;
  for (std::size_t i = 0; i < every.size(); i += stride) poses.moments.push_back(std::move(every[i]));
  return poses;
}

ComparisonPoses comparison_poses(const Character& before, const Character& after, const PosePlan& plan) {
  ComparisonPoses poses{PoseSource::plan, {}};
  for (const Sweep& sweep : plan.sweeps) {
    for (const PlannedPose& planned : sweep.poses) {
      Pose pose = pose_of(planned, before.skeleton);
      pose.morph_weights = before.morph_weights;
      Pose second = for_second(pose, after);
      second.morph_weights = after.morph_weights;
      poses.moments.push_back({planned.name, std::move(pose), std::move(second)});
    }
  }
  return poses;
}

}  // namespace supple::workflow
