// JSON files of our own formats: read whole, faults named by file and line.
#pragma once

#include <filesystem>

#include "supple/files/gltf/json.h"

namespace supple {

/// The whole file; the error names the line where it stops being JSON.
Result<Json> read_json(const std::filesystem::path& path);
Result<Json> parse_json(std::string_view text, const std::string& name);

/// The line, from 1, of a byte of a text (JsonError::byte).
std::size_t line_of(std::string_view text, std::size_t byte);

/// Arrays of numbers and short objects stay on one line, so that long lists remain readable and diff well.
std::string to_text(const Json& json);

}  // namespace supple
