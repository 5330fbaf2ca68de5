#include "supple/files/lines.h"

namespace supple {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::string quoted(std::string_view word) { return std::string("'").append(word.substr(0, 40)).append("'"); }

bool LineReader::next_line() {
  if (rest_.empty()) {
    current_ = {};
    return false;
  }
  const std::size_t end = rest_.find('\n');
  current_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  ++line_;
  return true;
}

std::string_view LineReader::word() {
  std::size_t begin = 0;
  while (begin < current_.size() && is_blank(current_[begin])) ++begin;
  std::size_t end = begin;
  while (end < current_.size() && !is_blank(current_[end])) ++end;
  const std::string_view result = current_.substr(begin, end - begin);
  current_ = current_.substr(end);
  return result;
}

std::string_view LineReader::remainder() {
  std::string_view result = current_;
  while (!result.empty() && is_blank(result.front())) result.remove_prefix(1);
  while (!result.empty() && is_blank(result.back())) result.remove_suffix(1);
  current_ = {};
  return result;
}

std::string_view LineReader::word_across_lines() {
  while (true) {
    const std::string_view result = word();
    if (!result.empty() || !next_line()) return result;
  }
}

}  // namespace supple
