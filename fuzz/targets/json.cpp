#include "supple/files/json.h"

#include "fuzz/target.h"
#include "supple/files/json_file.h"

namespace supple::fuzz {
namespace {

bool read_json_input(Input input) {
  const auto json = parse_json(as_text(input), "a.json");
  if (!json) return false;
  const auto again = parse_json(to_text(*json), "again.json");
  require(again && *again == *json, "JSON that was read and written is the same");
  return true;
}

Seeds json_seeds() {
  Json json{{"a", {1, 2.5, -3, nullptr, true, "t\n\u00e4"}}, {"b", Json::object()}, {"c", Json::array()}};
  for (int i = 0; i < 40; ++i) json["k" + std::to_string(i)] = i;
  return {{"all", to_text(json)}, {"number", "-1.5e-7"}};
}

}  // namespace

extern const Target json_target{"json",
                                read_json_input,
                                json_seeds,
                                {"true", "false", "null", "\\u0000", "\\ud83d\\ude00", "1e308", "-9223372036854775808",
                                 "18446744073709551616", "[", "{\"\":"}};

}  // namespace supple::fuzz
