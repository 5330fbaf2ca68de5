#include "supple/author/scan/naming_halves.h"

#include <utility>

namespace supple::scan {
namespace {

// Noise may cut a bone in two. Its halves lie so close; whole it fits better by so much, in squares of what is usual:
// more where a compound bone, which takes any number of pieces, has to give one of them away.
constexpr double halves_within = 0.0015;  // metres
constexpr double half_length = 0.8;       // of what its name says, or less
constexpr double halves_margin = 0.25, compound_margin = 2;

/// Pieces some of which were put together: the first one's place holds the whole, the others' places are empty.
struct Wholes {
  std::vector<PieceShape> shapes;
  std::vector<std::vector<std::uint32_t>> members;  // places in the scan's list

  Wholes joined(std::span<const BonePart> parts, std::uint32_t a, std::uint32_t b) const {
    Wholes result = *this;
    std::vector<std::uint32_t>& all = result.members[a];
    all.insert(all.end(), members[b].begin(), members[b].end());
    result.shapes[a] = shape_of(put_together(parts, all));
    result.shapes[b] = {};
    result.members[b].clear();
    return result;
  }

  bool close(std::span<const BonePart> parts, std::uint32_t a, std::uint32_t b) const {
    for (const std::uint32_t i : members[a]) {
      for (const std::uint32_t j : members[b]) {
        if (are_close(parts[i], parts[j], halves_within)) return true;
      }
    }
    return false;
  }
};

/// The members of each of `places`, one after the other.
std::vector<std::uint32_t> members_of(std::span<const std::uint32_t> places, const Wholes& wholes) {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t p : places) all.insert(all.end(), wholes.members[p].begin(), wholes.members[p].end());
  return all;
}

enum class PieceRole { bone, half, in_compound };  // half: nameless, or too short for its name

std::vector<PieceRole> roles(const Wholes& wholes, const BoneTemplate& skeleton, const Candidate& candidate) {
  std::vector<PieceRole> result(wholes.shapes.size(), PieceRole::half);
  for (const NamedBone& named : candidate.bones) {
    const TemplateBone& bone = skeleton.bones[named.bone];
    const double expected = bone.length() * candidate.match.to_scan.scale;
    for (const std::uint32_t p : named.pieces) {
      result[p] = bone.compound                                      ? PieceRole::in_compound
                  : wholes.shapes[p].length < half_length * expected ? PieceRole::half
                                                                     : PieceRole::bone;
    }
  }
  return result;
}

/// The two pieces that fit better as one than any other two; false where none do.
bool join_two(std::span<const BonePart> parts, const BoneTemplate& skeleton, Wholes& wholes, Candidate& candidate) {
  const std::vector<PieceRole> role = roles(wholes, skeleton, candidate);
  double gain = 0;  // beyond the margin
  Wholes best;
  Candidate names_of_best;
  for (std::uint32_t a = 0; a < wholes.shapes.size(); ++a) {
    for (std::uint32_t b = a + 1; b < wholes.shapes.size(); ++b) {
      if (role[a] != PieceRole::half && role[b] != PieceRole::half) continue;
      if (!wholes.close(parts, a, b)) continue;
      Wholes trial = wholes.joined(parts, a, b);
      std::optional<Candidate> found = best_candidate(trial.shapes, skeleton);
      if (!found) continue;
      const bool from_compound = role[a] == PieceRole::in_compound || role[b] == PieceRole::in_compound;
      const double margin = from_compound ? compound_margin : halves_margin;
      const double trial_gain = candidate.match.cost - found->match.cost - margin;
      if (trial_gain <= gain) continue;
      gain = trial_gain;
      best = std::move(trial);
      names_of_best = std::move(*found);
    }
  }
  if (!(gain > 0)) return false;
  wholes = std::move(best);
  candidate = std::move(names_of_best);
  return true;
}

}  // namespace

void join_halves(std::span<const BonePart> parts, std::span<const PieceShape> shapes, const BoneTemplate& skeleton,
                 Candidate& candidate) {
  Wholes wholes{{shapes.begin(), shapes.end()}, {}};
  for (std::uint32_t p = 0; p < parts.size(); ++p) wholes.members.push_back({p});
  while (join_two(parts, skeleton, wholes, candidate)) {
  }
  for (NamedBone& named : candidate.bones) named.pieces = members_of(named.pieces, wholes);
  candidate.unused = members_of(candidate.unused, wholes);
}

}  // namespace supple::scan
