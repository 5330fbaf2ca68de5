#include "supple/workflow/study/stages.h"

#include <sys/resource.h>

#include <algorithm>

namespace supple::workflow {

double memory_used_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Once each: two stages read the base scan, and both hear what its reader says.
void Stages::warn(const Warnings& warnings) {
  for (const std::string& warning : warnings) {
    const auto& told = work_.warnings;
    if (std::find(told.begin(), told.end(), warning) == told.end()) work_.warnings.push_back(warning);
  }
}

}  // namespace supple::workflow
