// Joints of the procedural hand: WebXR names and orientations, degrees of freedom with limits, and a clip.
#pragma once

#include "supple/make/hand.h"
#include "supple/make/hand_anatomy.h"
#include "supple/rig/clip.h"
#include "supple/rig/skeleton.h"

namespace supple::make {

/// Anatomical space (millimetres, left) to model space (metres).
Vec3d to_model(Vec3d p, Side side);

/// forearm > wrist > the 24 other joints of WebXR. Every joint's -z points along its bone and +y to the back of the
/// hand. Angles are positive for flexion (towards the palm) and for abduction (away from the middle finger; the thumb
/// away from the palm; the middle finger and the wrist towards the thumb).
Result<Skeleton> hand_skeleton(const HandAnatomy& anatomy, Side side);

/// Closes the fingers one after another, the thumb over them, holds, and opens again.
Clip fist_clip(const Skeleton& skeleton);

}  // namespace supple::make
