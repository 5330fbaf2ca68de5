// Helpers for messages that a person reads.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace supple {

/// Number of single-character edits (insert, delete, replace, swap of neighbours) that turn a into b; case is ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or "" when none is near enough to be what was meant.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// "did you mean X?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// The last lines of what a program said, without blank space at the end.
std::string last_lines(std::string_view text, std::size_t lines);

}  // namespace supple
