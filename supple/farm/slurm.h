// The farm on a cluster: tasks as a Slurm job array, watched through the folder that holds their results.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "supple/farm/task_list.h"

namespace supple::farm {

struct SlurmOptions {
  /// Seen by all nodes under the same path. Gets a folder "log": the job script, the output of every job, and the list
  /// of jobs under way, so that a caller that was killed finds its jobs again instead of submitting them twice.
  std::filesystem::path folder;
  std::string job_name = "supple";
  unsigned max_running = 0;                    // jobs at once; 0: as many as the cluster lets run
  std::vector<std::string> sbatch_options{};   // such as --partition=long --time=2:00:00 --mem=4G
  std::size_t max_array = 1000;                // longer lists become several arrays (Slurm's MaxArraySize is 1001)
  std::chrono::milliseconds poll{3000};        // between looks at the queue
  std::chrono::milliseconds settle{10000};     // how late a network file system may show what a job has written
  std::chrono::milliseconds patience{600000};  // how long the controller may be silent
};

/// Submits what is neither done nor under way, each task once, and waits until all have left the queue. Tasks that left
/// it without a result are failures that hold the job's state and the end of its output. When `progress` asks for a
/// stop the jobs are cancelled. Needs sbatch, squeue and scancel.
Result<Report> run_slurm(const TaskList& tasks, const SlurmOptions& options, const Progress& progress = {});

/// "0-3,7,9-12" of increasing numbers.
std::string array_ranges(const std::vector<std::size_t>& numbers);

/// The script of one array: the number of the task is the array's plus the script's first argument.
std::string job_script(const TaskList& tasks);

}  // namespace supple::farm
