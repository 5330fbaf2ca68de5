// Whether a deformer does the skin good: with it and without.
#pragma once

#include "supple/workflow/jobs/compare_skins.h"

namespace supple::workflow {

/// Poses the character with all that it carries and without this kind of deformer, see comparison_poses(). Nothing,
/// with a warning, where no joint bends any skin; warnings with `remedy` where the skin comes out worse with the
/// deformer.
Result<std::optional<SkinComparison>> compare_deformer(const Character& character, const DeformerKind& kind,
                                                       const CompareOptions& options, const std::string& remedy,
                                                       Work& work);

/// That there was nothing to compare in.
void warn_of_no_poses(const std::string& what, Work& work);

}  // namespace supple::workflow
