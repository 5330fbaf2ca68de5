// What a fit comes to: whether the skin that was learnt is better than linear blend, and if not, where.
#pragma once

#include "supple/workflow/jobs/compare_skins.h"
#include "supple/workflow/jobs/fit/prepare.h"

namespace supple::workflow {

struct FitVerdict {
  bool better = true;    // than linear blend in every group of examples, and nowhere worse by volume or crossings
  std::string sentence;  // for people
  std::optional<SkinComparison> compared;
};

/// Judges errors against the examples, and poses both skins in the clips or within the limits of the joints: volume and
/// crossing triangles. Warns of what is worse, with the place and the remedy.
Result<FitVerdict> judge_fit(const Fit& fit, Work& work);

}  // namespace supple::workflow
