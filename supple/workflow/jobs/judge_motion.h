// What a skin does in a motion that it was not made for, beside linear blend, frame by frame.
#pragma once

#include "supple/workflow/jobs/compare_skins.h"

namespace supple::workflow {

struct JudgedMotion {
  SkinComparison compared;         // one pose a frame
  std::vector<std::size_t> worse;  // frames in which the skin is worse to look at than by linear blend; rising
  /// Of those frames, the one in which the skin is torn most, or else stretched most beside linear blend.
  std::size_t worst = 0;
};

/// Plays the clip as a plain player does. A frame is worse where something is torn, parted, open or folded that is not
/// by linear blend, or where edges are stretched more: a tenth more, and by half a hundredth of their lengths. That
/// counts without flesh alone, which swings on purpose. Warns of such frames, and of what compare_skins() finds.
/// Nothing where the character carries nothing but skin weights.
Result<std::optional<JudgedMotion>> judge_motion(const Character& character, std::size_t clip, Work& work);

}  // namespace supple::workflow
