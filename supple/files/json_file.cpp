#include "supple/files/json_file.h"

#include <algorithm>
#include <utility>

#include "supple/base/file.h"

namespace supple {
namespace {

constexpr std::size_t line_length = 118;

void write(const Json& json, std::size_t indent, std::string& text) {
  const std::string line = json.dump();
  if (!json.is_structured() || json.empty() || indent + line.size() <= line_length) {
    text += line;
    return;
  }
  text += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  const auto begin_line = [&] {
    text += std::exchange(separator, ",\n");
    text.append(indent + 2, ' ');
  };
  if (json.is_object()) {
    for (const auto& [key, value] : json.members()) {
      begin_line();
      text.append(Json(key).dump()).append(": ");
      write(value, indent + 2, text);
    }
  } else {
    for (const Json& value : json) {
      begin_line();
      write(value, indent + 2, text);
    }
  }
  text += '\n';
  text.append(indent, ' ');
  text += json.is_object() ? '}' : ']';
}

}  // namespace

std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

Result<Json> parse_json(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const JsonError& error) {
    if (error.byte == 0) return Error{name, std::string("cannot be read as JSON: ") + error.what(), ""};
    return Error{name + ":" + std::to_string(line_of(text, error.byte)), "is not JSON here",
                 "look for a missing comma, quote or bracket"};
  }
}

Result<Json> read_json(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (!text) return text.error();
  return parse_json(*text, path.string());
}

std::string to_text(const Json& json) {
  std::string text;
  write(json, 0, text);
  return text + "\n";
}

}  // namespace supple
