// Tissue for a rig that has none: an ellipsoid along every bone, to be edited.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// In units of the flesh's usual depth over the bone.
struct TissueOptions {
  double thickness = 3;  // across: below 2 sharp bends blow up, above 4 limbs stop short of their pose
  double overlap = 2;    // beyond a joint
  double tip = 5;        // beyond the end of a chain: it must not soften toward its tip
};

/// One or more soft ellipsoids for each limb, named by its joint. The error says that no skin follows any joint.
Result<std::vector<TissuePrimitive>> propose_tissue(const Character& character, const TissueOptions& options = {});

}  // namespace supple
