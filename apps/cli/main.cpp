// supple: the command line.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "cli/supple_program.h"
#include "supple/base/file.h"

namespace {

using namespace supple;

/// Ctrl-C: commands that can keep what is done are asked to; otherwise take away files that are only half written, and
/// go.
extern "C" void interrupted(int signal) {
  if (cli::stop_gracefully()) return;
  remove_unfinished_files();
  ::_exit(128 + signal);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, interrupted);
  std::signal(SIGTERM, interrupted);
  if (std::signal(SIGHUP, interrupted) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup: the terminal may go
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk

  cli::Session session;
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  session.program = {unknown ? argv[0] : self.string()};
  session.arguments.assign(argv + 1, argv + argc);
  if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc) session.answer_in_json();
  cli::SuppleProgram program(session);
  try {
    const auto parsed = program.parse(argc, argv);
    if (!parsed) return session.finish(parsed.error());
    return *parsed == cli::Program::Parsed::answered ? cli::success : session.run();
  } catch (const std::bad_alloc&) {
    return session.finish(Error{"memory", "is not enough for this", "use a smaller model or fewer vertices"});
  } catch (const std::exception& error) {
    fmt::print(stderr, "supple: error: {}\n", error.what());  // standard output itself may be what failed
    return cli::bad_input;
  }
}
