// Other programs: started without a shell, their output kept, and never left behind.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supple/base/result.h"

namespace supple {

struct ProcessOptions {
  std::filesystem::path folder;                                    // to work in; empty: the caller's
  std::vector<std::pair<std::string, std::string>> environment{};  // added to the caller's
};

/// How a program ended.
struct ProcessResult {
  int exit_code = 0;  // 128 + signal where a signal ended it
  int signal = 0;     // 0: it ended by itself
  bool timed_out = false, stopped = false;
  std::string out, err;

  bool ok() const { return exit_code == 0 && !timed_out && !stopped; }
  /// Its last words: the end of standard error, or of standard output where that is silent.
  std::string last_words(std::size_t lines = 3) const;
};

/// A program that runs beside the caller. It gets no input; what it says is kept in files without a name, so that
/// neither side ever waits for the other. The destructor ends it.
class Process {
 public:
  /// `program` is a path or is looked for on PATH. The error's item is the program; the caller knows how to install it.
  static Result<Process> start(const std::string& program, const std::vector<std::string>& arguments,
                               const ProcessOptions& options = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  int id() const { return pid_; }
  /// Nothing while it still runs.
  std::optional<ProcessResult> poll();
  ProcessResult wait();
  /// Ends it at once; wait() tells how it ended.
  void kill();

 private:
  Process() = default;
  void release();
  ProcessResult collect(int status);

  int pid_ = -1, out_ = -1, err_ = -1;
};

/// Runs a program to its end. After `timeout`, or when `keep_going` says no, it is killed and the result says so.
Result<ProcessResult> run_process(const std::string& program, const std::vector<std::string>& arguments,
                                  const ProcessOptions& options = {},
                                  std::optional<std::chrono::milliseconds> timeout = std::nullopt,
                                  const std::function<bool()>& keep_going = {});

}  // namespace supple
