// What a scan of a hand is compared with: the procedural hand's bones as a template skeleton.
#pragma once

#include "supple/make/hand.h"
#include "supple/rig/bone_template.h"

namespace supple::make {

/// Bones named by their joints as WebXR has them, placed as in make_hand(): metres, palm down, fingers along -z. The
/// forearm (radius and ulna) and the carpus are compound, and their single bones listed; the wrist and the thumb's base
/// slide.
BoneTemplate hand_template(Side side);

}  // namespace supple::make
