// Runs something in a child with little memory and processor time: what a small file must be content with.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace supple::test {

/// More memory than `bytes` beyond what the process has now fails to be had. Sanitizers reserve the whole address space
/// for their own tables: under them only the time is limited.
inline void limit_memory(std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  constexpr std::size_t page = 4096;
  const rlimit memory{pages * page + bytes, pages * page + bytes};
  ::setrlimit(RLIMIT_AS, &memory);
#else
  static_cast<void>(bytes);
#endif
  constexpr rlim_t seconds = 20;  // ten times what is promised, since machines differ
  const rlimit time{seconds, seconds};
  ::setrlimit(RLIMIT_CPU, &time);
}

/// `work` gives "" or what is wrong.
inline void expect_within(std::size_t megabytes, const std::function<std::string()>& work) {
  EXPECT_EXIT(
      {
        limit_memory(megabytes << 20);
        const std::string wrong = work();
        std::fputs(wrong.c_str(), stderr);
        std::_Exit(wrong.empty() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

/// For expect_within: that a result is an error which holds `words`.
template <class Result>
std::string refused_with(const Result& result, const std::string& words) {
  if (result) return "was read";
  const std::string message = result.error().message();
  return message.find(words) != std::string::npos ? "" : message;
}

}  // namespace supple::test
