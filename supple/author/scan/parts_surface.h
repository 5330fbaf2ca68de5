// The surface of one of several bones in a block.
#pragma once

#include "supple/author/scan/parts.h"
#include "supple/author/scan/parts_split.h"

namespace supple::scan {

/// Where the bone has a surface of its own, that is the iso-surface of `volume`; where it was cut from a neighbour, the
/// cut runs half-way between samples. `dense`: what bone usually has, in units of the volume.
BonePart part_surface(const Volume& volume, const Block& block, const Split& split, std::uint16_t part, double iso,
                      double dense);

/// A surface as a part, with its volume and centre and no touches: the largest of its connected parts.
BonePart part_of_surface(const Mesh& surface);
/// Volume and centre of a part whose surface has moved.
void measure_part(BonePart& part);

}  // namespace supple::scan
