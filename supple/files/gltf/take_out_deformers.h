// Deformers taken out of a file, with all that came with them.
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"
#include "supple/rig/deformers.h"

namespace supple::gltf {

/// Takes deformers of these kinds out of the document and the character, with the morph targets that they move and the
/// joints that they added. Weights in clips that others follow from what is gone stay as they were baked.
Result<void> take_out_deformers(Document& document, Imported& imported, std::span<const DeformerKind* const> kinds,
                                Warnings* warnings = nullptr);

}  // namespace supple::gltf
