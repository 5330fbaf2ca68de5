// The farm on threads: order, errors, stops, and what happens to loops inside tasks.
#include "supple/farm/local.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "farm/shell_tasks.h"
#include "supple/base/parallel.h"
#include "supple/farm/time_left.h"

namespace supple::test {
namespace {

using Counts = std::vector<std::size_t>;

/// Tasks in memory; `body` may fail.
struct MemoryTasks {
  std::mutex mutex;
  std::set<std::size_t> finished;
  std::vector<std::size_t> order;
  std::function<Result<void>(std::size_t, const Progress&)> body;

  farm::TaskList list(std::size_t count) {
    farm::TaskList tasks;
    tasks.count = count;
    tasks.done = [this](std::size_t task) {
      const std::lock_guard lock(mutex);
      return finished.contains(task);
    };
    tasks.run = [this](std::size_t task, const Progress& progress) -> Result<void> {
      {
        const std::lock_guard lock(mutex);
        order.push_back(task);
      }
      if (body) {
        if (auto ok = body(task, progress); !ok) return ok;
      }
      const std::lock_guard lock(mutex);
      finished.insert(task);
      return {};
    };
    return tasks;
  }
};

TEST(LocalFarm, RunsEachUndoneTaskOnceDearestFirst) {
  MemoryTasks work;
  work.finished = {1};
  farm::TaskList tasks = work.list(5);
  tasks.cost = [](std::size_t task) { return task == 3 ? 10.0 : task == 0 ? 1.0 : 2.0; };
  double last = 0;
  const auto caller = std::this_thread::get_id();
  const farm::Report report = farm::run_local(tasks, {.workers = 1}, [&](std::string_view, double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(fraction, last);
    last = fraction;
    return true;
  });
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.already_done, 1u);
  EXPECT_EQ(report.finished, 4u);
  EXPECT_EQ(work.order, (std::vector<std::size_t>{3, 2, 4, 0}));
  EXPECT_EQ(last, 1.0);
  EXPECT_TRUE(farm::run_local(tasks).complete());
  EXPECT_EQ(work.order.size(), 4u);
}

TEST(LocalFarm, OneFailureDoesNotStopTheOthers) {
  MemoryTasks work;
  work.body = [](std::size_t task, const Progress&) -> Result<void> {
    if (task == 2) return Error{"sweep 2", "did not converge", "use smaller steps"};
    if (task == 4) throw std::runtime_error("out of luck");
    return {};
  };
  const farm::Report report = farm::run_local(work.list(6), {.workers = 3});
  EXPECT_EQ(report.finished, 4u);
  ASSERT_EQ(report.failures.size(), 2u);
  EXPECT_EQ(report.failures[0].task, 2u);
  EXPECT_EQ(report.failures[1].task, 4u);
  EXPECT_EQ(report.failures[1].error.message(), "task 4: out of luck");
  ASSERT_FALSE(report.result());
  EXPECT_EQ(report.result().error().message(),
            "sweep 2: did not converge; 1 other task failed too (use smaller steps)");
}

TEST(LocalFarm, ATaskWithoutAResultHasFailed) {
  MemoryTasks work;
  farm::TaskList tasks = work.list(1);
  tasks.run = [](std::size_t, const Progress&) { return Result<void>(); };
  EXPECT_EQ(farm::run_local(tasks).failures.size(), 1u);
}

TEST(LocalFarm, StopsOnRequestAfterTheTasksOwnCheck) {
  MemoryTasks work;
  std::atomic<int> begun{0};
  work.body = [&](std::size_t, const Progress& progress) -> Result<void> {
    ++begun;
    while (report(progress, "step", 0.1)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Error{"sweep", "was stopped", ""};
  };
  const farm::Report report =
      farm::run_local(work.list(5), {.workers = 2}, [&](std::string_view, double) { return begun < 2; });
  EXPECT_TRUE(report.stopped);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(report.left_over.size(), 5u);
  EXPECT_EQ(begun, 2);
  EXPECT_FALSE(report.result());
  work.body = {};
  EXPECT_EQ(farm::run_local(work.list(5)).finished, 5u);
}

TEST(LocalFarm, LoopsInsideTasksUseThePoolOnlyWhenAlone) {
  const auto threads_of_loop = [](std::size_t tasks, unsigned workers) {
    MemoryTasks work;
    std::atomic<std::size_t> foreign{0};
    work.body = [&](std::size_t, const Progress&) -> Result<void> {
      const auto own = std::this_thread::get_id();
      // Chunks that wait a little, so that a helper has time to take some.
      parallel_for(
          64, 1,
          [&](std::size_t, std::size_t) {
            if (std::this_thread::get_id() != own) ++foreign;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          },
          2);
      return {};
    };
    EXPECT_TRUE(farm::run_local(work.list(tasks), {.workers = workers}).complete());
    return foreign.load();
  };
  EXPECT_EQ(threads_of_loop(4, 2), 0u);
  EXPECT_GT(threads_of_loop(1, 2), 0u);
  EXPECT_GT(threads_of_loop(2, 1), 0u);
}

TEST(LocalFarm, RunsProgramsAndRedoesOnlyTheKilledOne) {
  ShellTasks work(4);
  work.hold(1);
  std::thread killer([&] {
    EXPECT_TRUE(eventually([&] { return work.starts(1).size() == 1; }));
    if (!work.starts(1).empty()) ::kill(work.starts(1)[0], SIGKILL);
  });
  const farm::Report report = farm::run_local(work.list(), {.workers = 2});
  killer.join();
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].task, 1u);
  work.allow(1);
  EXPECT_TRUE(farm::run_local(work.list(), {.workers = 2}).complete());
  EXPECT_EQ(work.start_counts(), (Counts{1, 2, 1, 1}));
  const farm::TaskList tasks = work.list();
  ASSERT_TRUE(tasks.run(3, {}));  // repeated by hand: the same result
  EXPECT_EQ(contents(work.result(3)), "9\n");
}

TEST(LocalFarm, SaysHowLongInWordsOfAPerson) {
  EXPECT_EQ(farm::duration_text(8.4), "8 s");
  EXPECT_EQ(farm::duration_text(185), "3 min");
  EXPECT_EQ(farm::duration_text(9600), "2 h 40 min");
}

}  // namespace
}  // namespace supple::test
