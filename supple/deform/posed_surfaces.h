// A character's surfaces in a pose, without its rig.
#pragma once

#include "supple/deform/skin.h"

namespace supple {

/// Every part as the pose leaves it, in world space, bound to nothing. Triangles of rigid parts that a node mirrors are
/// turned round, so that their outside stays outside. Tangents and morph targets are left behind.
Result<Character> posed_surfaces(const Character& character, const Pose& pose, Blend blend = Blend::linear);

}  // namespace supple
