// Poses of a clip as parts of a plan: to test a skin by what is really played, or to learn it from that.
#pragma once

#include <span>

#include "supple/rig/character.h"
#include "supple/rig/pose_plan.h"

namespace supple {

/// Angles of a rotation about its own axes, r = rx(x) ry(y) rz(z), radians.
Vec3d own_angles(Quatd rotation);
/// What joints do in a pose, as turns about their own axes: x, then y, then z.
PlannedPose planned_pose(const Skeleton& skeleton, const Pose& pose, std::span<const JointIndex> joints);
/// Whether a planned pose is that pose again, as far as these joints go: a degree of freedom may have the name of an
/// axis and be another.
bool is_same_pose(const PlannedPose& planned, const Skeleton& skeleton, const Pose& pose,
                  std::span<const JointIndex> joints);

struct ClipSweepOptions {
  double every = 0.1;  // seconds
  /// One in so many is a test pose, those between are learnt from. With 1 all are test poses, with the tag
  /// "clip"; otherwise they have the tag "between" besides.
  int test_every = 1;
  bool unseen_third = false;  // the last third are test poses all, with the tag "unseen"
};

/// Adds poses of a clip as one sweep: flesh that touches itself depends on the way, and the thumb of a fist lies
/// outside only if it came last. Joints that the clip moves but a plan cannot name are an error.
Result<void> add_clip_sweeps(const Character& character, const Clip& clip, const ClipSweepOptions& options,
                             PosePlan& plan);

}  // namespace supple
