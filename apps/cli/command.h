// Commands and their options, declared: text, numbers, lists, choices, flags. The parser behind them is a library that
// command.cpp alone includes, so that the commands do not compile it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/description.h"
#include "supple/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace supple::cli {

/// The heading of options that all commands have.
inline constexpr const char* every_command = "Every command";

/// What the parser does not keep of an option.
struct OptionNotes {
  ValueKind kind = ValueKind::text;
  bool many = false;
  bool advanced = false;
  bool writes_character = false;
  std::string limits;
  std::string former;  // what it was called once: "--target"
};

/// By option, for the whole program; those that nothing is noted of are missing.
using Notebook = std::map<const CLI::Option*, OptionNotes>;

/// One option of a command; what is asked of it returns it again.
class Option {
 public:
  Option required() const;
  /// What the help calls its value: N, FILE, MM.
  Option type(const std::string& name) const;
  Option show_default() const;
  /// The heading it stands under in the help; none: it is not listed.
  Option group(const std::string& heading) const;
  /// Rarely needed: --help-all lists it, --help does not.
  Option advanced() const;
  /// It names a glTF file that the command writes: how such files are packed is told by options that all commands
  /// share.
  Option writes_character() const;
  /// What it was called once: whoever types that is told its name of today.
  Option formerly(const std::string& name) const;
  Option range(int low, int high) const;
  Option range(double low, double high) const;
  Option positive() const;
  Option not_negative() const;
  Option existing_file() const;
  /// Lists: each time one value (the option may be repeated), or values with commas between them.
  Option one_each() const;
  Option with_commas() const;
  Option count(int least, int most) const;
  Option needs(Option other) const;
  Option excludes(Option other) const;

  /// After parsing.
  bool given() const;
  bool is_written_character() const { return notes_->contains(option_) && notes_->at(option_).writes_character; }
  std::string name() const;

 private:
  friend class Command;
  Option(CLI::Option* option, Notebook* notes) : option_(option), notes_(notes) {}
  Option limits(const std::string& text) const;
  CLI::Option* option_;
  Notebook* notes_;
};

/// A command, or the whole program: options of its own, commands below it.
class Command {
 public:
  Command(CLI::App* app, Notebook* notes) : app_(app), notes_(notes) {}

  /// Text, a number, an optional number or a list of such: the types that command.cpp instantiates. Names are
  /// "-o,--output", or "file" for what stands by its place.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& help);
  /// A value that is turned into something else.
  Option option(const std::string& names, const std::function<void(double)>& take, const std::string& help);
  Option flag(const std::string& names, bool& value, const std::string& help);
  Option flag(const std::string& names, const std::function<void()>& act, const std::string& help);
  /// One of a few words, in any case; the help lists them as left|right, and an error names them.
  template <class Value>
  Option choice(const std::string& names, Value& value, const std::string& help,
                const std::vector<std::pair<std::string, Value>>& choices) {
    std::vector<std::string> words;
    for (const auto& one : choices) words.push_back(one.first);
    return choice(
        names, words, [&value, choices](std::size_t place) { value = choices[place].second; }, help);
  }
  Option choice(const std::string& names, const std::vector<std::string>& words,
                const std::function<void(std::size_t)>& take, const std::string& help);

  /// Words and options that nobody declared are no error.
  void accept_anything();

  /// One that was declared before, by its name.
  Option get(const std::string& name) const;
  std::vector<Option> options() const;

  /// The options of these names are advanced.
  void mark_advanced(const std::vector<std::string>& names) const;

  /// In the help, commands that are declared from now on stand under this heading.
  void heading(const std::string& text) { heading_ = text; }

  /// A command below this one, with what follows its options in the help. Where `act` is given, it is called when all
  /// options are read; where it is not, one of the commands below it must be given.
  Command command(const std::string& name, const std::string& summary, const std::string& footer,
                  const std::function<void()>& act = {});

 private:
  Option of(CLI::Option* option) const { return {option, notes_}; }
  Option of(CLI::Option* option, ValueKind kind, bool many = false) const;
  CLI::App* app_;
  Notebook* notes_;
  std::string heading_;
};

/// The whole program.
class Program {
 public:
  Program(const std::string& name, const std::string& summary, const std::string& version, const std::string& footer);
  ~Program();
  Command& root() { return root_; }
  /// All commands and options that are declared so far.
  DescribedCommand describe() const;

  /// All was read and the command's act was called; or --help or --version was asked for, and its text was printed; or
  /// the error says what is wrong, and what was meant perhaps.
  enum class Parsed { command, answered };
  Result<Parsed> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Notebook notes_;
  Command root_;
};

}  // namespace supple::cli
