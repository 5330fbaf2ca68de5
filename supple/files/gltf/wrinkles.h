// Wrinkles in a file: the member "wrinkles" of SUPPLE_deformers, specified in docs/SUPPLE_deformers.md. Viewers that do
// not know it play the weight tracks.
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Replaces all wrinkles of the document; none takes the member out. `sources` says which primitive each part of the
/// character is. The error names a wrinkle whose part or morph target the document lacks.
/// To be called again whenever put_part changes the order of morph targets or of vertices.
Result<void> put_wrinkles(Document& document, std::span<const Wrinkle> wrinkles, std::span<const PartSource> sources,
                          const Places& places);

}  // namespace supple::gltf
