// Words, lines and counts of text formats with binary stretches.
#include "supple/files/volume_mesh/raw.h"

namespace supple::detail {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\n'; }

}  // namespace

std::string_view Scanner::word() {
  while (at_ < text_.size()) {
    if (comment_ != 0 && text_[at_] == comment_) {
      skip_line();
    } else if (is_blank(text_[at_])) {
      line_ += text_[at_++] == '\n' ? 1 : 0;
    } else {
      break;
    }
  }
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Scanner::peek() {
  const std::string_view next = word();
  at_ -= next.size();
  return next;
}

void Scanner::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ < text_.size()) {
    ++at_;
    ++line_;
  }
}

bool Scanner::skip_behind(std::string_view mark) {
  const std::size_t found = text_.find(mark, at_);
  if (found == std::string_view::npos) return false;
  for (const std::size_t end = found + mark.size(); at_ < end; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  return true;
}

std::size_t Scanner::read_count(const char* what, std::size_t bytes) {
  const auto count = read<std::uint64_t>(what);
  if (failed()) return 0;
  if (count > (text_.size() - at_) / bytes + 1) {
    fail(std::string(what) + " is " + std::to_string(count) + ", more than the rest of the file can hold");
    return 0;
  }
  return count;
}

Vec3d Scanner::read_position() {
  const auto x = read<double>("coordinate"), y = read<double>("coordinate"), z = read<double>("coordinate");
  if (!failed() && !is_finite(Vec3d{x, y, z})) fail("has a coordinate that is not finite");
  return {x, y, z};
}

void Scanner::fail(std::string problem, std::string remedy) {
  if (failed()) return;
  std::string item = file_;
  item.append(binary_ ? ", byte " : ":").append(std::to_string(binary_ ? at_ : line_));
  error_ = Error{std::move(item), std::move(problem), std::move(remedy)};
}

}  // namespace supple::detail
