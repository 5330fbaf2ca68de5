// A motion and the character that it was applied to, side by side.
#pragma once

#include "supple/render/image.h"
#include "supple/workflow/jobs/convert_file.h"

namespace supple::workflow {

/// Skeletons of the motion (above) and of the character with its skin (below): at rest and at three moments. The
/// converted file has a motion.
Result<render::Image> draw_motion(const ConvertedFile& converted, Work& work);

}  // namespace supple::workflow
