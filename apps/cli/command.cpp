#include "cli/command.h"

#include <fmt/core.h>

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

std::string path_of(const CLI::App& command) {
  std::string path;
  for (const CLI::App* a = &command; a != nullptr; a = a->get_parent())
    path = a->get_name() + (path.empty() ? "" : " ") + path;
  return path;
}

/// A check that adds nothing to the name of the option's value; what it takes is said in words of our own.
CLI::Validator undescribed(CLI::Validator check) { return check.description(""); }

/// What the library calls a list that was given no heading.
constexpr const char *plain_options = "Options", *plain_commands = "Subcommands";

DescribedOption described(const CLI::Option& option, const Notebook& notes) {
  DescribedOption all;
  for (const std::string& name : option.get_snames()) all.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.names.push_back("--" + name);
  if (option.get_positional()) all.names.assign(1, option.get_name());
  if (option.get_items_expected_max() > 0) all.value = option.get_type_name();
  all.help = option.get_description();
  all.usual = option.get_default_str();
  all.heading = option.get_group() == plain_options ? "" : option.get_group();
  all.required = option.get_required();
  if (const auto noted = notes.find(&option); noted != notes.end()) {
    all.advanced = noted->second.advanced;
    all.limits = noted->second.limits;
    all.kind = noted->second.kind;
    all.many = noted->second.many;
    all.writes_character = noted->second.writes_character;
  }
  return all;
}

DescribedCommand described(const CLI::App& app, const Notebook& notes) {
  DescribedCommand all{path_of(app), app.get_description(), app.get_footer(), app.get_group(), {}, {}};
  if (all.heading == plain_commands) all.heading.clear();
  std::vector<DescribedOption> help;  // the library has it first, people look for it last
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const bool is_help = option == app.get_help_ptr() || option == app.get_help_all_ptr();
    (is_help ? help : all.options).push_back(described(*option, notes));
    if (is_help) help.back().heading = every_command;
  }
  all.options.insert(all.options.end(), help.begin(), help.end());
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    all.commands.push_back(described(*command, notes));
  return all;
}

/// "it is --for-engine now", where an option was called otherwise once; also the nearest name, where that is another.
std::string renamed(const CLI::App& command, const Notebook& notes, const std::string& word, const std::string& near) {
  for (const CLI::Option* option : command.get_options()) {
    const auto noted = notes.find(option);
    if (noted == notes.end() || noted->second.former.empty() || noted->second.former != word) continue;
    return "it is " + option->get_name() + " now" + (near.empty() ? "" : "; or " + near);
  }
  return near;
}

