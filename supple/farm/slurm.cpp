#include "supple/farm/slurm.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "supple/base/file.h"
#include "supple/base/text.h"
#include "supple/farm/slurm_commands.h"
#include "supple/farm/time_left.h"

namespace supple::farm {
namespace {

using Clock = std::chrono::steady_clock;

const std::string task_variable = "$supple_task";

/// For the shell: nothing in it means anything but the task's variable.
std::string quoted(const std::string& word) {
  std::string result = "'";
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word.compare(i, task_variable.size(), task_variable) == 0) {
      result += "'\"" + task_variable + "\"'";
      i += task_variable.size() - 1;
    } else if (word[i] == '\'') {
      result += "'\\''";
    } else {
      result += word[i];
    }
  }
  return result + "'";
}

class SlurmRun {
 public:
  SlurmRun(const TaskList& tasks, const SlurmOptions& options, const Progress& progress)
      : tasks_(tasks),
        options_(options),
        progress_(progress),
        log_(std::filesystem::absolute(options.folder) / "log") {}

  Result<Report> run() {
    Report report;
    todo_ = undone(tasks_);
    std::sort(todo_.begin(), todo_.end());
    report.already_done = tasks_.count - todo_.size();
    if (todo_.empty()) return report;
    if (auto ok = prepare(); !ok) return ok.error();
    while (true) {
      if (auto ok = ask_controller(); !ok) return ok.error();
      const std::vector<std::size_t> idle = not_under_way();  // after the question: what left the queue has its result
      std::vector<std::size_t> fresh;
      std::set_difference(idle.begin(), idle.end(), submitted_.begin(), submitted_.end(), std::back_inserter(fresh));
      if (!fresh.empty()) {
        if (auto ok = submit_all(fresh); !ok) return ok.error();
      } else if (idle.size() < missing_) {
        settling_since_ = {};
      } else if (settled()) {
        break;
      }
      if (!pause()) return stop(report);
    }
    finish(report);
    return report;
  }

 private:
  Result<void> prepare() {
    std::error_code failed;
    std::filesystem::create_directories(log_, failed);
    if (failed) return Error{log_.string(), "cannot be created: " + failed.message(), "check the folder's permissions"};
    read_jobs();
    return write_file(log_ / "job.sh", job_script(tasks_));
  }

  /// Jobs of an earlier call: "id first" on each line.
  void read_jobs() {
    const auto text = read_text(log_ / "jobs.txt");
    if (!text) return;
    std::istringstream words(*text);
    for (JobArray array; words >> array.id >> array.first;) arrays_.push_back(array);
  }

  Result<void> write_jobs() const {
    std::string text;
    for (const JobArray& array : arrays_) text += array.id + " " + std::to_string(array.first) + "\n";
    return write_file(log_ / "jobs.txt", text);
  }

  /// A controller that restarts is silent for a while; only long silence is an error.
  Result<void> ask_controller() {
    const auto states = job_states(arrays_);
    if (!states) {
      if (silent_since_ == Clock::time_point{}) silent_since_ = Clock::now();
      if (Clock::now() - silent_since_ < options_.patience && states.error().item == "squeue" &&
          states.error().problem.find("not installed") == std::string::npos)
        return {};
      return Error{states.error().item, states.error().problem,
                   "jobs may still run; the same command takes them up again"};
    }
    silent_since_ = {};
    under_way_.clear();
    for (const JobState& state : *states) {
      const auto array =
          std::find_if(arrays_.begin(), arrays_.end(), [&](const JobArray& a) { return a.id == state.id; });
      if (array == arrays_.end()) continue;
      const std::size_t task = array->first + state.element;
      if (state.under_way()) under_way_.insert(task);
      const auto place = static_cast<std::size_t>(array - arrays_.begin());
      Seen& seen = seen_[task];
      if (place >= seen.place) seen = {state, place};
    }
    return {};
  }

  /// Tasks without a result that no job will bring.
  std::vector<std::size_t> not_under_way() {
    std::vector<std::size_t> idle;
    missing_ = 0;
    gone_cost_ = total_cost_ = 0;
    for (const std::size_t task : todo_) {
      const double cost = tasks_.cost_of(task);
      total_cost_ += cost;
      if (finished_.contains(task) || tasks_.done(task)) {
        finished_.insert(task);
        gone_cost_ += cost;
        continue;
      }
      ++missing_;
      const bool unknown = silent_since_ != Clock::time_point{};
      if (!unknown && !under_way_.contains(task)) idle.push_back(task);
    }
    return idle;
  }

