// Slurm's own commands, as far as a farm needs them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "supple/base/result.h"

namespace supple::farm {

/// A submitted array: its element i is task first + i.
struct JobArray {
  std::string id;
  std::size_t first = 0;
};

/// What the controller knows about one element.
struct JobState {
  std::string id;
  std::size_t element = 0;
  std::string state, reason;  // "RUNNING", "PENDING", ...

  /// Whether it waits, runs, or will again.
  bool under_way() const;
};

/// sbatch; the job's number.
Result<std::string> submit(const std::vector<std::string>& options, const std::filesystem::path& script,
                           std::size_t first);

/// squeue; elements that the controller has forgotten are not listed.
Result<std::vector<JobState>> job_states(const std::vector<JobArray>& arrays);

/// scancel; what has ended already is no error.
Result<void> cancel(const std::vector<JobArray>& arrays);

}  // namespace supple::farm
