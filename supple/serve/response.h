// The head of a response: the same protective fields on everything that leaves the server.
#pragma once

#include <string>
#include <string_view>

#include "supple/serve/status.h"

namespace supple::serve {

/// The head, with its blank line, of `size` bytes of `type`.
std::string response_head(Status status, std::string_view type, std::size_t size);

/// What a refused request gets, as plain text; without the text for HEAD.
std::string refusal_response(const Refusal& refusal, bool wants_body);

}  // namespace supple::serve
