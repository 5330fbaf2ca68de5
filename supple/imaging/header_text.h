// Words and numbers of headers that are text.
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/imaging/byte_source.h"

namespace supple::imaging {

/// Without blanks around it.
std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);

/// The next line of a text and what comes after it; the line without its end. Nothing at the end of the text.
std::optional<std::string_view> take_line(std::string_view& rest);

/// The whole word as a number.
template <class T>
std::optional<T> to_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  T value{};
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Numbers between blanks; nothing where a word is none.
template <class T>
std::optional<std::vector<T>> to_numbers(std::string_view text) {
  std::vector<T> numbers;
  constexpr std::string_view blanks = " \t\r\n,";
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    const auto number = to_number<T>(text.substr(begin, end - begin));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    begin = text.find_first_not_of(blanks, end);
  }
  return numbers;
}

/// The beginning of a file, where its header is: at most a megabyte.
Result<std::string> read_head(const std::filesystem::path& path);

/// The header of a file as `parse` (of the text and the file's name) understands it.
template <class Header>
Result<Header> read_header(const std::filesystem::path& path,
                           Result<Header> (*parse)(std::string_view, const std::string&)) {
  const auto head = read_head(path);
  if (!head) return head.error();
  return parse(*head, path.string());
}

/// Numbers written as text from byte `begin` of a file on, as a source of doubles in the machine's byte order. At most
/// `count` are taken.
Result<std::unique_ptr<ByteSource>> open_text_numbers(const std::filesystem::path& path, std::uint64_t begin,
                                                      std::size_t count);

}  // namespace supple::imaging
