#include "supple/farm/task_list.h"

#include <algorithm>

namespace supple::farm {

Result<void> Report::result() const {
  if (!failures.empty()) {
    const Error& first = failures.front().error;
    const std::size_t others = failures.size() - 1;
    std::string problem = first.problem;
    if (others > 0)
      problem += "; " + std::to_string(others) + (others == 1 ? " other task" : " other tasks") + " failed too";
    return Error{first.item, problem, first.remedy.empty() ? "run again to repeat only what is missing" : first.remedy};
  }
  if (!left_over.empty()) {
    return Error{"farm",
                 std::string(stopped ? "was stopped" : "could not start a thread") + " with " +
                     std::to_string(left_over.size()) + " tasks to do",
                 "run again to do only these"};
  }
  return {};
}

std::vector<std::size_t> undone(const TaskList& tasks) {
  std::vector<std::pair<double, std::size_t>> list;
  for (std::size_t task = 0; task < tasks.count; ++task) {
    if (!tasks.done(task)) list.emplace_back(tasks.cost_of(task), task);
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> result;
  for (const auto& [cost, task] : list) result.push_back(task);
  return result;
}

}  // namespace supple::farm
