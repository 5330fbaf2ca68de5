// A glTF file as it is: the JSON tree and its buffers, checked once. Edits change the tree in place, so everything that
// Supple does not understand (extensions, extras, materials, textures, cameras) survives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "supple/base/file.h"
#include "supple/files/gltf/json.h"

namespace supple::gltf {

struct Document {
  Json root = Json::object();
  std::vector<Bytes> buffers;    // #root.buffers, decoded
  std::filesystem::path folder;  // that external images are relative to
  std::string name;              // the file, for messages
};

/// Reads .glb or .gltf (told apart by their contents) with embedded or external buffers, and checks it: see check().
Result<Document> read_document(const std::filesystem::path& path);
/// The same from memory; `folder` is where external buffers lie.
Result<Document> parse_document(std::span<const std::byte> contents, const std::string& name,
                                const std::filesystem::path& folder = {});

/// Checks, in the whole document, the types and ranges that later code relies on: version, required extensions, every
/// reference, the extent of every view and accessor in its buffer. The error names the item.
Result<void> check(const Document& document);

}  // namespace supple::gltf
