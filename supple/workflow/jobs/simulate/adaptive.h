// Poses chosen while simulating: each batch where a skin learnt from all examples so far would gain most.
#pragma once

#include <chrono>
#include <functional>

#include "supple/workflow/jobs/simulate/job.h"

namespace supple::workflow {

/// What was known before a batch, and after the last one.
struct AdaptivePoint {
  std::size_t examples = 0;
  double left_out = 0;  // error of examples of several joints when left out, relative to linear blend
};

/// Simulates the plan as it stands and gathers its examples; false where not all of it is done.
using RunPlan = std::function<bool()>;

/// Adds sweeps to the job's plan and runs it, batch by batch, until there are as many as asked for, the error or the
/// time is enough, or a run was not complete. The plan has been run once already, at `start`.
Result<std::vector<AdaptivePoint>> run_adaptively(SimulateJob& job, const SimulateOptions& options,
                                                  std::chrono::steady_clock::time_point start, const RunPlan& run_plan,
                                                  Work& work);

}  // namespace supple::workflow
