// Deformers in a file: one member of SUPPLE_deformers each, in the order of deformers(), specified in
// docs/SUPPLE_deformers.md. What stands in a member is what the kind's description says.
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"
#include "supple/rig/deformers.h"

namespace supple::gltf {

/// Replaces one kind of deformer in a document that has the character's parts and joints; takes it out where the
/// character has none. Other members of the extension stay; an extension that nothing is left in goes away. The error
/// names an item whose joints, parts or morph targets the document lacks. To be called again whenever put_part changes
/// the number of morph targets or the order of vertices.
Result<void> put_deformer(Document& document, const DeformerKind& kind, const Character& character,
                          std::span<const PartSource> sources, const Places& places);
inline Result<void> put_deformer(Document& document, const DeformerKind& kind, const Imported& imported) {
  return put_deformer(document, kind, imported.character, imported.sources, places_of(imported));
}

/// The same for every kind; with `of_morphs` only for those that move morph weights, as after a change of their number,
/// and for those that the character has none of.
Result<void> put_deformers(Document& document, const Character& character, std::span<const PartSource> sources,
                           const Places& places, bool of_morphs = false);

}  // namespace supple::gltf
