// A smaller file of the same character: numbers rounded (see rounding.h), arrays packed by EXT_meshopt_compression.
#pragma once

#include "supple/files/gltf/document.h"

namespace supple::gltf {

/// For a document that is about to be written, as compacted() gives it. Vertices and triangles keep their order. Throws
/// Malformed where this build cannot. The result can be written and read, but not edited.
Document compressed(const Document& compact);

}  // namespace supple::gltf
