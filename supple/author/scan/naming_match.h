// A template skeleton laid over pieces of bone: the palm as one rigid shape, then every chain from its root to its tip.
#pragma once

#include <span>

#include "supple/author/scan/naming_shapes.h"
#include "supple/author/scan/rigid_fit.h"
#include "supple/rig/bone_template.h"

namespace supple::scan {

inline constexpr std::size_t no_piece = static_cast<std::size_t>(-1);

/// Where a bone of the template was put, and what it was taken for.
struct PlacedBone {
  std::size_t piece = no_piece;  // of a bone that is one piece
  Mat3d turn{};                  // template to scan: the parent's, and what the bone is bent by
  Vec3d head{}, tail{};          // of the piece, or where they are thought to be
  double cost = 0;               // squared deviations, each in units of what is usual
  double other_cost = 0;         // of the next best piece
};

struct Match {
  std::vector<PlacedBone> bones;  // as in the template
  Similarity to_scan;
  double cost = 0;
};

/// What a bone without a piece costs: as much as one that deviates by four times the usual.
inline constexpr double missing_cost = 16;

/// Bones that hang on a compound bone and keep their place on it, such as the fingers' metacarpals: with it they are
/// one rigid shape.
std::vector<std::uint32_t> rigid_core(const BoneTemplate& skeleton);

/// Names the core only, and fits the similarity to it: quick. A core of fewer than two pieces leaves it as it was.
Match match_core(std::span<const PieceShape> pieces, const BoneTemplate& skeleton, const Similarity& guess);
/// Goes on from the core to the tips. Compound bones are placed, but get no pieces.
void match_chains(std::span<const PieceShape> pieces, const BoneTemplate& skeleton, Match& match);

/// How a joint is bent, given where its bone points: the rotation vector (radians, in the joint's axes) from the
/// direction it would have with its parent at rest.
struct Bend {
  Mat3d turn{};     // of the bone, template to scan
  Vec3d radians{};  // in TemplateBone::axes
};
Bend bend_towards(const TemplateBone& bone, const Mat3d& parent_turn, Vec3d direction);

/// The skeleton of the other side.
BoneTemplate mirrored(const BoneTemplate& skeleton);

}  // namespace supple::scan
