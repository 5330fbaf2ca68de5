// Pose space deformation: from a character and its examples to the character that is written, and what is told of it.
#pragma once

#include "supple/workflow/jobs/fit/prepare.h"

namespace supple::workflow {

struct PoseSpaceFit : Fit {
  PoseSpace space;
  /// As programs show it that know morph weights alone: the same weights for all vertices.
  std::array<learn::ErrorSummary, 3> elsewhere;
};

/// Reads, trains, bakes, measures; nothing is written.
Result<PoseSpaceFit> fit_pose_space(const FitOptions& options, Work& work);

}  // namespace supple::workflow
