// Ctrl-C while a folder of slices is being written.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "imaging/imaging_support.h"
#include "supple/base/file.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t slices = 200;
constexpr int interrupted = 130;

/// As the command line does.
extern "C" void clean_up_and_leave(int) {
  remove_unfinished_files();
  ::_exit(interrupted);
}

[[noreturn]] void write_until_interrupted(const fs::path& above) {
  std::signal(SIGINT, clean_up_and_leave);
  Volume volume = small_volume();
  volume.size = {4, 3, slices};
  volume.samples.assign(volume.count(), 100);
  for (int n = 0;; ++n) {
    if (!imaging::write_dicom(above / std::to_string(n), volume)) ::_exit(1);
  }
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A process that does not outlive the test, however that ends.
struct Child {
  pid_t id = 0;
  ~Child() {
    if (id <= 0) return;
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
  }
};

/// Slices in the folder that is half written, if there is one.
std::size_t unfinished_slices(const fs::path& above) {
  for (const fs::directory_entry& entry : fs::directory_iterator(above)) {
    if (entry.path().extension() == ".tmp") return entries_of(entry.path());
  }
  return 0;
}

TEST(Dicom, InterruptedWritingLeavesWholeFoldersOnly) {
  const TemporaryFolder folder;
  Child child{::fork()};
  ASSERT_GE(child.id, 0);
  if (child.id == 0) write_until_interrupted(folder.path());
  // Stopped in the middle of a folder, with slices in it, so that there is something to clean up.
  std::size_t half_written = 0;
  int status = 0;
  for (int attempt = 0; attempt < 1000 && half_written == 0; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(child.id, SIGSTOP);
    ASSERT_EQ(::waitpid(child.id, &status, WUNTRACED), child.id);
    if (!WIFSTOPPED(status)) {
      child.id = 0;
      FAIL() << "it ended by itself";
    }
    half_written = unfinished_slices(folder.path());
    if (half_written == 0) ::kill(child.id, SIGCONT);
  }
  ::kill(child.id, SIGINT);
  ::kill(child.id, SIGCONT);
  ASSERT_GT(::waitpid(std::exchange(child.id, 0), &status, 0), 0);
  EXPECT_GT(half_written, 0u);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), interrupted);
  EXPECT_EQ(unfinished_slices(folder.path()), 0u);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    EXPECT_NE(entry.path().extension(), ".tmp");
    EXPECT_EQ(entries_of(entry.path()), slices);
  }
}

}  // namespace
}  // namespace supple::test
