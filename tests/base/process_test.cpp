// Programs started, watched and ended; nothing is left behind.
#include "supple/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

namespace supple {
namespace {

using namespace std::chrono_literals;

Result<ProcessResult> shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_process("sh", {"-c", script}, options);
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

TEST(Process, KeepsBothOutputsAndTheExitCode) {
  const auto ran = shell("echo out; echo err >&2; exit 7");
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out, "out\n");
  EXPECT_EQ(ran->err, "err\n");
  EXPECT_EQ(ran->exit_code, 7);
  EXPECT_FALSE(ran->ok());
  EXPECT_TRUE(shell("true")->ok());
}

TEST(Process, HandsArgumentsOnAsTheyAre) {
  const auto ran = run_process("printf", {"%s|", "two words", "$HOME", "'\"`*"});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out, "two words|$HOME|'\"`*|");
}

TEST(Process, WorksInAFolderWithItsEnvironmentAndNoInput) {
  const auto folder = std::filesystem::canonical(std::filesystem::temp_directory_path());
  ::setenv("SUPPLE_OLD", "old", 1);
  const auto ran =
      shell("pwd; echo $SUPPLE_NEW $SUPPLE_OLD; cat", {folder, {{"SUPPLE_NEW", "a b"}, {"SUPPLE_OLD", "new"}}});
  ::unsetenv("SUPPLE_OLD");
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out, folder.string() + "\na b new\n");
  EXPECT_EQ(shell("true", {"/not/a/folder", {}}).error().item, "/not/a/folder");
}

TEST(Process, SwallowsMoreThanAPipeHolds) {
  const auto ran = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out.size(), 3000000u);
  EXPECT_EQ(ran->err.size(), 2000000u);
}

TEST(Process, NamesAProgramThatIsMissing) {
  const auto ran = run_process("no-such-program-anywhere", {});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().item, "no-such-program-anywhere");
  EXPECT_NE(ran.error().problem.find("not installed"), std::string::npos);
  const auto folder = run_process("/tmp", {});
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().problem.find("cannot be started"), std::string::npos);
  EXPECT_FALSE(has_children());
}

TEST(Process, KillsWhatTakesTooLongOrIsNotWantedAnyMore) {
  const auto late = run_process("sleep", {"1000"}, {}, 30ms);
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->timed_out);
  EXPECT_EQ(late->signal, SIGKILL);
  EXPECT_EQ(late->exit_code, 128 + SIGKILL);
  int looks = 0;
  const auto unwanted = run_process("sleep", {"1000"}, {}, std::nullopt, [&] { return ++looks < 3; });
  ASSERT_TRUE(unwanted);
  EXPECT_TRUE(unwanted->stopped);
  EXPECT_FALSE(unwanted->timed_out);
  EXPECT_FALSE(has_children());
}

TEST(Process, RunsBesideTheCallerAndEndsWithItsObject) {
  int id = 0;
  {
    auto process = Process::start("sleep", {"1000"});
    ASSERT_TRUE(process);
    Process moved = std::move(*process);
    id = moved.id();
    EXPECT_FALSE(moved.poll());
    EXPECT_EQ(::kill(id, 0), 0);
  }
  EXPECT_NE(::kill(id, 0), 0);
  EXPECT_FALSE(has_children());
}

TEST(Process, LastWordsPreferTheErrors) {
  ProcessResult result;
  result.out = "one\ntwo\nthree\n\n";
  EXPECT_EQ(result.last_words(2), "two\nthree");
  EXPECT_EQ(result.last_words(9), "one\ntwo\nthree");
  result.err = "bad\n";
  EXPECT_EQ(result.last_words(), "bad");
  EXPECT_EQ(ProcessResult{}.last_words(), "");
}

}  // namespace
}  // namespace supple
