#include "cli/session.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "supple/base/parallel.h"

namespace supple::cli {
namespace {

std::atomic<bool> graceful = false, stopping = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // the signal handler touches them

}  // namespace

bool stop_gracefully() noexcept { return graceful && !stopping.exchange(true); }
void Session::finish_on_interrupt() { graceful = true; }

Session::Session() {
  asked_to_stop = [] { return stopping.load(); };
  progress = [this](std::string_view stage, double fraction) {
    if (!json_ && !quiet_ && ::isatty(STDERR_FILENO) != 0) show_progress(stage, fraction);
    return !stopping;
  };
}

/// What is left at the pace so far, in words; nothing before there is a pace to speak of.
std::string Session::time_left(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!progress_shown_ || fraction < furthest_) begun_ = now;  // another stage
  furthest_ = fraction;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  if (seconds < 3 || fraction < 0.03 || fraction >= 1) return "";
  const double left = seconds * (1 - fraction) / fraction;
  return left < 90 ? fmt::format(", {:.0f} s left", left) : fmt::format(", {:.0f} min left", left / 60);
}

void Session::show_progress(std::string_view stage, double fraction) {
  constexpr int width = 24;
  const int done = static_cast<int>(fraction * width);
  const bool told = stage.find("left") != std::string_view::npos;  // by the stage itself
  const std::string left = told ? std::string() : time_left(fraction);
  fmt::print(stderr, "\r\033[K{:<44} [{:<{}}] {:3.0f} %{}", stage, std::string(static_cast<std::size_t>(done), '#'),
             width, fraction * 100, left);
  std::fflush(stderr);
  progress_shown_ = true;
}

void Session::add_common_options(Command& app) {
  const std::vector<Option> options = app.options();
  if (std::any_of(options.begin(), options.end(), [](const Option& o) { return o.is_written_character(); })) {
    app.flag("--compress", compress, "Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression");
  }
  app.flag("--json", json_, "Print one JSON object instead of text").group(every_command);
  app.flag("-q,--quiet", quiet_, "No progress and no warnings").group(every_command);
  app.option("--threads", threads_, "Threads to use; results do not depend on it (default: all)")
      .range(0, 1024)
      .group(every_command)
      .type("N");
}

namespace {

/// Names come from files and may hold anything: control characters must not reach the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') c = '?';
  }
  return text;
}

}  // namespace

void Session::clear_progress() {
  if (std::exchange(progress_shown_, false)) fmt::print(stderr, "\r\033[K");
}

void Session::print(const Outcome& outcome) {
  if (json_) {
    Json report{{"ok", outcome.exit_code == success}};
    report.update(outcome.json);
    report["warnings"] = warnings;
    fmt::print("{}\n", report.dump(2));
    return;
  }
  if (!quiet_) {
    for (const std::string& warning : warnings) fmt::print(stderr, "supple: warning: {}\n", printable(warning));
  }
  fmt::print("{}", printable(outcome.text));
}

void Session::announce(const Outcome& outcome) {
  clear_progress();
  print(outcome);
  std::fflush(stdout);
  announced_ = true;
}

int Session::finish(const Result<Outcome>& outcome) {
  clear_progress();
  if (!outcome) {
    const Error& error = outcome.error();
    if (json_) {
      const Json report{{"ok", false},
                        {"error", {{"item", error.item}, {"problem", error.problem}, {"remedy", error.remedy}}}};
      fmt::print("{}\n", report.dump(2));
    }
    fmt::print(stderr, "supple: error: {}\n", printable(error.message()));
    return bad_input;
  }
  if (!announced_) print(*outcome);
  return outcome->exit_code;
}

Result<Outcome> Session::execute() {
  set_thread_count(threads_);
  return command();
}

int Session::run() {
  const int code = finish(execute());
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "supple: error: standard output cannot be written\n");
  return bad_input;
}

}  // namespace supple::cli
