// Flesh in a file: twin joints that any engine plays, and the member "flesh" of SUPPLE_deformers for those who move
// them live.
#pragma once

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Writes everything that attach_flesh() and bake_flesh() have changed of an imported character: twin nodes below their
/// bones, skins, weights, clips and the extension. `imported` learns the new nodes.
Result<void> put_fleshed(Document& document, Imported& imported, Warnings* warnings = nullptr);

/// Takes flesh out again: weights go back to the bones, tracks, twin nodes and the member go. The document is then as
/// it was without flesh, and must be read anew.
Result<void> take_out_flesh(Document& document, Imported& imported, Warnings* warnings = nullptr);

}  // namespace supple::gltf
