// Poses in which all joints of a rig turn at once, as hands do: grips, pinches, pointing, spreading.
#pragma once

#include <span>

#include "supple/base/rng.h"
#include "supple/rig/uncrowded_draw.h"

namespace supple {

/// Adds sweeps of `poses_per_sweep` poses from rest to a grip, `poses` in all, at most that many more than asked for.
/// Joints that hang in a row without a branch, as those of a finger, bend together, each about the degree of freedom
/// that has most way; kinds take turns: all rows, two of them, all but one, and none but spread. Their tags are "grip"
/// and the kind. Rigs of fewer than two rows get none.
void add_grip_sweeps(std::span<const PlannedJoint> joints, const UncrowdedDraw& draw, Role role, int poses, Rng rng,
                     PosePlan& plan);

}  // namespace supple
