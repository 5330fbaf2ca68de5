#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "supple/base/text.h"

namespace supple::cli {
namespace {

/// A finite number above 0; CLI11's own checks let NaN pass and print 300 digits.
const CLI::Validator above_zero(
    [](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return *end == '\0' && std::isfinite(value) && value > 0 ? "" : "must be a number above 0, not " + text;
    },
    "");

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

}  // namespace

Option Option::required() const { return Option(option_->required()); }
Option Option::type(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::group(const std::string& heading) const { return Option(option_->group(heading)); }
Option Option::range(int low, int high) const { return Option(option_->check(CLI::Range(low, high))); }
Option Option::range(double low, double high) const {
  const auto finite = [](const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? "must be a number, not " + text : "";
  };
  return Option(option_->check(CLI::Validator(finite, ""))->check(CLI::Range(low, high)));
}
Option Option::positive() const { return Option(option_->check(above_zero)); }
Option Option::not_negative() const { return Option(option_->check(CLI::NonNegativeNumber)); }
Option Option::existing_file() const { return Option(option_->check(CLI::ExistingFile)); }
Option Option::one_each() const { return Option(option_->allow_extra_args(false)); }
Option Option::with_commas() const { return Option(option_->delimiter(',')->allow_extra_args(false)); }
Option Option::count(int least, int most) const { return Option(option_->expected(least, most)); }
Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, long&, const std::string&);
template Option Command::option(const std::string&, long long&, const std::string&);
template Option Command::option(const std::string&, unsigned short&, const std::string&);
template Option Command::option(const std::string&, unsigned long&, const std::string&);
template Option Command::option(const std::string&, float&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned>&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned long>&, const std::string&);
template Option Command::option(const std::string&, std::optional<float>&, const std::string&);
template Option Command::option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, std::vector<unsigned long>&, const std::string&);
template Option Command::option(const std::string&, std::vector<double>&, const std::string&);

Option Command::option(const std::string& names, const std::function<void(double)>& take, const std::string& help) {
  return Option(app_->add_option_function<double>(names, take, help));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option Command::flag(const std::string& names, const std::function<void()>& act, const std::string& help) {
  return Option(app_->add_flag_callback(names, act, help));
}

Option Command::choice(const std::string& names, const std::vector<std::string>& words,
                       const std::function<void(std::size_t)>& take, const std::string& help) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
  const auto place_of = [words](const std::string& given) {
    std::size_t place = 0;
    while (place < words.size() && CLI::detail::to_lower(words[place]) != CLI::detail::to_lower(given)) ++place;
    return place;
  };
  const CLI::Validator known(
      [=](const std::string& given) {
        return place_of(given) < words.size() ? "" : "'" + given + "' is not one of " + list;
      },
      "");
  CLI::Option* option = app_->add_option_function<std::string>(
      names, [=](const std::string& given) { take(place_of(given)); }, help);
  return Option(option->check(known)->type_name(list));
}

void Command::accept_anything() { app_->allow_extras(); }

Option Command::get(const std::string& name) const { return Option(app_->get_option(name)); }

std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options()) all.push_back(Option(option));
  return all;
}

Command Command::command(const std::string& name, const std::string& summary, const std::string& footer,
                         const std::function<void()>& act) {
  CLI::App* app = app_->add_subcommand(name, summary);
  app->footer(footer);
  if (act) {
    app->callback(act);
  } else {
    app->require_subcommand(1);
  }
  return Command(app);
}

Program::Program(const std::string& name, const std::string& summary, const std::string& version,
                 const std::string& footer)
    : app_(std::make_unique<CLI::App>(summary, name)), root_(app_.get()) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

Program::~Program() = default;

Result<Program::Parsed> Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return Parsed::command;
  } catch (const CLI::Success& done) {  // --help, --version
    app_->exit(done);
    return Parsed::answered;
  } catch (const CLI::ParseError& error) {
    return usage_error(*app_, error);
  }
}

}  // namespace supple::cli
