// The head of one HTTP/1.1 request, read strictly: what is not plainly right is refused, and so is everything that a
// page of another origin could ask for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "supple/serve/status.h"

namespace supple::serve {

struct Request {
  bool wants_body = true;  // GET; false: HEAD
  std::string path;        // decoded; begins with '/', its segments are never empty (but the last), "." or ".."
};

/// Bytes of the longest head that is read.
inline constexpr std::size_t longest_head = 16 * 1024;

/// Where the head ends that `received` begins with, just behind its blank line; nothing while that has not arrived.
std::optional<std::size_t> end_of_head(std::string_view received);

/// What can be said against a head before it is complete: it grows too long, or holds bytes that no head holds.
std::optional<Refusal> early_refusal(std::string_view received);

/// `head` ends with the blank line.
std::variant<Request, Refusal> parse_request(std::string_view head);

}  // namespace supple::serve
