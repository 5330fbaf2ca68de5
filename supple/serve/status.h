// How a request is answered, in the numbers of HTTP.
#pragma once

#include <string_view>

namespace supple::serve {

enum class Status : int {
  ok = 200,
  bad_request = 400,
  forbidden = 403,
  not_found = 404,
  method_not_allowed = 405,
  request_timeout = 408,
  content_too_large = 413,
  misdirected_request = 421,
  head_too_large = 431,
  version_not_supported = 505,
};

/// The words that go with the number.
std::string_view phrase(Status status);

/// A request that gets no content, and why; `why` is a literal and repeats nothing of what was asked.
struct Refusal {
  Status status;
  std::string_view why;
};

}  // namespace supple::serve
