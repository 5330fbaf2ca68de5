// Compares a skin with linear blend, frame by frame, in a motion that it was not trained for.
#pragma once

#include "supple/workflow/jobs/compare_skins.h"

namespace supple::workflow {

struct JudgedMotion {
  SkinComparison compared;         // one pose a frame
  std::vector<std::size_t> worse;  // frames in which the skin is worse to look at than by linear blend; rising
  /// The worse frame with most tears; among equals the one stretched most beside linear blend.
  std::size_t worst = 0;
};

/// Plays the clip as a plain player does. A frame is worse where something is torn, parted, open or folded that is not
/// by linear blend, or where edges are stretched more: a tenth more, and by half a hundredth of their lengths. That
/// counts without flesh alone, which swings on purpose. Warns of such frames, and of what compare_skins() finds.
/// Nothing where the character carries nothing but skin weights.
Result<std::optional<JudgedMotion>> judge_motion(const Character& character, std::size_t clip, Work& work);

}  // namespace supple::workflow
