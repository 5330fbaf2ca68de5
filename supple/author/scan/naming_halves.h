// Bones that noise cut in two, made whole.
#pragma once

#include "supple/author/scan/naming_search.h"

namespace supple::scan {

/// Pieces that lie close together become one bone where all names fit better for it: a half has the wrong length, and
/// one too many pushes the others along the finger.
void join_halves(std::span<const BonePart> parts, std::span<const PieceShape> shapes, const BoneTemplate& skeleton,
                 Candidate& candidate);

}  // namespace supple::scan
