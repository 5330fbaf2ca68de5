// From a character to a glTF document made from scratch.
#pragma once

#include "supple/files/gltf/document.h"
#include "supple/rig/character.h"

namespace supple::gltf {

/// A node per joint, in order; a mesh per part, parts of one node and skin being primitives of one mesh. The standard's
/// validator finds nothing to complain about: a skinned part whose node is no plain root moves to a node of its own at
/// the end, and joints of one skin without a common ancestor get one. Parts without triangles are left out.
Result<Document> to_document(const Character& character);

}  // namespace supple::gltf
