// Error against the number of examples: what more of them would buy.
#pragma once

#include "supple/author/learn/kernel_skin.h"
#include "supple/workflow/jobs/fit/fit.h"

namespace supple::workflow {

/// Trains again with a quarter and a half of the examples that move several joints (of all, where few do), chosen by
/// chance but always the same, with as many modes as `job` has; the last point is `job` itself.
std::vector<LearningPoint> learning_curve(FitJob& job, const learn::KernelSkinOptions& options, Work& work);

/// Error that twice as many examples would leave if it went on falling as it did: a power of their number. None where
/// it did not fall.
std::optional<double> with_twice_as_many(const std::vector<LearningPoint>& curve);

}  // namespace supple::workflow
