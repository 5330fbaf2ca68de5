#include "supple/rig/mirrored_pose.h"

#include <cmath>

#include "supple/geometry/mesh.h"
#include "supple/rig/bind_pose.h"

namespace supple {
namespace {

constexpr double near_the_middle = 0.02;  // of the size: joints that have no other side

std::vector<Quatd> world_rotations(const Skeleton& skeleton, const std::vector<Transformf>& local) {
  std::vector<Quatd> world(skeleton.size());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j);
    const Quatd own(local[j].rotation);
    world[j] = parent == no_joint ? own : world[parent] * own;
  }
  return world;
}

double size_of(std::span<const Affinef> world) {
  std::vector<Vec3f> places;
  for (const Affinef& joint : world) places.push_back(joint.translation);
  return double{bounds(places).diagonal()};
}

/// The same turn in a mirror whose normal is `n`: the axis of a rotation is mirrored the other way round, as it is no
/// place but a sense of turning.
Quatd mirrored_turn(const Quatd& turn, const Vec3d& n) {
  const Vec3d axis{turn.x, turn.y, turn.z};
  const Vec3d other = n * (2 * dot(n, axis)) - axis;
  return {other.x, other.y, other.z, turn.w};
}

}  // namespace

PoseMirror::PoseMirror(const Character& character)
    : character_(&character), source_(character.skeleton.size(), no_joint) {
  const Anatomy anatomy = anatomy_of(character);
  Pose bound = character.rest();
  bound.local = bind_pose(character);
  bound_ = world_rotations(character.skeleton, bound.local);
  const std::vector<Affinef> world = to_world(character.skeleton, bound);
  Vec3d middle{};
  for (JointIndex j = 0; j < source_.size(); ++j) {
    const JointAnatomy& joint = anatomy.joints[j];
    if (joint.mirror == no_joint) continue;
    source_[j] = joint.mirror;
    ++paired_;
    const Vec3d own(world[j].translation), other(world[joint.mirror].translation);
    middle += own;
    if (joint.side == BodySide::left) across_ += own - other;
  }
  if (!(length(across_) > 0)) {
    paired_ = 0;
    return;
  }
  across_ = normalized(across_);
  middle = middle / static_cast<double>(paired_);
  for (JointIndex j = 0; j < source_.size(); ++j)
    if (source_[j] == no_joint &&
        std::abs(dot(across_, Vec3d(world[j].translation) - middle)) < near_the_middle * size_of(world))
      source_[j] = j;
}

Pose PoseMirror::mirrored(const Pose& pose) const {
  if (paired_ == 0) return pose;
  const Skeleton& skeleton = character_->skeleton;
  const std::vector<Quatd> posed = world_rotations(skeleton, pose.local);
  Pose result = character_->rest();
  std::vector<Quatd> world(skeleton.size());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j), from = source_[j];
    const Quatd above = parent == no_joint ? Quatd() : world[parent];
    world[j] = from == no_joint ? above * Quatd(pose.local[j].rotation)
                                : mirrored_turn(posed[from] * conjugate(bound_[from]), across_) * bound_[j];
    result.local[j].rotation = Quatf(normalized(conjugate(above) * world[j]));
  }
  return result;
}

}  // namespace supple
