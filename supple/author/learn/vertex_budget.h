// A limit on the modes of one vertex that no seam shows.
#pragma once

#include "supple/author/learn/eigenskin.h"

namespace supple::learn {

/// Leaves every vertex its `most` strongest kept modes. A mode that is merely cut off where it becomes the (most+1)th
/// would leave an edge in the skin: its offset is faded out instead, from full size at 1.25 times the (most+1)th
/// strength to nothing at that strength. Own modes of the normals have the same limit again.
void limit_modes_per_vertex(EigenSkin& skin, std::size_t vertices, std::size_t most);

}  // namespace supple::learn
