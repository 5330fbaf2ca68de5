// Simulating flesh over moving bones: the whole job, from a file to a folder of examples.
#pragma once

#include "supple/workflow/jobs/simulate/adaptive.h"

namespace supple::workflow {

/// What one call cost, and what went wrong on the way.
struct SimulationRun {
  double seconds = 0;      // of this call, wall clock
  double peak_memory = 0;  // bytes, of this process
  std::string back_end;    // "local" or "slurm"
  std::vector<std::string> failures;
  std::vector<AdaptivePoint> curve;  // empty where the plan was fixed
};

struct Simulated {
  SimulateJob job;
  Gathered gathered;
  SimulationRun run;
};

/// Simulates every pose of the plan that is not there yet and writes the example set of all that are. Stopped or failed
/// on the way, what is finished is kept and used; `gathered` says what is missing. An error means that nothing was
/// simulated.
Result<Simulated> simulate(const SimulateOptions& options, Work& work);

/// One sweep of the plan, for a call elsewhere to gather. Returns its name.
Result<std::string> simulate_sweep(const SimulateOptions& options, std::size_t sweep, Work& work);

/// Solves that the plan needs.
std::size_t steps_of(const simulate::Simulation& simulation);

}  // namespace supple::workflow
