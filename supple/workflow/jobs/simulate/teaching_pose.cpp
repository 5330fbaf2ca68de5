#include "supple/workflow/jobs/simulate/teaching_pose.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "supple/base/angle.h"
#include "supple/base/rng.h"
#include "supple/rig/mirrored_pose.h"

namespace supple::workflow {
namespace {

constexpr double fastest = 1.0 / 60;  // seconds: no clip has more frames to show
constexpr double motion_samples_per_second = 30, most_motion_samples = 20000;  // of a clip, which may last for hours
constexpr std::size_t block = 8, held_out_from = 3;  // of eight frames the fourth and the fifth are held out
constexpr float same_angle = 0.5f * std::numbers::pi_v<float> / 180;

/// Poses that teach the same.
bool nearly_equal(const Pose& a, const Pose& b, float size) {
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    const Transformf &x = a.local[j], &y = b.local[j];
    if (angle_between(Quatd(x.rotation), Quatd(y.rotation)) > double{same_angle}) return false;
    if (length(x.translation - y.translation) > same_angle * size || length(x.scale - y.scale) > same_angle)
      return false;
  }
  return true;
}

/// How far the joints go in the clip: the length of its way through the space of all joints' angles (radians), places
/// (of the size) and scales.
double motion_of(const Character& character, const Clip& clip, double size) {
  const int steps =
      static_cast<int>(std::min(most_motion_samples, std::ceil(double{clip.duration()} * motion_samples_per_second)));
  double sum = 0;
  Pose last = character.at(clip, clip.start());
  for (int i = 1; i <= steps; ++i) {
    Pose now = character.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / static_cast<float>(steps));
    double squares = 0;
    for (std::size_t j = 0; j < now.local.size(); ++j) {
      const Transformf &x = last.local[j], &y = now.local[j];
      const double angle = angle_between(Quatd(x.rotation), Quatd(y.rotation));
      squares += angle * angle + squared_length(Vec3d(x.scale - y.scale));
      if (size > 0) squares += squared_length(Vec3d(x.translation - y.translation)) / (size * size);
    }
    sum += std::sqrt(squares);
    last = std::move(now);
  }
  return sum;
}

/// Names of the file, made unique: clips may have none, or that of another one.
std::vector<std::string> clip_names(const Character& character) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Clip& clip : character.clips) {
    const std::string name = clip.name.empty() ? "clip" : clip.name;
    std::string own = name;
    for (int number = 2; !taken.insert(own).second; ++number) own = fmt::format("{} {}", name, number);
    names.push_back(std::move(own));
  }
  return names;
}

/// The turn from rest to where a joint is, `times` as far.
Quatf turned_on(Quatf rest, Quatf now, double times) {
  Quatd turn = conjugate(Quatd(rest)) * Quatd(now);
  if (turn.w < 0) turn = Quatd{-turn.x, -turn.y, -turn.z, -turn.w};
  const Vec3d axis{turn.x, turn.y, turn.z};
  const double sine = length(axis);
  if (sine < 1e-9) return now;
  return Quatf(Quatd(rest) * from_axis_angle(axis / sine, 2 * std::atan2(sine, turn.w) * times));
}

}  // namespace

std::vector<TeachingPose> mixed_poses(const Character& character, std::span<const TeachingPose> poses,
                                      std::size_t count, std::uint64_t seed, double farther) {
  std::vector<TeachingPose> mixed;
  if (poses.empty()) return mixed;
  Rng rng(seed);
  const auto number = static_cast<std::uint32_t>(poses.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Pose &a = poses[rng.below(number)].pose, &b = poses[rng.below(number)].pose;
    Pose pose = character.rest();
    for (JointIndex j = 0; j < character.skeleton.size(); ++j) {
      const Quatf rest = character.skeleton.rest(j).rotation;
      const Quatf both = a.local[j].rotation * (conjugate(rest) * b.local[j].rotation);
      pose.local[j].rotation = turned_on(rest, i % 2 == 0 ? a.local[j].rotation : both, farther);
    }
    mixed.push_back({fmt::format("mixed {}", i + 1), "mixed", std::move(pose), Role::train, 1, {mixed_tag}});
  }
  return mixed;
}

