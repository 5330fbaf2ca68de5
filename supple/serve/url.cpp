#include "supple/serve/url.h"

#include <algorithm>
#include <charconv>

namespace supple::serve {
namespace {

/// The byte that "%XX" at `at` stands for.
std::optional<char> escaped_byte(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  unsigned value = 0;
  const char* digits = text.data() + at + 1;
  const auto [end, failed] = std::from_chars(digits, digits + 2, value, 16);
  if (failed != std::errc() || end != digits + 2) return std::nullopt;
  return static_cast<char>(static_cast<unsigned char>(value));
}

bool may_be_in_a_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x20 && u != 0x7f && c != '\\' && c != '/';
}

bool segments_are_names(std::string_view path) {
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "." || segment == ".." || (segment.empty() && end != path.size())) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::optional<std::string> decoded_path(std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == '/') {
      path.push_back('/');
      continue;
    }
    const bool escaped = target[i] == '%';
    const auto byte = escaped ? escaped_byte(target, i) : std::optional(target[i]);
    // Bytes beyond ASCII must come escaped.
    if (!byte || !may_be_in_a_name(*byte) || (!escaped && static_cast<unsigned char>(*byte) >= 0x80))
      return std::nullopt;
    path.push_back(*byte);
    if (escaped) i += 2;
  }
  if (!segments_are_names(path)) return std::nullopt;
  return path;
}

}  // namespace supple::serve
