#include "supple/workflow/study/label_table.h"

#include <algorithm>
#include <sstream>

#include "supple/base/file.h"
#include "supple/files/json_file.h"

namespace supple::workflow {
namespace {

/// One line of a text; empty where it is a remark.
Result<std::map<std::string, std::string>> label_line(const std::string& line, const std::string& place) {
  std::istringstream words(line);
  std::string number, name;
  if (!(words >> number) || number.starts_with('#')) return std::map<std::string, std::string>();
  const bool is_number = std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t quote = line.find('"'), end = line.rfind('"');
  if (quote != std::string::npos && end > quote) {
    name = line.substr(quote + 1, end - quote - 1);
  } else {
    words >> name;
  }
  if (!is_number || name.empty())
    return Error{place, "is no line of a table of labels: '" + line.substr(0, 60) + "'",
                 "write the number of a label and its name: 7 radius"};
  return std::map<std::string, std::string>{{number, name}};
}

}  // namespace

Result<std::map<std::string, std::string>> label_table_of(const Json& json, const std::string& item) {
  std::map<std::string, std::string> table;
  const Error wrong{item, "has 'label_names' that are no object of names",
                    "write what each label is, such as {\"7\": \"radius\", \"Segment_3\": \"\"}"};
  if (!json.is_object()) return wrong;
  for (const auto& member : json.members()) {
    if (!member.value.is_string()) return wrong;
    table[member.key] = member.value.get<std::string>();
  }
  return table;
}

Result<std::map<std::string, std::string>> read_label_table(const std::filesystem::path& file) {
  if (lower_extension(file) == ".json") {
    const auto json = read_json(file);
    if (!json) return json.error();
    return label_table_of(*json, file.string());
  }
  const auto text = read_text(file);
  if (!text) return text.error();
  std::map<std::string, std::string> table;
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    auto entry = label_line(line, file.string() + ", line " + std::to_string(number));
    if (!entry) return entry.error();
    table.merge(*entry);
  }
  return table;
}

}  // namespace supple::workflow
