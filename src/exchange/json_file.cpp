#include "supple/exchange/json_file.h"

#include <algorithm>

#include "supple/base/file.h"

namespace supple {
namespace {

constexpr std::size_t line_length = 118;

void write(const Json& json, std::size_t indent, std::string& text) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!json.is_structured() || json.empty() || indent + line.size() <= line_length) {
    text += line;
    return;
  }
  text += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    text += first ? "\n" : ",\n";
    text.append(indent + 2, ' ');
    if (json.is_object()) text.append(Json(key).dump(-1, ' ', false, Json::error_handler_t::replace)).append(": ");
    write(value, indent + 2, text);
    first = false;
  }
  text += '\n';
  text.append(indent, ' ');
  text += json.is_object() ? '}' : ']';
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return Error{name + ":" + std::to_string(line), "is not JSON here", "look for a missing comma, quote or bracket"};
  } catch (const Json::exception& error) {
    return Error{name, std::string("cannot be read as JSON: ") + error.what(), ""};
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
