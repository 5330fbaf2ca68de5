// Legs of the procedural body from where its feet are: feet that roll over the ground, and hips and knees that follow.
#pragma once

#include "supple/make/figure_anatomy.h"
#include "supple/rig/pose.h"

namespace supple::make {

/// Where a foot is, seen from the side.
struct Footing {
  double y = landmark::ankle.y, z = landmark::ankle.z;  // of the ankle, metres
  double pitch = 0;                                     // radians, toes up
};

/// The foot on the ground: flat, its ankle is at `z`; pitched, it has rolled from there over its heel or its toes.
Footing on_ground(double z, double pitch);

/// Bends hip, knee and ankle so that the foot gets there, as far as the leg reaches; it stays at its rest distance from
/// the middle plane. The pose of the hips must already be set.
void place_foot(Pose& pose, const Skeleton& skeleton, BodySide side, const Footing& footing);

}  // namespace supple::make
