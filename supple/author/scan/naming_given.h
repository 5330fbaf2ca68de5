// Names of bones that people gave, over those that were found.
#pragma once

#include <optional>

#include "supple/author/scan/naming.h"

namespace supple::scan {

/// Pieces of each bone of the template, none where the program decides.
using GivenPieces = std::span<const std::optional<std::vector<std::uint32_t>>>;

/// A piece that is given to one bone is taken from all others. The error names a piece that two bones were given, or a
/// bone that is left without any. `bodies`: pieces of single bones of compound ones, by BoneTemplate::bodies.
Result<Naming> name_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, GivenPieces given,
                          Warnings* warnings = nullptr, GivenPieces bodies = {});

/// Pieces that a label of one bone alone gives to that bone.
std::vector<std::optional<std::vector<std::uint32_t>>> pieces_by_label(std::span<const BonePart> parts,
                                                                       const BoneTemplate& skeleton);

/// What both ways to names share: the search, which doubts only the side, and warnings about what came out. Bones that
/// were given are as they should be.
Result<Naming> find_names(std::span<const BonePart> parts, const BoneTemplate& skeleton, Warnings* warnings);
void tell_oddities(const Naming& naming, std::size_t parts, const BoneTemplate& skeleton, GivenPieces given,
                   Warnings* warnings);

}  // namespace supple::scan
