// XML, written: elements, attributes and text, indented.
#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/vec.h"

namespace supple::workflow {

/// Numbers have as few digits as bring the same doubles back.
inline std::string numbers(std::span<const double> values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{}", text.empty() ? "" : " ", v + 0.0);  // never -0
  return text;
}
inline std::string numbers(Vec3d v) { return numbers(std::array<double, 3>{v.x, v.y, v.z}); }
inline std::string numbers(double v) { return numbers(std::span(&v, 1)); }

class XmlWriter {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  XmlWriter() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}
  void comment(std::string_view text) { line() += "<!-- " + std::string(text) + " -->\n"; }
  void open(std::string_view name, const Attributes& attributes = {}) {
    line() += "<" + std::string(name) + spelled(attributes) + ">\n";
    open_.emplace_back(name);
  }
  void close() {
    const std::string name = open_.back();
    open_.pop_back();
    line() += "</" + name + ">\n";
  }
  /// An element without anything in it.
  void empty(std::string_view name, const Attributes& attributes = {}) {
    line() += "<" + std::string(name) + spelled(attributes) + "/>\n";
  }
  void leaf(std::string_view name, std::string_view contents, const Attributes& attributes = {}) {
    line() +=
        "<" + std::string(name) + spelled(attributes) + ">" + escaped(contents) + "</" + std::string(name) + ">\n";
  }
  /// All that is open is closed.
  std::string finish() {
    while (!open_.empty()) close();
    return std::move(text_);
  }

 private:
  std::string& line() {
    text_.append(2 * open_.size(), ' ');
    return text_;
  }
  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '<')
        result += "&lt;";
      else if (c == '>')
        result += "&gt;";
      else if (c == '&')
        result += "&amp;";
      else if (c == '"')
        result += "&quot;";
      else
        result += c;
    }
    return result;
  }
  static std::string spelled(const Attributes& attributes) {
    std::string result;
    for (const auto& [name, value] : attributes) result += " " + std::string(name) + "=\"" + escaped(value) + "\"";
    return result;
  }
  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace supple::workflow
