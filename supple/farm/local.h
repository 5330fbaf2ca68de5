// The farm on this machine: tasks on a few threads of this process.
#pragma once

#include "supple/farm/task_list.h"

namespace supple::farm {

struct LocalOptions {
  unsigned workers = 0;  // 0: thread_count()
};

/// Runs what is not done, dearest first. With several workers the loops inside a task run on its worker alone; a single
/// worker, or a single task, has all threads. A task that fails does not stop the others. `progress` is called on the
/// calling thread only, about ten times a second.
Report run_local(const TaskList& tasks, const LocalOptions& options = {}, const Progress& progress = {});

}  // namespace supple::farm
