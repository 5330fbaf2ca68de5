// What --help and --help-all print.
#include <fmt/core.h>

#include <algorithm>

#include "cli/description.h"

namespace supple::cli {
namespace {

constexpr std::size_t page_width = 100, text_column = 28;

/// The names in `line`, and `text` beside them in lines that fit the page; below them where they are too long.
std::string beside(std::string line, const std::string& text) {
  std::string page;
  if (line.size() + 2 > text_column) {
    page += line + "\n";
    line.clear();
  }
  line.resize(text_column, ' ');
  bool at_start = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!at_start && line.size() + 1 + word.size() > page_width) {
      page += line + "\n";
      line.assign(text_column, ' ');
      at_start = true;
    }
    line += (at_start ? "" : " ") + word;
    at_start = false;
    begin = end + 1;
  }
  return page + line + "\n";
}

/// "Poses to choose at once (1 to 10000, default 30)".
std::string explained(const DescribedOption& option) {
  std::string facts = option.limits;
  if (!option.usual.empty()) facts += (facts.empty() ? "" : ", ") + ("default " + option.usual);
  if (facts.empty()) return option.help;
  // A text that ends with a remark of its own on the default takes the limits into the same brackets.
  if (option.help.ends_with(")") && option.help.find("(default", option.help.rfind('(')) != std::string::npos)
    return option.help.substr(0, option.help.size() - 1) + "; " + facts + ")";
  return fmt::format("{} ({})", option.help, facts);
}

std::string named(const DescribedOption& option) {
  if (option.by_place()) return "  " + option.names.front() + (option.choices().empty() ? "" : " " + option.value);
  // Long names stand one below the other, whether there is a short one or not.
  std::string text = option.names.front().starts_with("--") ? "      " : "  ";
  for (const std::string& name : option.names) text += (&name == &option.names.front() ? "" : ", ") + name;
  return option.value.empty() ? text : text + " " + option.value;
}

std::string usage(const DescribedCommand& command) {
  std::string text = "Usage: " + command.path;
  for (const DescribedOption& option : command.options)
    if (option.by_place()) text += option.required ? " " + option.names.front() : " [" + option.names.front() + "]";
  for (const DescribedOption& option : command.options)
    if (!option.by_place() && option.required) text += fmt::format(" {} {}", option.names.front(), option.value);
  return text + (command.commands.empty() ? " [OPTIONS]" : " COMMAND") + "\n";
}

template <class Item>
std::vector<std::string> headings_of(const std::vector<const Item*>& items) {
  std::vector<std::string> headings;
  for (const Item* item : items)
    if (std::find(headings.begin(), headings.end(), item->heading) == headings.end()) headings.push_back(item->heading);
  return headings;
}

std::string list_of_commands(const DescribedCommand& command) {
  std::vector<const DescribedCommand*> listed;
  for (const DescribedCommand& one : command.commands) listed.push_back(&one);
  std::string text;
  for (const std::string& heading : headings_of(listed)) {
    text += fmt::format("\n{}:\n", heading.empty() ? "Commands" : heading);
    for (const DescribedCommand* one : listed)
      if (one->heading == heading) text += beside("  " + one->name(), one->summary);
  }
  return text;
}

std::string list_of_options(const DescribedCommand& command, bool all) {
  std::vector<const DescribedOption*> needed, others;
  for (const DescribedOption& option : command.options) {
    if (option.required)
      needed.push_back(&option);
    else if (all || !option.advanced)
      others.push_back(&option);
  }
  std::string text;
  const auto list = [&](const DescribedOption& option) { text += beside(named(option), explained(option)); };
  if (!needed.empty()) text += "\nNeeded:\n";
  for (const DescribedOption* option : needed) list(*option);
  for (const std::string& heading : headings_of(others)) {
    text += fmt::format("\n{}:\n", heading.empty() ? "Options" : heading);
    for (const DescribedOption* option : others)
      if (option->heading == heading) list(*option);
  }
  return text;
}

}  // namespace

std::vector<std::string> DescribedOption::choices() const {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    words.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string help_text(const DescribedCommand& command, bool all) {
  std::string text = command.summary + "\n\n" + usage(command);
  text += list_of_commands(command) + list_of_options(command, all) + command.footer;
  if (!text.ends_with("\n")) text += "\n";
  const auto more =
      std::count_if(command.options.begin(), command.options.end(), [](const auto& o) { return o.advanced; });
  if (!all && more > 0) text += fmt::format("\n--help-all lists {} more option{}.\n", more, more == 1 ? "" : "s");
  return text;
}

}  // namespace supple::cli
