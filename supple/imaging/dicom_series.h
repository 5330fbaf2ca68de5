// Slices of one series put in order: where they belong on a lattice, or why they do not.
#pragma once

#include <span>

#include "supple/geometry/volume.h"
#include "supple/imaging/dicom_slice.h"

namespace supple::imaging {

/// Sorts slices along their normal and sets the size and axes of the volume. Refuses, naming the slices at fault:
/// colour, slices of two sizes or orientations, two at one place, gaps and uneven steps, a tilted gantry. Steps that
/// are uneven by less than a tenth are taken as equal, and told.
Result<void> arrange(std::vector<Slice>& slices, Volume& volume, Warnings* warnings = nullptr);

/// Sets slope and intercept so that 16 bits hold every pixel of every slice: exactly where all are scaled alike.
void choose_scale(std::span<const Slice> slices, Volume& volume, Warnings* warnings);

}  // namespace supple::imaging
