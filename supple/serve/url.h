// Paths in URLs: percent escapes undone once, and nothing left that could lead out of a folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace supple::serve {

/// The path of a request target such as "/a%20b/c.json?query". Nothing where it does not begin with a slash, holds a
/// broken escape, a control character, a backslash or a slash in disguise, or has a segment that is empty (but the
/// last), "." or "..".
std::optional<std::string> decoded_path(std::string_view target);

}  // namespace supple::serve
