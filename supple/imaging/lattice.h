// Where the samples of a file lie: sizes and axes as files give them, checked.
#pragma once

#include <span>

#include "supple/base/result.h"
#include "supple/geometry/volume.h"

namespace supple::imaging {

/// Three sizes; further ones must be 1. A lattice of one slice is refused: it has no inside.
Result<void> set_size(Volume& volume, std::span<const std::size_t> sizes);

/// Columns and origin of the lattice in millimetres, x to the left, y to the back, z to the head. They must be finite,
/// of some length and at right angles, and the volume's size, which is set before, that of something people scan: a
/// header in metres that does not say so is a thousand times too small.
Result<void> set_axes(Volume& volume, const Affined& millimetres);

/// Of the axes a file gives its positions in, when the first points to the right or the second to the front.
Affined turned_to_lps(const Affined& axes, bool x_is_right, bool y_is_front);

}  // namespace supple::imaging
