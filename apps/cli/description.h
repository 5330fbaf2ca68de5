// A command as it was declared, in plain text: what its help and the completion scripts of shells are written from.
#pragma once

#include <string>
#include <vector>

namespace supple::cli {

/// What a value is.
enum class ValueKind { flag, text, whole_number, number, word };

struct DescribedOption {
  std::vector<std::string> names;  // "-o", "--output"; one name without dashes for what stands by its place
  std::string value;               // what the help calls its value: N, FILE, left|right; empty for a flag
  std::string help;
  std::string limits;   // which numbers it takes: "1 to 64", "above 0"; empty where there is nothing to say
  std::string usual;    // its value where it is not given, if that is to be shown
  std::string heading;  // empty for the first list
  ValueKind kind = ValueKind::text;
  bool many = false;  // it may be given several times
  bool required = false, advanced = false, writes_character = false;

  bool by_place() const { return !names.front().starts_with("-"); }
  /// The words of left|right; none where the value is not one of a few words.
  std::vector<std::string> choices() const;
};

struct DescribedCommand {
  std::string path;     // "supple scan build"
  std::string summary;  // one line
  std::string footer;   // examples, and what else follows the options
  std::string heading;  // of the list of commands that it stands in; empty for the first
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;

  /// The last word of the path.
  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// What --help prints (without advanced options, which are counted), and --help-all.
std::string help_text(const DescribedCommand& command, bool all);

enum class Shell { bash, zsh, fish };

/// A script that teaches a shell the commands, options and choices of the program.
std::string completion_script(const DescribedCommand& program, Shell shell);

}  // namespace supple::cli
