// A list of independent tasks whose state is only in a folder: what is there is done, whoever did it and when.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "supple/base/progress.h"
#include "supple/base/result.h"

namespace supple::farm {

/// A task puts its result into the folder in one step, at its end. So a task that is killed leaves nothing behind that
/// counts, one that is repeated changes nothing, and a later call does only what is missing.
struct TaskList {
  std::size_t count = 0;
  /// For messages; "task 7" where there is none.
  std::function<std::string(std::size_t task)> name;
  /// Looks into the folder. Called from one thread at a time.
  std::function<bool(std::size_t task)> done;
  /// Does the task in this process; called from several threads. Ends early, with an error, when `progress` says no.
  std::function<Result<void>(std::size_t task, const Progress& progress)> run;
  /// Program and arguments that do the task in a process of its own, perhaps on another machine. `task` is a number, or
  /// the name of a shell variable that will hold it; it may stand anywhere inside an argument.
  std::function<std::vector<std::string>(const std::string& task)> command;
  /// Relative; decides the order and the time left. All equal where there is none.
  std::function<double(std::size_t task)> cost;

  std::string name_of(std::size_t task) const { return name ? name(task) : "task " + std::to_string(task); }
  double cost_of(std::size_t task) const { return cost ? cost(task) : 1.0; }
};

struct Failure {
  std::size_t task = 0;
  Error error;
};

struct Report {
  std::size_t already_done = 0;        // before this call
  std::size_t finished = 0;            // by this call
  std::vector<Failure> failures;       // by task number; a repeated call tries these again
  std::vector<std::size_t> left_over;  // not begun or not finished, because of a stop
  bool stopped = false;                // on request

  bool complete() const { return failures.empty() && left_over.empty(); }
  /// One error for all failures: how many, and the first of them.
  Result<void> result() const;
};

/// Tasks that are not done, dearest first; equal ones in order.
std::vector<std::size_t> undone(const TaskList& tasks);

}  // namespace supple::farm
