#include "supple/base/text.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace supple {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  constexpr std::size_t longest = 200;  // nobody types more, and time goes by the square
  if (word.size() > longest) return {};
  std::size_t best_distance = word.size() / 3 + 2;  // a typing slip or two; more in long names
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size()),
                      shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= best_distance) continue;
    const std::size_t d = edit_distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = &candidate;
    }
  }
  return best != nullptr ? *best : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string name = nearest_name(word, candidates);
  return name.empty() ? name : "did you mean " + name + "?";
}

std::string last_lines(std::string_view text, std::size_t lines) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::size_t begin = text.size();
  for (std::size_t line = 0; line < lines && begin != std::string_view::npos && begin > 0; ++line) {
    begin = text.rfind('\n', begin - 1);
  }
  return std::string(begin == std::string_view::npos || begin == 0 ? text : text.substr(begin + 1));
}

}  // namespace supple
