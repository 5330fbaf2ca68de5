// Compressed geometry of a document becomes plain: all later code, and whoever edits or writes the file, sees accessors
// and views as any file has them.
#pragma once

#include "supple/files/gltf/document.h"

namespace supple::gltf {

/// Whether this build reads KHR_draco_mesh_compression (configured with SUPPLE_DRACO).
bool reads_draco();

/// Whether the document uses EXT_meshopt_compression or KHR_meshopt_compression.
bool uses_meshopt(const Item& root);
/// Whether all that views of this buffer show lies compressed elsewhere: such a buffer need not be read, and may have
/// no data at all where the file `uses_meshopt`.
bool is_stand_in(const Item& buffer, bool uses_meshopt);

/// Decodes what EXT_meshopt_compression, KHR_meshopt_compression and KHR_draco_mesh_compression packed, and takes these
/// extensions out of the document, whose buffers are loaded but not checked. Throws Malformed; sizes that the file
/// claims are compared with the bytes there are before memory is taken.
void decompress(Document& document);

// ---- the steps of decompress() ----

/// How many bytes all that is decoded of one document may have: a multiple of the bytes that it was loaded with, so
/// that many views of the same few bytes cannot fill the memory.
class DecodedBudget {
 public:
  explicit DecodedBudget(const Document& document);
  /// Throws Malformed, about `item`, where so many bytes are no longer left.
  void take(std::uint64_t bytes, const std::string& item);

 private:
  std::uint64_t left_;
};

void decompress_meshopt(Document& document, DecodedBudget& budget);
void decompress_draco(Document& document, DecodedBudget& budget);

/// The extension `name` of an item, or nothing.
std::optional<Item> extension_of(const Item& item, std::string_view name);
/// Takes the extension out of one item.
void remove_extension(Json& item, std::string_view name);
/// Whether the file cannot be read without the extension, and whether it names it at all.
bool requires_extension(const Item& root, std::string_view name);
bool uses_extension(const Item& root, std::string_view name);
/// Takes the name out of both lists of extensions.
void unlist_extension(Json& root, std::string_view name);
/// The bytes of a view of a document that is not checked yet; throws Malformed where they lie outside their buffer.
std::span<const std::byte> bytes_of_range(const Document& document, const Item& range);

}  // namespace supple::gltf
