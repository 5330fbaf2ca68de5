// Tables as other programs read them: a line of names, then a line for each row, commas between.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace supple::workflow {

/// Numbers have as few digits as bring the same double back; text with a comma, a quote or a new line is quoted.
class CsvTable {
 public:
  explicit CsvTable(const std::vector<std::string>& columns) {
    for (const std::string& column : columns) add(column);
    end_row();
  }
  template <class T>
  CsvTable& add(const T& value) {
    if (!first_) text_ += ',';
    first_ = false;
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      put(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      text_ += value ? "1" : "0";
    } else if constexpr (std::is_floating_point_v<T>) {
      text_ += fmt::format("{}", value + T(0));  // never -0
    } else {
      text_ += fmt::format("{}", value);
    }
    return *this;
  }
  void end_row() {
    text_ += '\n';
    first_ = true;
  }
  const std::string& text() const { return text_; }

 private:
  void put(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      text_ += value;
      return;
    }
    text_ += '"';
    for (const char c : value) {
      if (c == '"') text_ += '"';
      text_ += c;
    }
    text_ += '"';
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace supple::workflow