Error usage_error(const CLI::App& app, const Notebook& notes, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string help = "see " + path_of(command) + " --help";
  if (const std::vector<std::string> extras = app.remaining(true); !extras.empty()) {
    const std::string& word = extras.front();
    const bool option = word.starts_with("-");
    const std::string name = word.substr(0, word.find('='));
    const std::string near = did_you_mean(name, names_in(command, option));
    const std::string suggestion = option ? renamed(command, notes, name, near) : near;
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

Option Option::limits(const std::string& text) const {
  (*notes_)[option_].limits = text;
  return *this;
}
Option Option::advanced() const {
  (*notes_)[option_].advanced = true;
  return *this;
}

Option Option::writes_character() const {
  (*notes_)[option_].writes_character = true;
  return *this;
}

Option Option::formerly(const std::string& name) const {
  (*notes_)[option_].former = name;
  return *this;
}

Option Option::required() const { return {option_->required(), notes_}; }
Option Option::type(const std::string& name) const { return {option_->type_name(name), notes_}; }
Option Option::show_default() const { return {option_->capture_default_str(), notes_}; }
Option Option::group(const std::string& heading) const { return {option_->group(heading), notes_}; }
Option Option::range(int low, int high) const {
  option_->check(undescribed(CLI::Range(low, high)));
  return limits(fmt::format("{} {} {}", low, high == low + 1 ? "or" : "to", high));
}
Option Option::range(double low, double high) const {
  const auto finite = [](const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? "must be a number, not " + text : "";
  };
  option_->check(CLI::Validator(finite, ""))->check(undescribed(CLI::Range(low, high)));
  return limits(fmt::format("{:.12g} to {:.12g}", low, high));
}
Option Option::positive() const {
  option_->check(above_zero);
  return limits("above 0");
}
Option Option::not_negative() const {
  option_->check(undescribed(CLI::NonNegativeNumber));
  return limits("0 or more");
}
Option Option::existing_file() const { return {option_->check(undescribed(CLI::ExistingFile)), notes_}; }
Option Option::one_each() const { return {option_->allow_extra_args(false), notes_}; }
Option Option::with_commas() const { return {option_->delimiter(',')->allow_extra_args(false), notes_}; }
Option Option::count(int least, int most) const { return {option_->expected(least, most), notes_}; }
Option Option::needs(Option other) const { return {option_->needs(other.option_), notes_}; }
Option Option::excludes(Option other) const { return {option_->excludes(other.option_), notes_}; }
bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

namespace {

template <class T>
struct KindOf {
  static constexpr bool many = false;
  static constexpr ValueKind kind = std::is_integral_v<T>         ? ValueKind::whole_number
                                    : std::is_floating_point_v<T> ? ValueKind::number
                                                                  : ValueKind::text;
};
template <class T>
struct KindOf<std::optional<T>> : KindOf<T> {};
template <class T>
struct KindOf<std::vector<T>> : KindOf<T> {
  static constexpr bool many = true;
};

}  // namespace

Option Command::of(CLI::Option* option, ValueKind kind, bool many) const {
  OptionNotes& notes = (*notes_)[option];
  notes.kind = kind;
  notes.many = many;
  return of(option);
}

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& help) {
  return of(app_->add_option(names, value, help), KindOf<T>::kind, KindOf<T>::many);
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
  return of(app_->add_option_function<double>(names, take, help), ValueKind::number);
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  return of(app_->add_flag(names, value, help), ValueKind::flag);
}

Option Command::flag(const std::string& names, const std::function<void()>& act, const std::string& help) {
  return of(app_->add_flag_callback(names, act, help), ValueKind::flag);
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
  return of(option->check(known)->type_name(list), ValueKind::word);
}

void Command::mark_advanced(const std::vector<std::string>& names) const {
  for (const std::string& name : names) get(name).advanced();
}

void Command::accept_anything() { app_->allow_extras(); }

Option Command::get(const std::string& name) const { return of(app_->get_option(name)); }

std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options()) all.push_back(of(option));
  return all;
}

Command Command::command(const std::string& name, const std::string& summary, const std::string& footer,
                         const std::function<void()>& act) {
  CLI::App* app = app_->add_subcommand(name, summary);
  app->footer(footer);
  app->group(heading_.empty() ? plain_commands : heading_);  // otherwise it would be that of the command above
  if (act) {
    app->callback(act);
  } else {
    app->require_subcommand(1);
  }
  return {app, notes_};
}

Program::Program(const std::string& name, const std::string& summary, const std::string& version,
                 const std::string& footer)
    : app_(std::make_unique<CLI::App>(summary, name)), root_(app_.get(), &notes_) {
  // Commands below get the same two, since they are declared later.
  app_->set_help_flag("-h,--help", "This help: what is needed first");
  app_->set_help_all_flag("--help-all", "Help with all options");
  app_->set_version_flag("--version", version, "The version of this program");
  app_->require_subcommand(1);
  app_->footer(footer);
}

Program::~Program() = default;

DescribedCommand Program::describe() const { return described(*app_, notes_); }

Result<Program::Parsed> Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return Parsed::command;
  } catch (const CLI::CallForAllHelp&) {
    fmt::print("{}", help_text(described(innermost(*app_), notes_), true));
    return Parsed::answered;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(described(innermost(*app_), notes_), false));
    return Parsed::answered;
  } catch (const CLI::Success& done) {  // --version
    app_->exit(done);
    return Parsed::answered;
  } catch (const CLI::ParseError& error) {
    return usage_error(*app_, notes_, error);
  }
}

}  // namespace supple::cli