std::vector<TeachingPose> mirrored_poses(const Character& character, std::span<const TeachingPose> poses,
                                         std::size_t count) {
  const PoseMirror mirror(character);
  std::vector<const TeachingPose*> frames;
  for (const TeachingPose& pose : poses)
    if (pose.role == Role::train && std::ranges::find(pose.tags, clip_tag) != pose.tags.end()) frames.push_back(&pose);
  std::vector<TeachingPose> mirrored;
  if (mirror.paired_joints() == 0) return mirrored;
  const std::size_t most = std::min(count, frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i * most / frames.size() == (i + 1) * most / frames.size()) continue;  // as many as are asked for, evenly
    mirrored.push_back(
        {"mirrored " + frames[i]->name, "mirrored", mirror.mirrored(frames[i]->pose), Role::train, 1, {mixed_tag}});
  }
  return mirrored;
}

std::vector<TeachingPose> teaching_poses(const PosePlan& plan, const Character& character) {
  std::vector<TeachingPose> poses;
  for (const Sweep& sweep : plan.sweeps)
    for (const PlannedPose& planned : sweep.poses) {
      Pose pose = pose_of(planned, character.skeleton);
      pose.morph_weights = character.morph_weights;
      poses.push_back({planned.name, sweep.name, std::move(pose), planned.role, planned.weight, planned.tags});
    }
  return poses;
}

ClipPoses clip_poses(const Character& character, std::size_t wanted) {
  ClipPoses result;
  std::vector<Vec3f> joints;
  for (const Affinef& world : to_world(character.skeleton, character.rest())) joints.push_back(world.translation);
  const float size = joints.empty() ? 0 : bounds(joints).diagonal();
  std::vector<double> motions;
  for (const Clip& clip : character.clips) motions.push_back(motion_of(character, clip, double{size}));
  const double all = std::accumulate(motions.begin(), motions.end(), 0.0);
  const std::vector<std::string> names = clip_names(character);
  const std::size_t fewest =
      std::clamp(3 * wanted / std::max<std::size_t>(1, character.clips.size()), std::size_t{2}, fewest_clip_frames);
  std::size_t short_clips = 0;
  for (std::size_t k = 0; k < character.clips.size(); ++k) {
    const Clip& clip = character.clips[k];
    const double duration = double{clip.duration()};
    const double share = all > 0 ? motions[k] / all : 0;
    const auto wanted_of_it = static_cast<std::size_t>(std::ceil(share * static_cast<double>(wanted)));
    const auto there_are = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(duration / fastest)));
    const std::size_t steps = duration > 0 ? std::max(std::min(wanted_of_it, there_are), fewest - 1) : 0;
    std::vector<TeachingPose> frames;
    for (std::size_t i = 0; i <= steps; ++i) {
      const double passed = steps == 0 ? 0 : static_cast<double>(i) / static_cast<double>(steps);
      const float at = clip.start() + static_cast<float>(passed * duration);
      Pose pose = character.at(clip, at);
      pose.morph_weights = character.morph_weights;
      if (!frames.empty() && nearly_equal(pose, frames.back().pose, size)) continue;
      frames.push_back(
          {fmt::format("{}@{:.3f}s", names[k], at), names[k], std::move(pose), Role::train, 1, {clip_tag}});
    }
    if (frames.size() == 1 && nearly_equal(frames[0].pose, character.rest(), size)) continue;
    const auto hold_out = [&](TeachingPose& frame) {
      frame.role = Role::test;
      frame.tags.emplace_back("between");
    };
    if (frames.size() > held_out_from + 2) {
      for (std::size_t i = 0; i < frames.size(); ++i)
        if (i % block == held_out_from || i % block == held_out_from + 1) hold_out(frames[i]);
    } else if (frames.size() > 2 && short_clips++ % 2 == 0) {
      hold_out(frames[frames.size() / 2]);
    }
    ++result.clips;
    result.poses.insert(result.poses.end(), std::make_move_iterator(frames.begin()),
                        std::make_move_iterator(frames.end()));
  }
  return result;
}

}  // namespace supple::workflow
