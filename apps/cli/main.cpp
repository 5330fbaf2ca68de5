// supple: the command line.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "cli/commands/commands.h"
#include "cli/session.h"
#include "supple/base/file.h"
#include "supple/base/text.h"

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
  session.arguments.assign(argv, argv + argc);
  if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc) session.answer_in_json();
  cli::Program program(
      "supple", "Supple: rigged mesh in, skin that behaves out.", "supple " SUPPLE_VERSION,
      "\nExample:\n  supple improve character.glb -o better.glb\n  supple make hand -o hand.glb && supple render "
      "hand.glb -o hand.png --clip fist --time 2\n"
      "\nExit codes: 0 done; 1 compare found more difference than --max allows, or improve\n"
      "cannot help; 2 bad input or option, nothing written; 3 the work was stopped or failed on the way,\n"
      "what was finished is kept.\n"
      "Every command takes --help and --json. Lengths are metres, angles degrees, times seconds, unless\n"
      "an option says otherwise.");
  cli::Command& app = program.root();
  app.heading("Improve");
  cli::add_improve(app, session);
  app.heading("Make and look");
  cli::add_demo(app, session);
  cli::add_studio(app, session);
  cli::add_make(app, session);
  cli::add_inspect(app, session);
  cli::add_render(app, session);
  cli::add_measure(app, session);
  cli::add_compare(app, session);
  app.heading("Learn");
  cli::add_plan(app, session);
  cli::add_simulate(app, session);
  cli::add_examples(app, session);
  cli::add_fit(app, session);
  app.heading("Deformers");
  cli::add_add(app, session);
  cli::add_remove(app, session);
  app.heading("Files");
  cli::add_bind(app, session);
  cli::add_pose(app, session);
  cli::add_bake(app, session);
  cli::add_convert(app, session);
  cli::add_subdivide(app, session);
  app.heading("Scans");
  cli::add_scan(app, session);
  app.heading("This program");
  cli::add_completion(program, session);
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
