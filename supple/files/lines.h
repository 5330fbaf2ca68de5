// Reading text formats word by word, remembering the line for messages.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "supple/base/result.h"

namespace supple {

/// Walks over the words of a text. Blanks, tabs and carriage returns separate words; every kind of line end counts.
class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// Goes to the next line; false at the end. What is left of the present line is skipped.
  bool next_line();
  /// Next word of the line, or "".
  std::string_view word();
  /// All that is left of the line, without blanks around it.
  std::string_view remainder();
  /// Next word wherever it stands, or "" at the end of the text.
  std::string_view word_across_lines();

  std::size_t line() const { return line_; }
  Error error(std::string problem, std::string remedy = "") const {
    return {file_ + ":" + std::to_string(line_), std::move(problem), std::move(remedy)};
  }

 private:
  std::string_view rest_, current_;
  std::string file_;
  std::size_t line_ = 0;
};

/// A word as it is shown in messages: in quotes, cut where it is long.
std::string quoted(std::string_view word);

/// The whole word as a number.
template <class T>
std::optional<T> to_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  T value{};
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace supple
