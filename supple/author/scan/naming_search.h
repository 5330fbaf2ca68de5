// The search for the names: every pair of long pieces may be two metacarpals; the guess under which all bones fit best
// is right.
#pragma once

#include <optional>

#include "supple/author/scan/naming.h"
#include "supple/author/scan/naming_match.h"

namespace supple::scan {

/// A match with the pieces of its compound bones.
struct Candidate {
  Match match;
  std::vector<NamedBone> bones;
  std::vector<std::uint32_t> unused;
};

/// The best of all matches; none where no two pieces look like metacarpals.
std::optional<Candidate> best_candidate(std::span<const PieceShape> pieces, const BoneTemplate& skeleton);

}  // namespace supple::scan
