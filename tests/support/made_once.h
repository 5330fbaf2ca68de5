// What several tests begin with and take long to make: made by the first, found by the others, also in other processes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace supple::test {

/// The folder `name`, filled by `make` unless that was done since `program` and this test were built. Tests must not
/// change what is in it. What failed is made again by the next test.
inline std::filesystem::path made_once(const std::string& name, const std::filesystem::path& program,
                                       const std::function<void(const std::filesystem::path&)>& make) {
  namespace fs = std::filesystem;
  const fs::path all = SUPPLE_TEST_WORK, folder = all / name, stamp = all / (name + ".done");
  fs::create_directories(all);
  const int lock = ::open((all / (name + ".lock")).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  ::flock(lock, LOCK_EX);  // the others wait here while one makes it
  std::error_code none;
  const fs::file_time_type made = fs::last_write_time(stamp, none);
  const fs::file_time_type built = std::max(fs::last_write_time(program), fs::last_write_time("/proc/self/exe"));
  if (none || made < built) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    make(folder);
    if (!testing::Test::HasFailure()) std::ofstream(stamp) << "made\n";
  }
  ::close(lock);
  return folder;
}

}  // namespace supple::test
