#include "supple/workflow/study/stages.h"

#include <sys/resource.h>

#include <algorithm>

namespace supple::workflow {

double memory_used_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

namespace {

double processor_seconds_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

RunClock::RunClock() : begun_(std::chrono::steady_clock::now()), used_before_(processor_seconds_of_process()) {}
double RunClock::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}
double RunClock::processor_seconds() const { return processor_seconds_of_process() - used_before_; }

/// Once each: two stages read the base scan, and both hear what its reader says.
void Stages::warn(const Warnings& warnings) {
  for (const std::string& warning : warnings) {
    const auto& told = work_.warnings;
    if (std::find(told.begin(), told.end(), warning) == told.end()) work_.warnings.push_back(warning);
  }
}

}  // namespace supple::workflow
