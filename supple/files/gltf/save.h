// Writing documents to files: whole or not at all, and without data that nothing refers to any more.
#pragma once

#include "supple/files/gltf/document.h"

namespace supple::gltf {

struct WriteOptions {
  bool embed = false;     // .gltf only: buffers as data URIs instead of a .bin beside it
  bool compress = false;  // rounded and packed, see encode/compress.h
};

/// The same document with one buffer that holds only what some bufferView refers to, and only views that something
/// refers to. Views that share bytes go on sharing them.
Document compacted(const Document& document);

/// The bytes of a .glb file.
Result<Bytes> to_glb(const Document& document);

/// Writes .glb or, by the extension, .gltf with its .bin. Images in files of their own are taken into the file where it
/// is written to another folder than it was read from.
Result<void> write_document(const std::filesystem::path& path, const Document& document,
                            const WriteOptions& options = {}, Warnings* warnings = nullptr);

}  // namespace supple::gltf
