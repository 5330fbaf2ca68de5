// The farm on a real Slurm: everything is done, once, whatever is killed on the way.
#include "supple/farm/slurm.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "farm/shell_tasks.h"
#include "support/slurm_node.h"

namespace supple::test {
namespace {

using namespace std::chrono_literals;
using Counts = std::vector<std::size_t>;

farm::SlurmOptions quick(const ShellTasks& tasks) {
  farm::SlurmOptions options;
  options.folder = tasks.folder();
  options.poll = 200ms;
  options.settle = 0ms;
  return options;
}

std::string said(const Result<farm::Report>& report) {
  if (!report) return report.error().message();
  std::string text;
  for (const farm::Failure& failure : report->failures) text += failure.error.message() + "\n";
  return text;
}

TEST(SlurmFarm, WritesRangesAndAScriptThatQuotes) {
  EXPECT_EQ(farm::array_ranges({0, 1, 2, 3, 7, 9, 10}), "0-3,7,9-10");
  EXPECT_EQ(farm::array_ranges({5}), "5");
  farm::TaskList tasks;
  tasks.command = [](const std::string& task) {
    return std::vector<std::string>{"printf", "%s|", "it's $HOME `x`", "--task=" + task + ".", "*"};
  };
  const ScratchFolder work;
  std::ofstream(work / "job.sh") << farm::job_script(tasks);
  const CommandResult ran = run("SLURM_ARRAY_TASK_ID=7 sh " + (work / "job.sh").string() + " 1000");
  EXPECT_EQ(ran.out, "it's $HOME `x`|--task=1007.|*|") << ran.err;
}

TEST(SlurmFarm, SaysWhenSlurmIsMissing) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  ShellTasks work(2);
  const auto report = farm::run_slurm(work.list(), quick(work));
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().item, "sbatch");
  EXPECT_NE(report.error().remedy.find("slurm-client"), std::string::npos);
}

TEST(SlurmFarm, RunsEveryTaskOnceInSeveralArrays) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  ShellTasks work(5);
  farm::SlurmOptions options = quick(work);
  options.max_array = 3;
  options.max_running = 2;
  options.sbatch_options = {"--time=5"};
  double last = 0;
  const auto report = farm::run_slurm(work.list(), options, [&](std::string_view, double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
    return true;
  });
  ASSERT_TRUE(report && report->complete()) << said(report) << node.log();
  EXPECT_EQ(report->finished, 5u);
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(work.start_counts(), (Counts{1, 1, 1, 1, 1}));
  EXPECT_EQ(contents(work.result(4)), "16\n");
  EXPECT_TRUE(std::filesystem::exists(work.folder() / "log/job.sh"));

  const auto again = farm::run_slurm(work.list(), options);
  ASSERT_TRUE(again && again->complete()) << said(again);
  EXPECT_EQ(again->already_done, 5u);
  EXPECT_EQ(work.start_counts(), (Counts{1, 1, 1, 1, 1}));
}

TEST(SlurmFarm, RedoesOnlyTheKilledTask) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  ShellTasks work(4);
  work.hold(2);
  std::thread killer([&] {
    EXPECT_TRUE(eventually([&] { return work.starts(2).size() == 1; }));
    if (!work.starts(2).empty()) ::kill(work.starts(2)[0], SIGKILL);
  });
  const auto report = farm::run_slurm(work.list(), quick(work));
  killer.join();
  ASSERT_TRUE(report) << said(report);
  ASSERT_EQ(report->failures.size(), 1u) << said(report) << node.log();
  EXPECT_EQ(report->finished, 3u);
  EXPECT_EQ(report->failures[0].task, 2u);
  const std::string message = report->failures[0].error.message();
  EXPECT_NE(message.find("sweep 2"), std::string::npos) << message;
  EXPECT_NE(message.find("this is task 2"), std::string::npos) << message;
  EXPECT_NE(message.find("FAILED"), std::string::npos) << message;

  work.allow(2);
  const auto again = farm::run_slurm(work.list(), quick(work));
  ASSERT_TRUE(again && again->complete()) << said(again);
  EXPECT_EQ(again->already_done, 3u);
  EXPECT_EQ(again->finished, 1u);
  EXPECT_EQ(work.start_counts(), (Counts{1, 1, 2, 1}));
  EXPECT_EQ(contents(work.result(2)), "4\n");
}

TEST(SlurmFarm, CancelsOnRequestAndTakesUpJobsOfACallerThatDied) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  ShellTasks work(3);
  work.hold(0);
  const auto stopped =
      farm::run_slurm(work.list(), quick(work), [&](std::string_view, double) { return work.starts(0).empty(); });
  ASSERT_TRUE(stopped) << said(stopped);
  EXPECT_TRUE(stopped->stopped);
  EXPECT_FALSE(std::filesystem::exists(work.result(0)));
  EXPECT_TRUE(eventually([&] { return ::kill(work.starts(0)[0], 0) != 0; })) << "the task outlived scancel";
  EXPECT_EQ(run("squeue -h").out, "");

  const std::size_t cancelled_starts = work.starts(0).size();
  const ::pid_t caller = ::fork();
  if (caller == 0) {
    (void)farm::run_slurm(work.list(), quick(work));
    ::_exit(0);
  }
  EXPECT_TRUE(eventually([&] { return work.starts(0).size() > cancelled_starts; }));
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  std::thread release([&] {
    std::this_thread::sleep_for(600ms);  // long enough for the next caller to meet the job still running
    work.allow(0);
  });
  const auto report = farm::run_slurm(work.list(), quick(work));
  release.join();
  ASSERT_TRUE(report && report->complete()) << said(report) << node.log();
  EXPECT_EQ(work.starts(0).size(), cancelled_starts + 1) << "a job under way was submitted again";
}

TEST(SlurmFarm, NodeLeavesNothingBehind) {
  SUPPLE_REQUIRE_SLURM();
  ShellTasks work(1);
  work.hold(0);
  {
    const SlurmNode node;
    ASSERT_TRUE(node.ready()) << node.log();
    std::ofstream(work.folder() / "job.sh") << farm::job_script(work.list());
    ASSERT_EQ(run("cd '" + work.folder().parent_path().string() + "' && sbatch --array=0 --output=/dev/null */job.sh 0")
                  .exit_code,
              0);
    ASSERT_TRUE(eventually([&] { return !work.starts(0).empty(); })) << node.log();
  }
  EXPECT_NE(::kill(work.starts(0)[0], 0), 0);
}

}  // namespace
}  // namespace supple::test
