// Bone surfaces of the procedural hand, as distance fields in the frame of each bone (millimetres).
#pragma once

#include "supple/make/hand_anatomy.h"

namespace supple::make {

/// Signed distance to the bone, `p` in anatomical space.
double bone_field(const AnatomicalBone& bone, Vec3d p);

}  // namespace supple::make
