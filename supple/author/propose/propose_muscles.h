// Where a rig could have muscles: a first set, to be edited.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// An ellipsoid along every limb or stretch of the trunk with enough flesh about it, the largest first; see
/// propose_flesh(). They do not sag in the rest pose, and move the skin of their limb and of its neighbours. The error
/// says that there is no skin, or nothing with enough flesh.
Result<std::vector<VortexMuscle>> propose_muscles(const Character& character, std::size_t most = 12,
                                                  const Hardness& hardness = {});

}  // namespace supple
