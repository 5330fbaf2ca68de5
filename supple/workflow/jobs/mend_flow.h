// Kinodynamics that are never worse than linear blend: where the flow or the muscles do harm, they step back.
#pragma once

#include "supple/workflow/jobs/compare_skins.h"

namespace supple::workflow {

struct MendedFlow {
  SkinComparison comparison;      // of what is left
  std::vector<std::string> told;  // what was changed, in sentences
};

/// Compares the flow of the character with the linear blend of `plain`, the same without kinodynamics. Where it is
/// worse by volume or crossing triangles, muscles are left out whose absence helps, and the skin of the joints where it
/// is worse gets a smaller share of the flow, at last none: then it is linear blend. Nothing where no joint bends any
/// skin.
Result<std::optional<MendedFlow>> mend_flow(const Character& plain, Character& character, Work& work);

}  // namespace supple::workflow
