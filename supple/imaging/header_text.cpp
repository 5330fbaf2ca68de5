#include "supple/imaging/header_text.h"

#include <algorithm>
#include <cstring>

namespace supple::imaging {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::optional<std::string_view> take_line(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<std::string> read_head(const std::filesystem::path& path) {
  const auto source = open_plain(path);
  if (!source) return source.error();
  constexpr std::size_t longest = 1 << 20;
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(longest, (*source)->limit())), '\0');
  const auto got = (*source)->read(std::as_writable_bytes(std::span(head)));
  if (!got) return got.error();
  head.resize(*got);
  return head;
}

Result<std::unique_ptr<ByteSource>> open_text_numbers(const std::filesystem::path& path, std::uint64_t begin,
                                                      std::size_t count) {
  auto text = read_text(path);
  if (!text) return text.error();
  std::vector<double> numbers;
  std::string_view rest =
      std::string_view(*text).substr(static_cast<std::size_t>(std::min<std::uint64_t>(begin, text->size())));
  while (numbers.size() < count) {
    const auto line = take_line(rest);
    if (!line) break;
    const auto here = to_numbers<double>(*line);
    if (!here)
      return Error{path.string(), "has a word among its numbers: '" + std::string(line->substr(0, 40)) + "'", ""};
    numbers.insert(numbers.end(), here->begin(), here->end());
  }
  numbers.resize(std::min(numbers.size(), count));
  const auto bytes = std::as_bytes(std::span(numbers));
  return from_memory(Bytes(bytes.begin(), bytes.end()));
}

}  // namespace supple::imaging