  Result<void> submit_all(const std::vector<std::size_t>& fresh) {
    std::string output = (log_ / "").string();
    for (std::size_t i = 0; (i = output.find('%', i)) != std::string::npos; i += 2) output.insert(i, "%");
    for (std::size_t i = 0; i < fresh.size();) {
      const std::size_t first = fresh[i] / options_.max_array * options_.max_array;
      std::vector<std::size_t> elements;
      for (; i < fresh.size() && fresh[i] < first + options_.max_array; ++i) elements.push_back(fresh[i] - first);
      std::string array = "--array=" + array_ranges(elements);
      if (options_.max_running > 0) array += "%" + std::to_string(options_.max_running);
      std::vector<std::string> arguments{"--job-name=" + options_.job_name, array, "--output=" + output + "%A_%a.txt"};
      arguments.insert(arguments.end(), options_.sbatch_options.begin(), options_.sbatch_options.end());
      const auto id = submit(arguments, log_ / "job.sh", first);
      if (!id) return id.error();
      arrays_.push_back({*id, first});
      if (auto ok = write_jobs(); !ok) return ok;
      for (const std::size_t element : elements) {
        submitted_.insert(first + element);
        under_way_.insert(first + element);
      }
    }
    settling_since_ = {};
    return {};
  }

  /// Whether what is missing now will stay so.
  bool settled() {
    if (missing_ == 0) return true;
    if (settling_since_ == Clock::time_point{}) settling_since_ = Clock::now();
    return Clock::now() - settling_since_ >= options_.settle;
  }

  /// Until the next look at the queue; false on a request to stop.
  bool pause() {
    const auto until = Clock::now() + options_.poll;
    const double fraction = total_cost_ > 0 ? gone_cost_ / total_cost_ : 1;
    std::size_t running = 0;
    std::string reason;
    for (const std::size_t task : under_way_) {
      const auto seen = seen_.find(task);
      if (seen == seen_.end()) continue;
      if (seen->second.state.state == "RUNNING") ++running;
      if (seen->second.state.state == "PENDING" && seen->second.state.reason != "None")
        reason = seen->second.state.reason;
    }
    std::string stage = std::to_string(finished_.size()) + " of " + std::to_string(todo_.size()) + ", " +
                        std::to_string(running) + " running";
    if (const std::string left = time_left_.text(fraction); !left.empty()) stage += ", " + left;
    if (running == 0 && !reason.empty()) stage += " (waits: " + reason + ")";
    do {
      if (!supple::report(progress_, stage, fraction)) return false;
      std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(options_.poll, std::chrono::milliseconds(100)));
    } while (Clock::now() < until);
    return true;
  }

  /// Cancels, and waits a little so that a call right after this one does not meet jobs that are about to die.
  Result<Report> stop(Report& report) {
    if (auto ok = cancel(arrays_); !ok) return ok.error();
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (ask_controller() && !under_way_.empty() && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    not_under_way();
    report.stopped = true;
    report.finished = finished_.size();
    for (const std::size_t task : todo_) {
      if (!finished_.contains(task)) report.left_over.push_back(task);
    }
    return report;
  }

  void finish(Report& report) {
    report.finished = finished_.size();
    for (const std::size_t task : todo_) {
      if (!finished_.contains(task)) report.failures.push_back({task, why(task)});
    }
    std::error_code ignored;
    std::filesystem::remove(log_ / "jobs.txt", ignored);
    supple::report(progress_, "done", 1);
  }

  Error why(std::size_t task) const {
    const auto seen = seen_.find(task);
    if (seen == seen_.end()) {
      return {tasks_.name_of(task), "left Slurm's queue without a result", "run again to repeat only what is missing"};
    }
    const JobState& state = seen->second.state;
    const std::filesystem::path log = log_ / (state.id + "_" + std::to_string(state.element) + ".txt");
    std::string problem = "left Slurm's queue without a result, last seen " + state.state;
    if (!state.reason.empty() && state.reason != "None") problem += " (" + state.reason + ")";
    const auto said = read_text(log);
    if (!said)
      return {tasks_.name_of(task), problem + "; it left no output", "run again to repeat only what is missing"};
    if (const std::string end = last_lines(*said, 3); !end.empty()) problem += "; it said: " + end;
    return {tasks_.name_of(task), problem,
            "all it said is in " + log.string() + "; run again to repeat what is missing"};
  }

  /// Of the latest job that had the task.
  struct Seen {
    JobState state;
    std::size_t place = 0;  // among the arrays
  };

  const TaskList& tasks_;
  const SlurmOptions& options_;
  const Progress& progress_;
  const std::filesystem::path log_;
  const TimeLeft time_left_;
  std::vector<std::size_t> todo_;  // increasing
  std::vector<JobArray> arrays_;
  std::set<std::size_t> submitted_, under_way_, finished_;
  std::map<std::size_t, Seen> seen_;
  std::size_t missing_ = 0;
  double gone_cost_ = 0, total_cost_ = 0;
  Clock::time_point silent_since_{}, settling_since_{};
};

}  // namespace

std::string array_ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string job_script(const TaskList& tasks) {
  std::string script =
      "#!/bin/sh\n# One task of a farm, as an element of a job array.\n"
      "supple_task=$((SLURM_ARRAY_TASK_ID + $1))\nexec";
  for (const std::string& word : tasks.command(task_variable)) script += " " + quoted(word);
  return script + "\n";
}

Result<Report> run_slurm(const TaskList& tasks, const SlurmOptions& options, const Progress& progress) {
  if (options.max_array == 0) return Error{"farm", "needs arrays of at least one job", ""};
  return SlurmRun(tasks, options, progress).run();
}

}  // namespace supple::farm
