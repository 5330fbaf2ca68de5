// Validates and packs a pose space.
#pragma once

#include "supple/deform/pose_space/table.h"
#include "supple/rig/character.h"

namespace supple {

/// The error says what does not fit the character, or which vertex cannot tell the examples apart.
Result<PoseSpaceTable> build_pose_space_table(const Character& character, const PoseSpace& space);

}  // namespace supple
