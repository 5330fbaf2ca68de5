// Completion scripts for bash, zsh and fish, from the options as they were declared. All three find out first which
// command the words so far name, and then offer what belongs to that command.
#include <fmt/core.h>

#include "cli/description.h"

namespace supple::cli {
namespace {

/// As one word of a shell's line; a quotation mark inside is closed, escaped and opened again, in all three shells.
std::string in_quotes(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string joined_by(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// The command and all below it.
std::vector<const DescribedCommand*> all_of(const DescribedCommand& command) {
  std::vector<const DescribedCommand*> all{&command};
  for (const DescribedCommand& one : command.commands)
    for (const DescribedCommand* below : all_of(one)) all.push_back(below);
  return all;
}

/// Paths of all commands but the program itself, each quoted.
std::vector<std::string> quoted_paths(const DescribedCommand& program) {
  std::vector<std::string> paths;
  for (const DescribedCommand* command : all_of(program))
    if (command != &program) paths.push_back(in_quotes(command->path));
  return paths;
}

/// 'supple fit --output'|'supple fit -o'
std::string pattern_of(const DescribedCommand& command, const DescribedOption& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(in_quotes(command.path + " " + name));
  return joined_by(patterns, "|");
}

/// Words that may stand by their place: the commands below, or the choices of what has no dashes.
std::vector<std::string> words_by_place(const DescribedCommand& command) {
  std::vector<std::string> words;
  for (const DescribedCommand& one : command.commands) words.push_back(one.name());
  for (const DescribedOption& option : command.options)
    if (option.by_place())
      for (const std::string& word : option.choices()) words.push_back(word);
  return words;
}

std::string bash_script(const DescribedCommand& program) {
  std::string values, places;
  for (const DescribedCommand* command : all_of(program)) {
    std::vector<std::string> names;
    for (const DescribedOption& option : command->options) {
      if (option.by_place()) continue;
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value.empty()) continue;
      const std::string words = joined_by(option.choices(), " ");
      values += fmt::format("    {}) choices={} ;;\n", pattern_of(*command, option), in_quotes(words));
    }
    places += fmt::format("      {}) options={}; choices={} ;;\n", in_quotes(command->path),
                          in_quotes(joined_by(names, " ")), in_quotes(joined_by(words_by_place(*command), " ")));
  }
  // Bash takes --blend=dual apart into three words. Where nothing is offered, it completes names of files itself.
  return fmt::format(R"(# Completion of {0} for bash: source <({0} completion bash)
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} place={0} options= choices= i
  if [[ $word == = ]]; then word=
  elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place ${{COMP_WORDS[i]}}" in
      {1}) place="$place ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$place $before" in
{2}    *) case $place in
{3}      esac ;;
  esac
  if [[ $word == -* ]]; then choices=$options; fi
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}}
complete -o bashdefault -o default -F _{0} {0}
)",
                     program.path, joined_by(quoted_paths(program), "|"), values, places);
}

/// NAME:WHAT IT IS, as zsh's _describe reads it.
std::string described_word(const std::string& word, const std::string& help) {
  std::string text = word + ":";
  for (const char c : help) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return in_quotes(text);
}

std::string zsh_script(const DescribedCommand& program) {
  std::string values, places;
  for (const DescribedCommand* command : all_of(program)) {
    std::vector<std::string> options, words;
    for (const DescribedCommand& one : command->commands) words.push_back(described_word(one.name(), one.summary));
    for (const DescribedOption& option : command->options) {
      if (option.by_place()) {
        for (const std::string& word : option.choices()) words.push_back(in_quotes(word));
        continue;
      }
      for (const std::string& name : option.names) options.push_back(described_word(name, option.help));
      if (option.value.empty()) continue;
      const std::string choices = joined_by(option.choices(), " ");
      values += fmt::format("    {}) {}; return ;;\n", pattern_of(*command, option),
                            choices.empty() ? "_files" : "compadd -- " + choices);
    }
    places += fmt::format("    {})\n      options=({})\n      choices=({}) ;;\n", in_quotes(command->path),
                          joined_by(options, "\n        "), joined_by(words, "\n        "));
  }
  return fmt::format(R"(#compdef {0}
# Completion of {0} for zsh: {0} completion zsh > FOLDER/_{0}, where FOLDER is one of $fpath.
_{0}() {{
  local place={0} i
  local -a options choices
  for ((i = 2; i < CURRENT; i++)); do
    case "$place ${{words[i]}}" in
      {1}) place="$place ${{words[i]}}" ;;
    esac
  done
  case "$place ${{words[CURRENT-1]}}" in
{2}  esac
  case $place in
{3}  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif (( $#choices )); then _describe choice choices || _files
  else _files; fi
}}
if [[ $funcstack[1] == _{0} ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
                     program.path, joined_by(quoted_paths(program), "|"), values, places);
}

std::string fish_script(const DescribedCommand& program) {
  std::string lines;
  for (const DescribedCommand* command : all_of(program)) {
    const std::string here = fmt::format("complete -c {0} -n {1}", program.path,
                                         in_quotes(fmt::format("__{}_at \"{}\"", program.path, command->path)));
    for (const DescribedCommand& one : command->commands)
      lines += fmt::format("{} -f -a {} -d {}\n", here, one.name(), in_quotes(one.summary));
    for (const DescribedOption& option : command->options) {
      const std::string choices = in_quotes(joined_by(option.choices(), " "));
      if (option.by_place()) {
        if (!option.choices().empty()) lines += fmt::format("{} -a {} -d {}\n", here, choices, in_quotes(option.help));
        continue;
      }
      lines += here;
      for (const std::string& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices().empty())
        lines += " -x -a " + choices;
      else if (!option.value.empty())
        lines += " -r";
      lines += " -d " + in_quotes(option.help) + "\n";
    }
  }
  return fmt::format(R"(# Completion of {0} for fish: {0} completion fish > ~/.config/fish/completions/{0}.fish
function __{0}_at
  set -l place {0}
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    if contains -- "$place $word" {1}
      set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
{2})",
                     program.path, joined_by(quoted_paths(program), " "), lines);
}

}  // namespace

std::string completion_script(const DescribedCommand& program, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script(program);
    case Shell::zsh:
      return zsh_script(program);
    case Shell::fish:
      return fish_script(program);
  }
  return {};
}

}  // namespace supple::cli
