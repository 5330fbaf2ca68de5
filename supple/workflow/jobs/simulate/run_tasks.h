// Runs the tasks of a simulation where its options say.
#pragma once

#include "supple/farm/task_list.h"
#include "supple/workflow/jobs/simulate/options.h"

namespace supple::workflow {

/// Runs what is not done on this machine's cores or on a cluster, whose jobs log to the options' output folder.
Result<farm::Report> run_tasks(const farm::TaskList& tasks, const SimulateOptions& options, const Progress& progress);

}  // namespace supple::workflow
