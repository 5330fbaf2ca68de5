// What can be said to supple simulate.
#pragma once

#include <vector>

#include "cli/command.h"
#include "supple/workflow/jobs/simulate/options.h"

namespace supple::cli {

using workflow::BackEnd;
using workflow::FleshSolver;
using workflow::SimulateOptions;

struct SimulateCommand : workflow::SimulateOptions {
  bool no_pictures = false, dry_run = false;
  std::vector<Option> tissue_only;   // that mean nothing to other deformers
  std::vector<Option> plan_options;  // that say which poses
};

void declare(Command& app, SimulateCommand& options);

}  // namespace supple::cli
