#include "supple/workflow/jobs/compare_poses.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {
namespace {

constexpr std::size_t enough_poses = 60;

struct NamedPose {
  std::string name;
  Pose pose;
};

/// As many moments of each clip, from its start to its end.
std::vector<NamedPose> moments_of_clips(const Character& c) {
  std::vector<NamedPose> poses;
  const std::size_t each = std::max<std::size_t>(2, enough_poses / std::max<std::size_t>(1, c.clips.size()));
  for (const Clip& clip : c.clips) {
    const std::size_t count = clip.duration() > 0 ? each : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const float share = count > 1 ? static_cast<float>(i) / static_cast<float>(count - 1) : 0.0f;
      const float seconds = clip.start() + share * clip.duration();
      poses.push_back({fmt::format("{} at {:.2f} s", clip.name, seconds), c.at(clip, seconds)});
    }
  }
  return poses;
}

/// Evenly picked from the poses that a simulation would go through.
std::vector<NamedPose> poses_of_limits(const Character& c) {
  std::vector<NamedPose> poses;
  const auto plan = make_plan(c.skeleton);
  if (!plan) return poses;  // no joint has limits
  const std::size_t all = plan->pose_count(),
                    stride = std::max<std::size_t>(1, (all + enough_poses - 1) / enough_poses);
  std::size_t number = 0;
  for (const Sweep& sweep : plan->sweeps) {
    for (const PlannedPose& planned : sweep.poses) {
      if (number++ % stride != 0) continue;
      poses.push_back({planned.name, pose_of(planned, c.skeleton)});
      poses.back().pose.morph_weights = c.morph_weights;
    }
  }
  return poses;
}

Result<PosedFigures> figures_over(const Character& c, std::size_t part, Blend blend, std::span<const NamedPose> poses,
                                  Work& work) {
  auto skin = Skin::make(c, blend);  // what is to be said about the character was said when it was read
  if (!skin) return skin.error();
  const Mesh rest{{skin->positions(part).begin(), skin->positions(part).end()}, {}, c.parts[part].mesh.triangles};
  const auto test = measure::SelfIntersectionTest::make(rest);
  if (!test) return test.error();
  const bool closed = measure::closed_volume(rest).ok();
  PosedFigures figures;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto& [name, pose] = poses[i];
    if (!report(work.progress, "comparing", static_cast<double>(i) / static_cast<double>(poses.size())))
      return Error{"the comparison", "was stopped", ""};
    if (auto posed = skin->evaluate(pose); !posed) return posed.error();
    if (!measure::check_posed(rest, skin->positions(part))) {
      if (figures.broken++ == 0) figures.broken_pose = name;
      continue;
    }
    if (closed) {
      const auto volume = measure::volume_change(rest, skin->positions(part));
      if (!volume) return volume.error();
      if (!figures.worst_volume_change || std::abs(volume->relative) > std::abs(*figures.worst_volume_change)) {
        figures.worst_volume_change = volume->relative;
        figures.worst_volume_pose = name;
      }
    }
    const auto crossings = test->run(skin->positions(part), 0);
    if (!crossings) return crossings.error();
    figures.new_triangles += crossings->new_triangles;
    if (crossings->new_triangles > figures.most_new_triangles) {
      figures.most_new_triangles = crossings->new_triangles;
      figures.most_new_pose = name;
    }
  }
  return figures;
}

void warn_of_what_is_worse(const ComparedPoses& compared, const DeformerKind& kind, const std::string& remedy,
                           Work& work) {
  const PosedFigures &with = compared.with, &without = compared.without;
  if (compared.breaks_more())
    work.warnings.push_back(fmt::format("with {} some vertices are nowhere in {} of {} poses, first in '{}' ({})",
                                        kind.name, with.broken, compared.poses, with.broken_pose, remedy));
  if (compared.changes_volume_more())
    work.warnings.push_back(fmt::format("with {} the volume changes by {:+.2f} % ('{}'), without it by {:+.2f} % ({})",
                                        kind.name, *with.worst_volume_change * 100, with.worst_volume_pose,
                                        *without.worst_volume_change * 100, remedy));
  if (compared.crosses_more())
    work.warnings.push_back(fmt::format(
        "with {} {} triangles cross others that do not at rest, over {} poses (most of all '{}'), without it {} ({})",
        kind.name, with.new_triangles, compared.poses, with.most_new_pose, without.new_triangles, remedy));
}

}  // namespace

bool ComparedPoses::changes_volume_more() const {
  return with.worst_volume_change && without.worst_volume_change &&
         std::abs(*with.worst_volume_change) > std::abs(*without.worst_volume_change) + 1e-3;
}

Result<std::optional<ComparedPoses>> compare_poses(const Character& character, std::size_t part,
                                                   const DeformerKind& kind, Blend blend, const std::string& remedy,
                                                   Work& work) {
  std::vector<NamedPose> poses = moments_of_clips(character);
  const bool of_clips = !poses.empty();
  if (!of_clips) poses = poses_of_limits(character);
  if (poses.empty()) {
    work.warnings.push_back(std::string(kind.name) +
                            " was not compared with linear blend: the file has neither clips nor joint limits (supple "
                            "convert --motion puts a clip in)");
    return std::optional<ComparedPoses>();
  }
  Character plain = character;
  kind.clear(plain);
  const auto with = figures_over(character, part, blend, poses, work);
  if (!with) return with.error();
  const auto without = figures_over(plain, part, Blend::linear, poses, work);
  if (!without) return without.error();
  const ComparedPoses compared{poses.size(), of_clips, *with, *without};
  warn_of_what_is_worse(compared, kind, remedy, work);
  return std::optional(compared);
}

}  // namespace supple::workflow
