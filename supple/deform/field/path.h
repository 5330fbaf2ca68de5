// The way from the rest pose to a pose: every joint turns on one screw, all at once (section 4.1). What the flow
// follows.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/field/table.h"
#include "supple/rig/pose.h"

namespace supple {

/// How one joint moves what hangs on it, at a moment: v(p) = rate axis x (p - center) + shift, per unit of the way.
struct JointMotion {
  JointIndex joint = no_joint;
  Vec3d axis{};     // unit
  double rate = 0;  // radians
  Vec3d center{};   // the joint itself
  Vec3d shift{};    // metres
  double alpha = 0.5, beta = 0.5;
};

/// A moment of the way, at l in [0, 1].
struct FieldMoment {
  std::vector<Affined> joints;       // #joints: from rest space to where the joint has carried it
  std::vector<JointMotion> motions;  // of the joints that move
};

/// Made once for a table; set() does not allocate.
class FieldPath {
 public:
  explicit FieldPath(const FieldTable& table);

  /// `world`: the joints in the pose. Scales of the pose are not followed (see PoseScale). `steps`: 0 for as many as
  /// the table asks for.
  void set(const FieldTable& table, std::span<const Affinef> world, std::size_t steps = 0);

  std::size_t steps() const { return steps_; }
  /// Beginnings and ends of steps are even, their middles odd: 2 * steps + 1.
  const FieldMoment& moment(std::size_t i) const { return moments_[i]; }
  /// How much of the way step k is.
  double size_of_step(std::size_t k) const { return times_[2 * k + 2] - times_[2 * k]; }
  /// What the common joint does to everything at the end.
  const Affined& after() const { return after_; }
  /// The largest angle that a joint turns by.
  double angle() const { return angle_; }

  static constexpr std::size_t max_steps = 64;

 private:
  struct Screw {
    Vec3d angular{}, linear{};  // the twist of the joint's motion in rest space, the parent at rest
    Vec3d axis{};
    double angle = 0, alpha = 0.5, beta = 0.5;
    bool moves = false;
  };
  void set_moment(const FieldTable& table, double l, FieldMoment& moment) const;

  std::vector<Affined> carried_;  // #joints: from rest space to the pose
  std::vector<Screw> screws_;     // #joints
  std::vector<FieldMoment> moments_;
  std::vector<double> times_;  // l of each moment
  Affined after_;
  std::size_t steps_ = 1;
  double angle_ = 0;
};

/// How much of a turn's volume is kept, and how: the animator's curve, or by how the axis stands to the bone. Bends
/// share it out evenly between both terms, twists need only the second.
struct VolumeShares {
  double alpha = 0.5, beta = 0.5;
};
VolumeShares volume_shares(std::span<const VolumeKey> curve, double angle, Vec3d axis, Vec3d bone);

}  // namespace supple
