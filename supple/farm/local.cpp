#include "supple/farm/local.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "supple/base/parallel.h"
#include "supple/farm/time_left.h"

namespace supple::farm {
namespace {

constexpr auto report_interval = std::chrono::milliseconds(100);

/// A task on its way: workers write, the caller reads.
struct Slot {
  std::atomic<double> fraction{0};
  std::atomic<bool> ended{false};
  std::optional<Error> error;  // valid once ended
};

class LocalRun {
 public:
  LocalRun(const TaskList& tasks, std::vector<std::size_t> todo)
      : tasks_(tasks), todo_(std::move(todo)), slots_(std::make_unique<Slot[]>(todo_.size())) {}

  /// How many threads could be had.
  std::size_t start(std::size_t workers) {
    running_ = workers;
    for (std::size_t w = 0; w < workers; ++w) {
      try {
        threads_.emplace_back([this, alone = workers == 1] { work(alone); });
      } catch (const std::exception&) {  // fewer will do
        std::lock_guard lock(mutex_);
        running_ -= workers - w;
        break;
      }
    }
    return threads_.size();
  }

  /// Reports until every worker has left.
  void watch(const Progress& progress) {
    const TimeLeft time_left;
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      lock.unlock();
      if (!tell(progress, time_left)) stop_ = true;
      lock.lock();
      changed_.wait_for(lock, report_interval, [&] { return running_ == 0; });
    }
    lock.unlock();
    for (std::thread& thread : threads_) thread.join();
    if (!stop_) tell(progress, time_left);
  }

  void work(bool all_threads) {
    {
      std::optional<SerialLoops> serial;
      if (!all_threads) serial.emplace();
      for (std::size_t i = 0; !stop_ && (i = next_.fetch_add(1)) < todo_.size();) run_one(i);
    }
    {
      std::lock_guard lock(mutex_);
      --running_;
    }
    changed_.notify_all();
  }

  Report report() {
    Report result;
    result.stopped = stop_;
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      const Slot& slot = slots_[i];
      const std::size_t task = todo_[i];
      if (!slot.ended) {
        result.left_over.push_back(task);
      } else if (!slot.error && tasks_.done(task)) {
        ++result.finished;
      } else if (slot.error && stop_) {  // it was asked to
        result.left_over.push_back(task);
      } else {
        result.failures.push_back(
            {task, slot.error.value_or(Error{tasks_.name_of(task), "has ended, but its result is not in the folder",
                                             "check that the folder was not changed meanwhile"})});
      }
    }
    std::sort(result.left_over.begin(), result.left_over.end());
    std::sort(result.failures.begin(), result.failures.end(),
              [](const Failure& a, const Failure& b) { return a.task < b.task; });
    return result;
  }

 private:
  void run_one(std::size_t i) {
    Slot& slot = slots_[i];
    const Progress inner = [&](std::string_view, double fraction) {
      slot.fraction = std::clamp(fraction, 0.0, 1.0);
      return !stop_;
    };
    try {
      if (const auto ok = tasks_.run(todo_[i], inner); !ok) slot.error = ok.error();
    } catch (const std::bad_alloc&) {
      slot.error = Error{tasks_.name_of(todo_[i]), "has not enough memory", "use fewer workers"};
    } catch (const std::exception& problem) {
      slot.error = Error{tasks_.name_of(todo_[i]), problem.what(), ""};
    }
    slot.fraction = 1;
    slot.ended = true;
  }

  bool tell(const Progress& progress, const TimeLeft& time_left) const {
    double total = 0, gone = 0;
    std::size_t ended = 0;
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      const double cost = tasks_.cost_of(todo_[i]);
      total += cost;
      gone += cost * slots_[i].fraction;
      ended += slots_[i].ended ? 1 : 0;
    }
    const double fraction = total > 0 ? gone / total : 1;
    std::string stage = std::to_string(ended) + " of " + std::to_string(todo_.size());
    if (const std::string left = time_left.text(fraction); !left.empty()) stage += ", " + left;
    return supple::report(progress, stage, fraction);
  }

  const TaskList& tasks_;
  const std::vector<std::size_t> todo_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

Report run_local(const TaskList& tasks, const LocalOptions& options, const Progress& progress) {
  std::vector<std::size_t> todo = undone(tasks);
  const std::size_t already_done = tasks.count - todo.size();
  const std::size_t workers =
      std::min<std::size_t>(options.workers != 0 ? options.workers : thread_count(), todo.size());
  LocalRun run(tasks, std::move(todo));
  if (workers > 0 && run.start(workers) > 0) run.watch(progress);
  Report report = run.report();
  report.already_done = already_done;
  return report;
}

}  // namespace supple::farm
