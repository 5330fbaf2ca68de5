// Tasks for farms under test: small shell scripts that note when they start and put their result down in one step.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "supple/base/process.h"
#include "supple/farm/task_list.h"
#include "support/run_command.h"

namespace supple::test {

class ShellTasks {
 public:
  explicit ShellTasks(std::size_t count) : count_(count) {
    // Quotes and blanks: the job script must hand on every character.
    folder_ = scratch_ / "it's a folder";
    std::filesystem::create_directory(folder_);
  }

  farm::TaskList list() {
    farm::TaskList tasks;
    tasks.count = count_;
    tasks.name = [](std::size_t task) { return "sweep " + std::to_string(task); };
    tasks.done = [this](std::size_t task) { return std::filesystem::exists(result(task)); };
    tasks.command = [this](const std::string& task) { return command(task); };
    tasks.run = [this](std::size_t task, const Progress& progress) -> Result<void> {
      const std::vector<std::string> words = command(std::to_string(task));
      const auto ran = run_process(words[0], {words.begin() + 1, words.end()}, {}, std::nullopt,
                                   [&] { return report(progress, "", 0.5); });
      if (!ran) return ran.error();
      return ran->ok() ? Result<void>() : Error{"sweep " + std::to_string(task), "failed: " + ran->last_words(), ""};
    };
    return tasks;
  }

  /// Until allowed, a task that was held stands still after its start.
  void hold(std::size_t task) { std::ofstream(folder_ / ("hold-" + std::to_string(task))); }
  void allow(std::size_t task) { std::filesystem::remove(folder_ / ("hold-" + std::to_string(task))); }

  std::filesystem::path result(std::size_t task) const { return folder_ / ("result-" + std::to_string(task)); }
  /// Processes that began the task, oldest first.
  std::vector<int> starts(std::size_t task) const {
    std::ifstream file(folder_ / ("started-" + std::to_string(task)));
    std::vector<int> pids;
    for (int pid; file >> pid;) pids.push_back(pid);
    return pids;
  }
  std::vector<std::size_t> start_counts() const {
    std::vector<std::size_t> counts;
    for (std::size_t task = 0; task < count_; ++task) counts.push_back(starts(task).size());
    return counts;
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::vector<std::string> command(const std::string& task) const {
    const std::string script = R"sh(echo $$ >>"$0/started-$1"
echo "this is task $1"
while [ -e "$0/hold-$1" ]; do sleep 0.05; done
echo "$(( $1 * $1 ))" >"$0/result-$1.$$"
mv "$0/result-$1.$$" "$0/result-$1")sh";
    return {"/bin/sh", "-c", script, folder_.string(), task};
  }

  ScratchFolder scratch_;
  std::filesystem::path folder_;
  std::size_t count_;
};

/// Waits until `condition` holds; false after a time in which it should have long held.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 600 && !condition(); ++i) ::usleep(50'000);
  return condition();
}

}  // namespace supple::test
