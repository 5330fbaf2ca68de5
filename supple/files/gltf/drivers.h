// Morph drivers in a file: the root extension SUPPLE_deformers, specified in docs/SUPPLE_deformers.md. Viewers that do
// not know it play the weight tracks.
#pragma once

#include <span>

#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Replaces all drivers of the document. Other members of the extension stay; an extension that nothing is left in goes
/// away. Where several nodes share morph weights, each gets the driver. Drivers without targets are left out. The error
/// names a driver whose joints or morph targets the document lacks.
/// To be called again whenever put_part changes the number of morph targets.
Result<void> put_drivers(Document& document, std::span<const MorphDriver> drivers, const Places& places);

}  // namespace supple::gltf
