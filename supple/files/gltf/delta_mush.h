// Delta mush in a file: the member "deltaMush" of SUPPLE_deformers, specified in docs/SUPPLE_deformers.md. Viewers that
// do not know it show plain skinning.
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

class Item;
struct Reader;

/// The member of the extension; none where it has none. Throws Malformed.
std::vector<DeltaMush> read_delta_mush(const Reader& reader, const Item& extension);

/// Replaces that of the document; none takes the member out. `sources` says which primitive each part is. The error
/// names a part that the document lacks.
Result<void> put_delta_mush(Document& document, std::span<const DeltaMush> mush, std::span<const PartSource> sources);

}  // namespace supple::gltf
