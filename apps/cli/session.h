// One run of the command line: what every command shares. Text for people, --json for programs, progress on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cli/command.h"
#include "supple/files/json.h"
#include "supple/workflow/jobs/work.h"

namespace supple::cli {

using namespace workflow;  // a command is a job with words around it

/// Exit codes, the same for every command.
enum ExitCode {
  success = 0,
  difference = 1,  // compare: the files differ by more than was allowed; improve: it cannot help
  bad_input = 2,   // a file, an option or the disk; nothing was written
  incomplete = 3,  // simulate, improve, scan build: stopped or failed on the way; what was finished is kept
};

/// What a command has to say: the same facts twice.
struct Outcome {
  std::string text;
  Json json = Json::object();
  ExitCode exit_code = success;
};

/// The work of one command. Its progress is a bar on stderr where that is a terminal, nothing elsewhere; where the
/// command finishes on interrupt, it says stop once Ctrl-C was pressed.
class Session : public workflow::Work {
 public:
  Session();
  Session(const Session&) = delete;  // its progress points here
  Session& operator=(const Session&) = delete;

  /// From now on the first Ctrl-C only asks the work to stop, so that the command can keep what is done; the second one
  /// ends the program as usual.
  void finish_on_interrupt();

  /// The words that start this program, such as its path, and what follows them in this run: for commands that start
  /// themselves elsewhere.
  std::vector<std::string> program, arguments;

  /// The number of threads that was asked for; 0: all.
  unsigned threads() const { return threads_; }

  void add_common_options(Command& app);
  /// Prints an outcome now, in the form that was asked for: for commands that go on working when all is said. finish()
  /// then prints nothing more, unless it is an error.
  void announce(const Outcome& outcome);
  /// Prints the outcome or the error in the form that was asked for; returns the exit code.
  int finish(const Result<Outcome>& outcome);

  /// The command that was given, set while options are parsed.
  std::function<Result<Outcome>()> command;
  /// Does it, on as many threads as were asked for.
  Result<Outcome> execute();
  /// The same, and prints what came of it; returns the exit code.
  int run();
  /// For errors in the options themselves: --json must count even where parsing stopped before it.
  void answer_in_json() { json_ = true; }

 private:
  void show_progress(std::string_view stage, double fraction);
  std::string time_left(double fraction);
  void clear_progress();
  void print(const Outcome& outcome);

  bool json_ = false, quiet_ = false, progress_shown_ = false, announced_ = false;
  unsigned threads_ = 0;
  double furthest_ = 0;                            // of the stage that is shown
  std::chrono::steady_clock::time_point begun_{};  // when that began
};

/// For the signal handler: whether the command takes care of the stop itself.
bool stop_gracefully() noexcept;

/// Adds a command whose options live in one struct: `declare(command, options)` names them, `run(options, session)`
/// acts.
template <class Options>
void add_command(Command& parent, Session& session, const std::string& name, const std::string& summary,
                 const std::string& example, void (*declare)(Command&, Options&),
                 Result<Outcome> (*run)(const Options&, Session&)) {
  auto options = std::make_shared<Options>();
  Command command = parent.command(name, summary, "\nExample:\n  " + example, [options, run, &session] {
    session.command = [options, run, &session] { return run(*options, session); };
  });
  declare(command, *options);
  session.add_common_options(command);
}

}  // namespace supple::cli
