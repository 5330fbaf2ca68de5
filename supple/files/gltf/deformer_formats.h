// Deformers in a file: one member of SUPPLE_deformers each, read and written in the order of deformers().
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"
#include "supple/rig/deformers.h"

namespace supple::gltf {

class Item;
struct Reader;

/// How a kind of deformer stands in the extension. Reading throws Malformed; it may count on the kinds before it.
struct DeformerFormat {
  const DeformerKind* kind;
  void (*read)(const Reader& reader, const Item& extension, Character& character);
  /// Replaces the member; takes it out where the character has none of this kind.
  Result<void> (*put)(Document& document, const Character& character, std::span<const PartSource> sources,
                      const Places& places);
};

/// In the order of deformers().
std::span<const DeformerFormat> deformer_formats();

/// Writes every deformer of a character whose parts and joints are in the document; with `of_morphs` only those that
/// move morph weights, as after a change of their number. Kinds that the character has none of are taken out.
Result<void> put_deformers(Document& document, const Character& character, std::span<const PartSource> sources,
                           const Places& places, bool of_morphs = false);

}  // namespace supple::gltf
