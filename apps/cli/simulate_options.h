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
  std::vector<Option> flesh_only;    // that mean something to tissue and to the lattice alone
  std::vector<Option> plan_options;  // that say which poses
};

void declare(Command& app, SimulateCommand& options);

/// The options that say where tasks run, shared by all commands that simulate flesh.
void declare_farm(Command& app, workflow::FarmOptions& options);

/// The words of a supple simulate that does the tasks of options which supple improve has chosen: every field that it
/// sets, see flesh_setup(), is among them.
std::vector<std::string> words_of_task(const SimulateOptions& options);

}  // namespace supple::cli
