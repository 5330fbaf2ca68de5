// The search: every pair of long pieces may be two metacarpals; the guess under which all bones fit best is right.
#include "supple/author/scan/naming_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr std::size_t tried_in_full = 24;                  // guesses that are followed to the finger tips
constexpr double least_scale = 0.5, greatest_scale = 1.8;  // a child's hand, a large one
constexpr double alike_scales = 1.35;                      // ratio between two metacarpals
constexpr double alike_cosine = 0.75;                      // metacarpals fan out by less than 40 degrees
constexpr double seed_misfit = 0.009;                      // metres, root mean square of the four ends
// Pieces of a compound bone lie within so many of its radii of its axis and of its ends. A root goes on beyond the
// template for so many of its lengths, where the wrist's bend moves it aside by so much per length.
constexpr double compound_reach = 1.35, compound_overhang = 0.35, root_extension = 10, root_widening = 0.6;
constexpr double compound_share = 0.5;  // of a piece's points

std::vector<Similarity> seeds(std::span<const PieceShape> pieces, const TemplateBone& a, const TemplateBone& b) {
  std::vector<Similarity> result;
  const double apart = length((a.head + a.tail - b.head - b.tail) * 0.5);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = 0; j < pieces.size(); ++j) {
      const double scale_a = pieces[i].length / a.length(), scale_b = pieces[j].length / b.length();
      const double scale = std::sqrt(scale_a * scale_b);
      if (i == j || scale < least_scale || scale > greatest_scale) continue;
      if (std::max(scale_a / scale_b, scale_b / scale_a) > alike_scales) continue;
      const double stretch = length(pieces[i].centre - pieces[j].centre) / (apart * scale);
      if (std::max(stretch, 1 / std::max(stretch, 1e-9)) > 2 * alike_scales) continue;
      const double cosine = dot(pieces[i].axis, pieces[j].axis);
      if (std::abs(cosine) < alike_cosine) continue;
      for (const bool forward : {false, true}) {
        const bool same = cosine > 0;  // the second points the way the first does
        const auto& e = pieces[i].ends;
        const auto& f = pieces[j].ends;
        const std::array<Vec3d, 4> from{a.head, a.tail, b.head, b.tail};
        const std::array<Vec3d, 4> to{e[forward ? 0 : 1], e[forward ? 1 : 0], f[forward == same ? 0 : 1],
                                      f[forward == same ? 1 : 0]};
        const Similarity guess = fit_similarity(from, to);
        double misfit = 0;
        for (std::size_t k = 0; k < 4; ++k) misfit += squared_length(guess.point(from[k]) - to[k]) / 4;
        if (guess.scale > least_scale && std::sqrt(misfit) < seed_misfit * guess.scale) result.push_back(guess);
      }
    }
  }
  return result;
}

/// Share of the piece's points that lie about where a compound bone is.
double share_inside(const PieceShape& piece, const TemplateBone& bone, const PlacedBone& placed, double scale) {
  const bool root = bone.parent == TemplateBone::none;
  const double size = length(placed.tail - placed.head), radius = bone.radius * scale;
  const Vec3d along = (placed.tail - placed.head) / size;
  std::size_t inside = 0;
  for (const Vec3f& point : piece.points) {
    const Vec3d p = Vec3d(point) - placed.tail;
    const double back = -dot(p, along);  // from the far end on
    const double reach = compound_reach * radius + (root ? root_widening * std::max(back, 0.0) : 0);
    const bool beside = length(p + along * back) < reach;
    const double deepest = (root ? root_extension * size : size) + compound_overhang * radius;
    if (beside && back > -compound_overhang * radius && back < deepest) ++inside;
  }
  return static_cast<double>(inside) / static_cast<double>(std::max<std::size_t>(1, piece.points.size()));
}

void collect_compounds(std::span<const PieceShape> pieces, const BoneTemplate& skeleton, Candidate& candidate) {
  candidate.bones.assign(skeleton.bones.size(), {});
  std::vector<char> taken(pieces.size());
  for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
    NamedBone& named = candidate.bones[b];
    const PlacedBone& placed = candidate.match.bones[b];
    named.bone = b;
    if (placed.piece == no_piece) continue;
    named.pieces.push_back(static_cast<std::uint32_t>(placed.piece));
    named.doubt = std::clamp((placed.cost + 1) / (placed.other_cost + 1), 0.0, 1.0);
    taken[placed.piece] = 1;
  }
  for (std::uint32_t p = 0; p < pieces.size(); ++p) {
    if (taken[p]) continue;
    double best = compound_share, second = 0;
    std::uint32_t owner = TemplateBone::none;
    for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
      if (!skeleton.bones[b].compound) continue;
      const double share =
          share_inside(pieces[p], skeleton.bones[b], candidate.match.bones[b], candidate.match.to_scan.scale);
      if (share >= best) {
        second = owner == TemplateBone::none ? 0 : best;
        best = share;
        owner = b;
      } else {
        second = std::max(second, share);
      }
    }
    if (owner == TemplateBone::none) {
      candidate.unused.push_back(p);
      continue;
    }
    NamedBone& named = candidate.bones[owner];
    named.pieces.push_back(p);
    named.doubt = std::max(named.doubt, second / best);
  }
  for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
    if (skeleton.bones[b].compound && candidate.bones[b].pieces.empty()) candidate.match.cost += missing_cost;
  }
}

}  // namespace

std::optional<Candidate> best_candidate(std::span<const PieceShape> pieces, const BoneTemplate& skeleton) {
  const std::vector<std::uint32_t> core = rigid_core(skeleton);
  std::vector<Similarity> guesses;
  for (std::size_t a = 0; a < core.size(); ++a) {
    for (std::size_t b = a + 1; b < core.size(); ++b) {
      const std::vector<Similarity> more = seeds(pieces, skeleton.bones[core[a]], skeleton.bones[core[b]]);
      guesses.insert(guesses.end(), more.begin(), more.end());
    }
  }
  std::vector<Match> matches(guesses.size());
  parallel_for(guesses.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) matches[g] = match_core(pieces, skeleton, guesses[g]);
  });
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.cost < b.cost; });
  // Most guesses end at the same names; each set of names is followed once.
  std::set<std::vector<std::size_t>> known;
  std::vector<Candidate> candidates;
  for (Match& match : matches) {
    std::vector<std::size_t> names;
    for (const std::uint32_t b : core) names.push_back(match.bones[b].piece);
    if (candidates.size() < tried_in_full && known.insert(names).second)
      candidates.push_back({std::move(match), {}, {}});
  }
  parallel_for(candidates.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      match_chains(pieces, skeleton, candidates[c].match);
      collect_compounds(pieces, skeleton, candidates[c]);
    }
  });
  const auto best = std::min_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.match.cost < b.match.cost;
  });
  return best == candidates.end() ? std::nullopt : std::optional(std::move(*best));
}

}  // namespace supple::scan
