// Where the bytes of a glTF file lie: data URIs and files beside it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "supple/base/file.h"

namespace supple::gltf {

std::string to_base64(std::span<const std::byte> bytes);
bool is_data_uri(std::string_view uri);
/// The payload of "data:[type];base64,...".
Result<Bytes> decode_data_uri(std::string_view uri);

/// Percent escapes of anything a URI cannot hold as it is.
std::string encode_uri(std::string_view file_name);
/// A file named relative to `folder`. Refused: other schemes, absolute paths and paths that leave the folder, so that a
/// model from a stranger cannot pull in files it has no business with.
Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder);

}  // namespace supple::gltf
