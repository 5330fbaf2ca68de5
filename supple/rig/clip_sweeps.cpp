#include "supple/rig/clip_sweeps.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "supple/rig/planned_joint.h"

namespace supple {
namespace {

constexpr double same_rotation = 1e-3;  // radians: what rounding to hundredths of a degree may lose
constexpr double same_degrees = 0.05;   // frames that differ by less in every angle are one pose

/// Joints that a clip turns, without those that carry everything: a plan has no use for the way of the root.
std::vector<JointIndex> turned_by(const Clip& clip, const Skeleton& skeleton) {
  std::vector<JointIndex> result;
  for (const Track& track : clip.tracks)
    if (track.channel == Channel::rotation && skeleton.parent(track.target) != no_joint) result.push_back(track.target);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Clips of real files may have no name, or that of another one.
std::string unique_name(const Clip& clip, const PosePlan& plan) {
  const std::string name = clip.name.empty() ? "clip" : clip.name;
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(plan.sweeps.begin(), plan.sweeps.end(), [&](const Sweep& s) { return s.name == wanted; });
  };
  if (!taken(name)) return name;
  for (int number = 2;; ++number)
    if (const std::string next = name + " " + std::to_string(number); !taken(next)) return next;
}

bool nearly_equal(const PlannedPose& a, const PlannedPose& b) {
  constexpr float near = static_cast<float>(same_degrees * std::numbers::pi / 180);
  return a.angles.size() == b.angles.size() &&
         std::equal(a.angles.begin(), a.angles.end(), b.angles.begin(), [](const JointAngles& x, const JointAngles& y) {
           return x.joint == y.joint && x.dof == y.dof && std::abs(x.radians - y.radians) < near;
         });
}

}  // namespace

Vec3d own_angles(Quatd r) {
  const Vec3d x = rotate(r, Vec3d{1, 0, 0}), y = rotate(r, Vec3d{0, 1, 0}), z = rotate(r, Vec3d{0, 0, 1});
  const Vec3d angles{std::atan2(-z.y, z.z), std::asin(std::clamp(z.x, -1.0, 1.0)), std::atan2(-y.x, x.x)};
  // The same rotation has a second set of angles: beyond a quarter turn about y it is the one that turns less.
  const auto half_turn_back = [](double angle) {
    return angle > 0 ? angle - std::numbers::pi : angle + std::numbers::pi;
  };
  const double other_y = (angles.y < 0 ? -std::numbers::pi : std::numbers::pi) - angles.y;
  const Vec3d other{half_turn_back(angles.x), other_y, half_turn_back(angles.z)};
  return dot(other, other) < dot(angles, angles) ? other : angles;
}

PlannedPose planned_pose(const Skeleton& skeleton, const Pose& pose, std::span<const JointIndex> joints) {
  PlannedPose result;
  constexpr const char* axes[] = {"x", "y", "z"};
  for (const JointIndex j : joints) {
    const Vec3d angles = own_angles(conjugate(Quatd(skeleton.rest(j).rotation)) * Quatd(pose.local[j].rotation));
    for (std::size_t a = 0; a < 3; ++a) {
      const double degrees = rounded(angles[a] * 180 / std::numbers::pi);
      if (degrees != 0) result.angles.push_back(turn(skeleton.name(j), axes[a], degrees));
    }
  }
  return result;
}

bool is_same_pose(const PlannedPose& planned, const Skeleton& skeleton, const Pose& pose,
                  std::span<const JointIndex> joints) {
  const Pose back = pose_of(planned, skeleton);
  return std::all_of(joints.begin(), joints.end(), [&](JointIndex j) {
    return angle_between(Quatd(pose.local[j].rotation), Quatd(back.local[j].rotation)) < same_rotation;
  });
}

Result<void> add_clip_sweeps(const Character& character, const Clip& clip, const ClipSweepOptions& options,
                             PosePlan& plan) {
  const Skeleton& skeleton = character.skeleton;
  const std::vector<JointIndex> joints = turned_by(clip, skeleton);
  const std::string name = unique_name(clip, plan);
  std::vector<PlannedPose> poses;
  const auto frames = static_cast<std::size_t>(std::floor(double{clip.duration()} / options.every + 1e-6)) + 1;
  for (std::size_t f = 0; f < frames; ++f) {
    const double t = static_cast<double>(f) * options.every;
    const Pose pose = character.at(clip, clip.start() + static_cast<float>(t));
    PlannedPose planned = planned_pose(skeleton, pose, joints);
    if (!is_same_pose(planned, skeleton, pose, joints))
      return Error{"clip '" + clip.name + "'", "turns a joint whose degrees of freedom have names of axes",
                   "rename its degrees of freedom"};
    if (planned.angles.empty() || (!poses.empty() && nearly_equal(planned, poses.back()))) continue;
    char time[32];
    std::snprintf(time, sizeof time, "@%.3fs", t);
    planned.name = name + time;
    planned.tags = {"clip"};
    planned.role = f % static_cast<std::size_t>(options.test_every) == 0 ? Role::test : Role::train;
    poses.push_back(std::move(planned));
  }
  if (poses.empty()) return Error{"clip '" + clip.name + "'", "turns no joint", "name another clip"};
  for (std::size_t p = 0; options.test_every > 1 && p < poses.size(); ++p) {
    if (options.unseen_third && 3 * p >= 2 * poses.size()) {
      poses[p].role = Role::test;
      poses[p].tags.push_back("unseen");
    } else if (poses[p].role == Role::test) {
      poses[p].tags.push_back("between");
    }
  }
  plan.sweeps.push_back({name, std::move(poses)});
  return {};
}

}  // namespace supple
