// A character's file without its surfaces: what moves joints, morph weights and flesh, in a file that opens at once.
#pragma once

#include "supple/files/gltf/read.h"

namespace supple::browser {

/// The document with no more of each primitive than a triangle and the strips of wrinkles, and without materials.
/// Nodes, skins, clips, morph weights and deformers keep their numbers, so that a pose has the same palette and the
/// same weights as in the whole file.
Result<Bytes> rig_file(const gltf::Document& document, const gltf::Imported& imported);

}  // namespace supple::browser
