// What every plan has to fulfil, whoever wrote it, and what its poses mean for a skeleton.
#include "supple/rig/pose_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "supple/base/text.h"

namespace supple {
namespace {

std::optional<std::size_t> find_dof(const Skeleton& skeleton, JointIndex j, const std::string& name) {
  const std::span<const Dof> dofs = skeleton.dofs(j);
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    if (dofs[d].name == name) return d;
  }
  return std::nullopt;
}

/// 0, 1, 2 for "x", "y", "z".
std::optional<std::size_t> own_axis(const std::string& name) {
  if (name.size() != 1 || name[0] < 'x' || name[0] > 'z') return std::nullopt;
  return static_cast<std::size_t>(name[0] - 'x');
}

Error unknown_dof(const Skeleton& skeleton, JointIndex j, const JointAngles& a, std::string item) {
  std::vector<std::string> names;
  for (const Dof& dof : skeleton.dofs(j)) names.push_back(dof.name);
  std::string remedy = did_you_mean(a.dof, names);
  if (remedy.empty()) {
    for (const std::string& name : names) remedy += (remedy.empty() ? "it has " : ", ") + name;
    remedy += remedy.empty() ? "use its own axes x, y, z" : "; or use its own axes x, y, z";
  }
  return {std::move(item), "has no degree of freedom '" + a.dof + "'", remedy};
}

std::string degrees(double radians) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", radians * 180 / std::numbers::pi);
  return text;
}

Result<void> check(const JointAngles& a, const Skeleton& skeleton, const std::string& pose, Warnings* warnings) {
  const auto joint = skeleton.require(a.joint);
  if (!joint) return Error{pose + ", " + joint.error().item, joint.error().problem, joint.error().remedy};
  const std::string item = pose + ", joint '" + a.joint + "'";
  if (!std::isfinite(a.radians)) return Error{item, "has an angle that is not finite for '" + a.dof + "'", ""};
  const auto d = find_dof(skeleton, *joint, a.dof);
  if (!d && !own_axis(a.dof)) return unknown_dof(skeleton, *joint, a, item);
  if (!d || warnings == nullptr) return {};
  const Dof& dof = skeleton.dofs(*joint)[*d];
  constexpr float slack = 1e-3f;  // radians: files hold rounded degrees
  if (a.radians < dof.min - slack || a.radians > dof.max + slack) {
    warnings->push_back(item + ": " + a.dof + " = " + degrees(a.radians) + " degrees is beyond its limits, " +
                        degrees(dof.min) + " to " + degrees(dof.max));
  }
  return {};
}

}  // namespace

std::size_t PosePlan::pose_count() const {
  std::size_t count = 0;
  for (const Sweep& sweep : sweeps) count += sweep.poses.size();
  return count;
}

std::size_t PosePlan::pose_count(Role role) const {
  std::size_t count = 0;
  for (const Sweep& sweep : sweeps) {
    count += static_cast<std::size_t>(std::count_if(sweep.poses.begin(), sweep.poses.end(),
                                                    [&](const PlannedPose& pose) { return pose.role == role; }));
  }
  return count;
}

Result<void> validate(const PosePlan& plan, const Skeleton& skeleton, Warnings* warnings) {
  if (plan.pose_count() == 0) return Error{"pose plan", "has no poses", ""};
  std::set<std::string> sweep_names, pose_names;
  for (std::size_t s = 0; s < plan.sweeps.size(); ++s) {
    const Sweep& sweep = plan.sweeps[s];
    if (sweep.name.empty()) return Error{"sweep " + std::to_string(s), "has no name", ""};
    const std::string sweep_item = "sweep '" + sweep.name + "'";
    if (!sweep_names.insert(sweep.name).second) return Error{sweep_item, "occurs twice", "give each its own name"};
    if (sweep.poses.empty()) return Error{sweep_item, "has no poses", "take it out of the plan"};
    for (std::size_t p = 0; p < sweep.poses.size(); ++p) {
      const PlannedPose& pose = sweep.poses[p];
      if (pose.name.empty()) return Error{sweep_item + ", pose " + std::to_string(p), "has no name", ""};
      const std::string item = sweep_item + ", pose '" + pose.name + "'";
      if (!pose_names.insert(pose.name).second) return Error{item, "occurs twice", "give each its own name"};
      if (!(pose.weight > 0) || !std::isfinite(pose.weight)) {
        return Error{item, "has a weight that is not positive", "take the pose out of the plan instead"};
      }
      std::set<std::pair<std::string, std::string>> turned;
      for (const JointAngles& a : pose.angles) {
        if (auto ok = check(a, skeleton, item, warnings); !ok) return ok;
        if (!turned.emplace(a.joint, a.dof).second) {
          return Error{item + ", joint '" + a.joint + "'", "is given '" + a.dof + "' twice", "keep one of them"};
        }
      }
    }
  }
  return {};
}

Pose pose_of(const PlannedPose& planned, const Skeleton& skeleton) {
  Pose pose = rest_pose(skeleton);
  std::map<JointIndex, std::vector<float>> angles;
  for (const JointAngles& a : planned.angles) {
    const auto j = skeleton.find(a.joint);
    const auto d = j ? find_dof(skeleton, *j, a.dof) : std::nullopt;
    if (!d) continue;
    std::vector<float>& of_joint = angles.try_emplace(*j, skeleton.dofs(*j).size(), 0.0f).first->second;
    of_joint[*d] = a.radians;
  }
  for (const auto& [j, of_joint] : angles) set_angles(pose, skeleton, j, of_joint);
  for (const JointAngles& a : planned.angles) {
    const auto j = skeleton.find(a.joint);
    const auto axis_number = own_axis(a.dof);
    if (!j || !axis_number || find_dof(skeleton, *j, a.dof)) continue;
    Vec3f axis{};
    axis[*axis_number] = 1;
    pose.local[*j].rotation = normalized(pose.local[*j].rotation * from_axis_angle(axis, a.radians));
  }
  return pose;
}

double length(const Sweep& sweep) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, double> before;
  double total = 0;
  for (const PlannedPose& pose : sweep.poses) {
    std::map<Key, double> now;
    for (const JointAngles& a : pose.angles) now[{a.joint, a.dof}] = a.radians;
    double largest = 0;
    for (const auto& [key, angle] : now) {
      const auto found = before.find(key);
      largest = std::max(largest, std::abs(angle - (found == before.end() ? 0 : found->second)));
    }
    for (const auto& [key, angle] : before) {
      if (!now.contains(key)) largest = std::max(largest, std::abs(angle));
    }
    total += largest;
    before = std::move(now);
  }
  return total;
}

}  // namespace supple
