// Kinodynamic skinning in a file: the member "kinodynamics" of SUPPLE_deformers, plain numbers and node indices.
#pragma once

#include <optional>
#include <span>

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Replaces the kinodynamics of the document; none takes the member out. `sources` says where the character's parts are
/// in the file. The error names a muscle that is painted on a part which the file lacks.
Result<void> put_kinodynamics(Document& document, const std::optional<Kinodynamics>& kinodynamics,
                              std::span<const PartSource> sources, const Places& places);

}  // namespace supple::gltf
