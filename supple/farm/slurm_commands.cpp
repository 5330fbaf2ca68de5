#include "supple/farm/slurm_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "supple/base/process.h"

namespace supple::farm {
namespace {

constexpr std::chrono::seconds command_timeout{120};  // busy controllers answer slowly

/// What the command printed; anything but success is an error with the command's own words.
Result<std::string> output_of(const std::string& program, const std::vector<std::string>& arguments) {
  const auto ran = run_process(program, arguments, {}, command_timeout);
  if (!ran) {
    return Error{ran.error().item, ran.error().problem,
                 "install Slurm's commands (Debian: slurm-client), or run without a cluster"};
  }
  if (ran->timed_out) return Error{program, "does not answer", "check the cluster with sinfo"};
  if (!ran->ok()) return Error{program, ran->last_words(), "check the cluster with sinfo, or use --back-end local"};
  return ran->out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool JobState::under_way() const {
  static constexpr std::array<std::string_view, 10> ended{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",
                                                          "FAILED",    "NODE_FAIL", "TIMEOUT",   "OUT_OF_MEMORY",
                                                          "PREEMPTED", "REVOKED"};
  return std::find(ended.begin(), ended.end(), state) == ended.end();
}

Result<std::string> submit(const std::vector<std::string>& options, const std::filesystem::path& script,
                           std::size_t first) {
  std::vector<std::string> arguments{"--parsable"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(script.string());
  arguments.push_back(std::to_string(first));
  const auto printed = output_of("sbatch", arguments);
  if (!printed) return printed.error();
  const std::string id = printed->substr(0, printed->find_first_not_of("0123456789"));  // "12;cluster\n"
  if (id.empty()) return Error{"sbatch", "did not tell a job number: " + *printed, ""};
  return id;
}

Result<std::vector<JobState>> job_states(const std::vector<JobArray>& arrays) {
  std::vector<JobState> states;
  if (arrays.empty()) return states;
  std::string ids;
  for (const JobArray& array : arrays) ids += (ids.empty() ? "" : ",") + array.id;
  const auto printed =
      output_of("squeue", {"--noheader", "--array", "--states=all", "--jobs=" + ids, "--format=%F|%K|%T|%r"});
  if (!printed) {
    if (printed.error().problem.find("Invalid job id") != std::string::npos) return states;
    return printed.error();
  }
  for (const std::string_view line : split(*printed, '\n')) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() < 4) continue;
    JobState state{std::string(fields[0]), 0, std::string(fields[2]), std::string(fields[3])};
    const auto number = std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), state.element);
    if (number.ec == std::errc()) states.push_back(std::move(state));
  }
  return states;
}

Result<void> cancel(const std::vector<JobArray>& arrays) {
  if (arrays.empty()) return {};
  std::vector<std::string> arguments{"--quiet"};
  for (const JobArray& array : arrays) arguments.push_back(array.id);
  const auto printed = output_of("scancel", arguments);
  if (!printed && printed.error().problem.find("Invalid job id") == std::string::npos) return printed.error();
  return {};
}

}  // namespace supple::farm
