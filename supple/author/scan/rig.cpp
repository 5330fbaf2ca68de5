// A skeleton from what the scans say about joints, and the scans as poses of it.
#include <algorithm>
#include <cmath>

#include "supple/author/scan/joints.h"
#include "supple/base/angle.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

// A hinge's measured axis is taken where turns agree with each other and with the template about it.
constexpr double agreeing_turns = 15 * degree, agreeing_template = 25 * degree;

/// The bone's axes, turned by as little as brings the axis of a hinge onto the measured one.
Mat3d joint_axes(const ScanBone& bone, const JointEstimate& joint) {
  if (bone.dofs.size() != 1 || bone.slides || squared_length(joint.axis) == 0) return bone.axes;
  const Vec3d expected = normalized(bone.axes * Vec3d(bone.dofs[0].axis));
  const Vec3d measured = dot(expected, joint.axis) < 0 ? -joint.axis : joint.axis;
  const bool agrees = joint.axis_spread < agreeing_turns && dot(expected, measured) > std::cos(agreeing_template);
  return agrees ? to_matrix(rotation_between(expected, measured)) * bone.axes : bone.axes;
}

Transformf rigid(const Affined& m) {
  Transformf t;
  t.translation = Vec3f(m.translation);
  t.rotation = normalized(Quatf(normalized(from_matrix(m.linear))));
  return t;
}

/// Local transforms that bring every joint where `wanted` says. Each is computed against where its parent comes to lie
/// in floats, so that rounding does not add up along a chain.
std::vector<Transformf> locals(std::span<const std::optional<std::size_t>> parents, std::span<const Affined> wanted) {
  std::vector<Transformf> result;
  std::vector<Affinef> world;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    result.push_back(rigid(parents[j] ? inverse(Affined(world[*parents[j]])) * wanted[j] : wanted[j]));
    const Affinef local = result.back().affine();
    world.push_back(parents[j] ? world[*parents[j]] * local : local);
  }
  return result;
}

Error wrong_count(const std::string& what, std::size_t found, std::size_t bones) {
  return Error{what, std::to_string(found) + " for " + std::to_string(bones) + " bones",
               "make both from the same bones"};
}

}  // namespace

Result<ScanRig> build_rig(std::span<const ScanBone> bones, std::span<const JointEstimate> joints,
                          std::span<const BoneTemplate::End> ends, std::span<const Alignment> scans) {
  if (joints.size() != bones.size()) return wrong_count("joints", joints.size(), bones.size());
  for (const Alignment& scan : scans) {
    if (scan.bones.size() != bones.size()) return wrong_count("alignment", scan.bones.size(), bones.size());
  }
  std::vector<Affined> rest;  // world, base scan
  std::vector<std::optional<std::size_t>> parents;
  std::vector<RawJoint> raw;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const bool root = bones[b].parent == TemplateBone::none;
    if (!root && bones[b].parent >= b) return Error{bones[b].name, "comes before its parent", "list parents first"};
    rest.push_back({joint_axes(bones[b], joints[b]), joints[b].centre});
    parents.push_back(root ? std::nullopt : std::optional<std::size_t>(bones[b].parent));
    raw.push_back({bones[b].name, parents.back(), {}, bones[b].dofs});
  }
  for (const BoneTemplate::End& end : ends) {
    if (end.parent >= bones.size()) return Error{end.joint, "hangs on a bone that is not there", ""};
    rest.push_back({rest[end.parent].linear, end.at});
    parents.push_back(end.parent);
    raw.push_back({end.joint, parents.back(), {}, {}});
  }
  const std::vector<Transformf> rest_local = locals(parents, rest);
  for (std::size_t j = 0; j < raw.size(); ++j) raw[j].rest = rest_local[j];
  Result<BuiltSkeleton> built = build_skeleton(raw);
  if (!built) return built.error();

  ScanRig rig;
  const std::vector<JointIndex>& to_joint = built->remap.to_joint;
  rig.joint.assign(to_joint.begin(), to_joint.begin() + static_cast<std::ptrdiff_t>(bones.size()));
  const std::vector<Affinef> rest_world = to_world(built->skeleton, rest_pose(built->skeleton));
  for (const Alignment& scan : scans) {
    std::vector<Affined> wanted;
    for (std::size_t j = 0; j < raw.size(); ++j) {
      const std::size_t bone = j < bones.size() ? j : *parents[j];
      wanted.push_back(scan.bones[bone].motion * Affined(rest_world[to_joint[j]]));
    }
    const std::vector<Transformf> local = locals(parents, wanted);
    Pose pose = rest_pose(built->skeleton);
    for (std::size_t j = 0; j < raw.size(); ++j) pose.local[to_joint[j]] = local[j];
    for (std::size_t j = bones.size(); j < raw.size(); ++j) pose.local[to_joint[j]] = rest_local[j];
    rig.poses.push_back(std::move(pose));
  }
  // A joint that was seen to go farther than the template says goes that far.
  for (std::size_t b = 0; b < bones.size(); ++b) {
    for (const Pose& pose : rig.poses) {
      const std::vector<float> angles = get_angles(pose, built->skeleton, rig.joint[b]);
      for (std::size_t d = 0; d < angles.size(); ++d) {
        raw[b].dofs[d].min = std::min(raw[b].dofs[d].min, angles[d]);
        raw[b].dofs[d].max = std::max(raw[b].dofs[d].max, angles[d]);
      }
    }
  }
  built = build_skeleton(raw);
  if (!built) return built.error();
  rig.skeleton = std::move(built->skeleton);
  return rig;
}

std::vector<JointAngleRow> joint_angles(const ScanRig& rig, std::size_t bone) {
  std::vector<JointAngleRow> rows;
  for (const Pose& pose : rig.poses) {
    float left = 0;
    const std::vector<float> angles = get_angles(pose, rig.skeleton, rig.joint[bone], &left);
    rows.push_back({{angles.begin(), angles.end()}, left});
  }
  return rows;
}

}  // namespace supple::scan
