#include "supple/rig/pose_space.h"

#include <algorithm>
#include <cmath>

#include "supple/rig/character.h"
#include "supple/rig/checks.h"

namespace supple {
namespace {

/// Files round their numbers: what is off by more was no unit vector.
/// Radians: files round their rotations, and nearer examples would be told apart by their noise.
constexpr double same_angle = 1e-3;

bool same_setting(std::span<const Quatf> a, std::span<const Quatf> b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (angle_between(Quatd(a[k]), Quatd(b[k])) > same_angle) return false;
  return true;
}

std::string name_of_example(const PoseSpace& space, const Part& part, std::size_t example) {
  if (example == 0) return "the rest shape";
  const std::string& name = part.morphs[space.first_weight - part.first_morph_weight + example - 1].name;
  return "example " + std::to_string(example) + (name.empty() ? "" : " '" + name + "'");
}

Result<void> check_joints(const PoseSpace& space, std::size_t joint_count) {
  const auto wrong = [](std::string problem) { return Error{"pose space", std::move(problem), ""}; };
  if (space.joints.empty()) return wrong("follows no joint");
  std::vector<bool> seen(joint_count);
  for (const JointIndex j : space.joints) {
    if (j >= joint_count) return wrong("follows joint " + std::to_string(j) + ", which does not exist");
    if (seen[j]) return wrong("follows joint " + std::to_string(j) + " twice");
    seen[j] = true;
  }
  if (space.reference.size() != space.joints.size() || !all_unit(space.reference))
    return wrong("needs one unit rotation per joint as its reference");
  if (space.settings.size() % space.joints.size() != 0 || !all_unit(space.settings))
    return wrong("needs one unit rotation per joint for every example");
  return {};
}

Result<void> check_examples(const PoseSpace& space, const Part& part) {
  const auto wrong = [](std::string problem, std::string remedy) {
    return Error{"pose space", std::move(problem), std::move(remedy)};
  };
  const std::size_t joints = space.joints.size();
  const auto setting = [&](std::size_t e) { return std::span(space.settings).subspan(e * joints, joints); };
  if (space.examples() < 2) return wrong("has no example besides the rest shape", "");
  if (space.examples() > PoseSpace::max_examples) {
    return wrong(
        "has " + std::to_string(space.examples()) + " examples, more than " + std::to_string(PoseSpace::max_examples),
        "choose fewer, or learn an EigenSkin, which is made for many");
  }
  if (!std::all_of(setting(0).begin(), setting(0).end(), [](const Quatf& q) { return q == Quatf{}; }))
    return wrong("has a first example that is not the reference pose", "its settings must all be the identity");
  if (space.first_weight < part.first_morph_weight ||
      space.first_weight - part.first_morph_weight + space.targets() > part.morphs.size()) {
    return wrong("has " + std::to_string(space.targets()) + " morph targets from weight " +
                     std::to_string(space.first_weight) + " on, which are not all of its part",
                 "");
  }
  for (std::size_t b = 1; b < space.examples(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!same_setting(setting(a), setting(b))) continue;
      return wrong(name_of_example(space, part, a) + " and " + name_of_example(space, part, b) + " have the same pose",
                   "leave one of them out");
    }
  }
  return {};
}

}  // namespace

PoseSpace plain(const PoseSpace& space) {
  if (space.influence == JointInfluence::equal) return space;
  PoseSpace result = space;
  result.influence = JointInfluence::equal;
  result.radius *= PoseSpace::plain_radius_factor;
  return result;
}

Result<void> validate(const PoseSpace& space, const Character& character) {
  const auto wrong = [](std::string problem) { return Error{"pose space", std::move(problem), ""}; };
  if (space.part >= character.parts.size())
    return wrong("is of part " + std::to_string(space.part) + ", which does not exist");
  const Part& part = character.parts[space.part];
  if (!part.skin) return wrong("is of part '" + part.name + "', which is not bound to joints");
  if (space.influence > JointInfluence::subtree) return wrong("has an influence of joints that is not known");
  if (!(std::isfinite(space.floor) && space.floor > 0)) return wrong("has a floor that is not > 0");
  if (!(std::isfinite(space.radius) && space.radius > 0)) return wrong("has a radius that is not > 0");
  if (!(space.ridge >= 0 && space.ridge <= 1)) return wrong("has a ridge that is not between 0 and 1");
  if (auto ok = check_joints(space, character.skeleton.size()); !ok) return ok;
  return check_examples(space, part);
}

constinit const DeformerKind pose_space_kind{
    .name = "pose space",
    .member = "poseSpace",
    .describe = describe_pose_space,
    .elsewhere = "its examples mixed alike for all vertices along the file's clips; nothing in poses of its own",
    .learnt = true,
    .teacher = "pose-space",
    .made_by = "supple fit --method wpsd makes one from examples",
    .count = [](const Character& c) { return std::size_t{c.pose_space ? 1u : 0u}; },
    .summary =
        [](const Character& c) {
          return std::to_string(c.pose_space->targets()) + " examples of part '" + c.parts[c.pose_space->part].name +
                 "', " + std::to_string(c.pose_space->joints.size()) + " joints";
        },
    .check = [](const Character& c) { return validate(*c.pose_space, c); },
    .clear = [](Character& c) { c.pose_space.reset(); },
    .moved =
        [](const Character& c) {
          std::vector<MovedWeights> result;
          if (c.pose_space)
            result.push_back(
                {"pose space", c.pose_space->first_weight, static_cast<std::uint32_t>(c.pose_space->targets())});
          return result;
        },
    .renumber =
        [](Character& c, std::span<const std::uint32_t> place) {
          if (c.pose_space) c.pose_space->first_weight = place[c.pose_space->first_weight];
        }};

}  // namespace supple
