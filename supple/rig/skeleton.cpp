#include "supple/rig/skeleton.h"

#include <functional>
#include <queue>
#include <unordered_set>

#include "supple/base/text.h"

namespace supple {
namespace {

std::string label(std::span<const RawJoint> joints, std::size_t i) {
  return "joint " + std::to_string(i) + (joints[i].name.empty() ? "" : " '" + joints[i].name + "'");
}

bool is_finite(const Transformf& t) {
  const Quatf& r = t.rotation;
  return supple::is_finite(t.translation) && supple::is_finite(t.scale) && std::isfinite(dot(r, r));
}

Result<void> check(std::span<const RawJoint> joints, std::size_t i) {
  const RawJoint& joint = joints[i];
  if (joint.parent && *joint.parent >= joints.size()) {
    return Error{label(joints, i),
                 "names parent " + std::to_string(*joint.parent) + " of " + std::to_string(joints.size()),
                 "parents are numbered within the same list"};
  }
  if (!is_finite(joint.rest)) return Error{label(joints, i), "has a rest transform that is not finite", ""};
  if (dot(joint.rest.rotation, joint.rest.rotation) < 1e-12f) {
    return Error{label(joints, i), "has a rest rotation of length zero", "use (0, 0, 0, 1) for none"};
  }
  if (joint.dofs.size() > 3) {
    return Error{label(joints, i), "has " + std::to_string(joint.dofs.size()) + " degrees of freedom",
                 "a rotation has at most three"};
  }
  for (const Dof& dof : joint.dofs) {
    const std::string item = label(joints, i) + ", degree of freedom '" + dof.name + "'";
    if (!(std::abs(length(dof.axis) - 1) < 1e-3f)) return Error{item, "has an axis that is not a unit vector", ""};
    if (!(dof.min <= dof.max)) return Error{item, "has its limits in the wrong order", "min <= max, in radians"};
  }
  return {};
}

}  // namespace

std::vector<JointIndex> Skeleton::children(JointIndex j) const {
  std::vector<JointIndex> result;
  for (JointIndex k = j + 1; k < size(); ++k) {
    if (parents_[k] == j) result.push_back(k);
  }
  return result;
}

JointIndex Skeleton::append(std::string name, JointIndex parent, const Transformf& rest) {
  const auto number = "#" + std::to_string(size());
  given_names_.push_back(name);
  if (name.empty()) name = number;
  while (find(name)) name += number;
  names_.push_back(std::move(name));
  parents_.push_back(parent);
  rest_.push_back(rest);
  dofs_.emplace_back();
  return static_cast<JointIndex>(size() - 1);
}

std::optional<JointIndex> Skeleton::find(std::string_view name) const {
  for (JointIndex j = 0; j < size(); ++j) {
    if (names_[j] == name) return j;
  }
  return std::nullopt;
}

Result<JointIndex> Skeleton::require(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  std::string remedy = did_you_mean(name, names_);
  if (remedy.empty()) remedy = "the skeleton has " + std::to_string(size()) + " joints; inspect lists them";
  return Error{"joint '" + std::string(name) + "'", "is not in the skeleton", remedy};
}

bool Skeleton::is_ancestor(JointIndex ancestor, JointIndex j) const {
  while (j != no_joint && j > ancestor) j = parents_[j];
  return j == ancestor;
}

std::vector<std::string> unique_joint_names(std::span<const RawJoint> joints) {
  std::vector<std::string> names(joints.size());
  std::unordered_set<std::string> taken;
  const auto keep_names = [&](bool in_skin) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (joints[i].in_skin == in_skin && !joints[i].name.empty() && taken.insert(joints[i].name).second)
        names[i] = joints[i].name;
    }
  };
  keep_names(true);
  keep_names(false);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!names[i].empty()) continue;
    const std::string number = "#" + std::to_string(i);
    names[i] = joints[i].name + number;
    while (!taken.insert(names[i]).second) names[i] += number;  // some joint is called "#5" by its file
  }
  return names;
}

Result<BuiltSkeleton> build_skeleton(std::span<const RawJoint> joints) {
  if (joints.size() >= no_joint) return Error{"skeleton", "has too many joints", ""};
  std::vector<std::vector<std::uint32_t>> children(joints.size());
  // Always taking the smallest ready number keeps a list that is already sorted as it is.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (auto ok = check(joints, i); !ok) return ok.error();
    if (joints[i].parent) {
      children[*joints[i].parent].push_back(i);
    } else {
      ready.push(i);
    }
  }

  const std::vector<std::string> names = unique_joint_names(joints);
  BuiltSkeleton built;
  Skeleton& s = built.skeleton;
  built.remap.to_joint.assign(joints.size(), no_joint);
  while (!ready.empty()) {
    const std::uint32_t i = ready.top();
    ready.pop();
    built.remap.to_joint[i] = static_cast<JointIndex>(s.size());
    built.remap.to_source.push_back(i);
    s.names_.push_back(names[i]);
    s.given_names_.push_back(joints[i].name);
    s.parents_.push_back(joints[i].parent ? built.remap.to_joint[*joints[i].parent] : no_joint);
    s.rest_.push_back(joints[i].rest);
    s.rest_.back().rotation = normalized(joints[i].rest.rotation);
    s.dofs_.push_back(joints[i].dofs);
    for (const std::uint32_t child : children[i]) ready.push(child);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (built.remap.to_joint[i] == no_joint) {
      return Error{label(joints, i), "is its own ancestor or hangs below such a joint", "a skeleton is a tree"};
    }
  }
  return built;
}

}  // namespace supple
