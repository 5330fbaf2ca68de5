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

/// Names a misspelt option or command could have meant: those of the command that was being parsed.
std::vector<std::string> names_in(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
  }
  return names;
}

const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  std::string path;
  for (const CLI::App* a = &command; a != nullptr; a = a->get_parent())
    path = a->get_name() + (path.empty() ? "" : " ") + path;
  const std::string help = "see " + path + " --help";
  if (const std::vector<std::string> extras = app.remaining(true); !extras.empty()) {
    const std::string& word = extras.front();
    const bool option = word.starts_with("-");
    const std::string suggestion = did_you_mean(word.substr(0, word.find('=')), names_in(command, option));
    const bool unknown_command = !option && !names_in(command, false).empty();
    return {word,
            option            ? "is not an option here"
            : unknown_command ? "is not a command"
                              : "was not expected",
            suggestion.empty() ? help : suggestion};
  }
  return {"", error.what(), help};
}

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
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk

  cli::Session session;
  session.arguments.assign(argv, argv + argc);
  if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc) session.answer_in_json();
  CLI::App app("Supple: rigged mesh in, skin that behaves out.", "supple");
  app.set_version_flag("--version", "supple " SUPPLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\nExample:\n  supple make hand -o hand.glb && supple render hand.glb -o hand.png --clip fist --time 2\n"
      "\nExit codes: 0 done; 1 compare found more difference than --max allows; 2 bad input or option, nothing "
      "written; 3 simulate was stopped or failed on the way, what was finished is kept.\n"
      "Every command takes --json. Lengths are metres, angles degrees, times seconds, unless an option says "
      "otherwise.");
  cli::add_make(app, session);
  cli::add_inspect(app, session);
  cli::add_bind(app, session);
  cli::add_pose(app, session);
  cli::add_flesh(app, session);
  cli::add_build(app, session);
  cli::add_wrinkle(app, session);
  cli::add_bake(app, session);
  cli::add_convert(app, session);
  cli::add_subdivide(app, session);
  cli::add_render(app, session);
  cli::add_plan(app, session);
  cli::add_compare(app, session);
  cli::add_measure(app, session);
  cli::add_examples(app, session);
  cli::add_simulate(app, session);
  cli::add_scan(app, session);
  cli::add_fit(app, session);
  cli::add_studio(app, session);
  cli::add_demo(app, session);
  try {
    app.parse(argc, argv);
    return session.run();
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return session.finish(usage_error(app, error));
  } catch (const std::bad_alloc&) {
    return session.finish(Error{"memory", "is not enough for this", "use a smaller model or fewer vertices"});
  } catch (const std::exception& error) {
    fmt::print(stderr, "supple: error: {}\n", error.what());  // standard output itself may be what failed
    return cli::bad_input;
  }
}
