// A moment of a clip with everything that swings behind the bones, as bake writes it.
#pragma once

#include "supple/deform/skin.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// Shows the pose that the options ask for. Where they name a moment of a clip and nothing else, flesh and muscles are
/// where playing the clip has brought them then, at the rate of its keys; elsewhere they hang as the pose lets them.
Result<void> show_moment(Skin& skin, const Character& character, const PoseOptions& options, const Pose& pose,
                         Work& work);

}  // namespace supple::workflow
