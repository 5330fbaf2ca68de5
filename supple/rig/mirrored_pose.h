// The pose in which left and right do what the other side does.
#pragma once

#include <vector>

#include "supple/rig/anatomy.h"
#include "supple/rig/pose.h"

namespace supple {

/// Mirrors poses of one character, about the plane between its left and its right joints in the pose of binding. Joints
/// on the middle are mirrored themselves; those with neither side keep their turns.
class PoseMirror {
 public:
  explicit PoseMirror(const Character& character);

  /// Joints that have one on the other side; 0: left and right are not known, and every pose is its own mirror image.
  std::size_t paired_joints() const { return paired_; }
  /// Joints are where they are at rest but for their turns.
  Pose mirrored(const Pose& pose) const;

 private:
  const Character* character_;
  std::vector<JointIndex> source_;  // #joints: whose turn, mirrored, a joint takes; no_joint: it keeps its own
  std::vector<Quatd> bound_;        // #joints: rotations in the world when the skin was bound
  Vec3d across_{};                  // from right to left, of length 1
  std::size_t paired_ = 0;
};

}  // namespace supple
