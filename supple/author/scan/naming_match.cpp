#include "supple/author/scan/naming_match.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "supple/base/angle.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

// Usual deviations between a template and somebody's hand, each squared and added up as costs.
constexpr double core_distance = 0.007;     // of a metacarpal's centre
constexpr double core_angle = 15 * degree;  // of its direction
constexpr double joint_gap = 0.004;         // between the ends that face each other in a joint
constexpr double sliding_gap = 0.009;       // where the joint is only known from the template
constexpr double log_length = 0.2;          // of the logarithm of a ratio of lengths
constexpr double longest = 1.45;            // times the length that is expected: more is two bones in one piece
constexpr double log_volume = 0.8;
constexpr double usual_bend = 45 * degree;    // within the limits of a joint
constexpr double beyond_limit = 12 * degree;  // outside them
constexpr double middle = 0.53;               // of a bone's surface, between its joints: heads reach beyond them
constexpr double swell = 1.7;  // a bone's volume is that of its waist's cylinder, times this: its ends are thick
constexpr double forbidden = 1e6;

double squared(double x) { return x * x; }

double size_cost(const TemplateBone& bone, const PieceShape& piece, double scale) {
  const double expected_length = bone.length() * scale;
  const double expected_volume = swell * std::numbers::pi * squared(bone.radius * scale) * expected_length;
  if (piece.length > longest * expected_length) return forbidden;
  constexpr double least = 1e-15;  // keeps the logarithms finite
  return squared(std::log(std::max(piece.length, least) / expected_length) / log_length) +
         squared(std::log(std::max(piece.volume, least) / expected_volume) / log_volume);
}

/// A piece taken for a bone, with the ends told apart.
struct Fit {
  double cost = 0;
  Vec3d head{}, tail{};
  Mat3d turn{};
};

Fit core_fit(const TemplateBone& bone, const PieceShape& piece, const Similarity& place) {
  const Vec3d along = place.turn * normalized(bone.tail - bone.head);
  const bool forward = dot(piece.axis, along) >= 0;
  Fit fit;
  fit.head = piece.ends[forward ? 0 : 1];
  fit.tail = piece.ends[forward ? 1 : 0];
  const double angle = std::acos(std::min(std::abs(dot(piece.axis, along)), 1.0));
  fit.cost =
      size_cost(bone, piece, place.scale) + squared(angle / core_angle) +
      squared(length(place.point(lerp(bone.head, bone.tail, middle)) - piece.centre) / (core_distance * place.scale));
  fit.turn = bend_towards(bone, place.turn, normalized(fit.tail - fit.head, along)).turn;
  return fit;
}

double bend_cost(const TemplateBone& bone, Vec3d radians) {
  double cost = squared(length(radians) / usual_bend);
  Vec3d left = radians;
  for (const Dof& dof : bone.dofs) {
    const Vec3d axis = Vec3d(dof.axis);
    const double angle = dot(radians, axis);
    cost += squared((angle - std::clamp(angle, double{dof.min}, double{dof.max})) / beyond_limit);
    left -= axis * dot(left, axis);
  }
  return cost + squared(length(left) / beyond_limit) * (bone.slides ? 0.25 : 1);
}

Fit chain_fit(const TemplateBone& bone, const PieceShape& piece, const PlacedBone& parent, Vec3d joint, double gap,
              double scale) {
  Fit best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const std::size_t near : {0u, 1u}) {
    Fit fit;
    fit.head = piece.ends[near];
    fit.tail = piece.ends[1 - near];
    const Bend bend = bend_towards(bone, parent.turn, normalized(fit.tail - fit.head, Vec3d{0, 0, 1}));
    fit.turn = bend.turn;
    fit.cost = size_cost(bone, piece, scale) + squared(length(fit.head - joint) / (gap * scale)) +
               bend_cost(bone, bend.radians);
    if (fit.cost < best.cost) best = fit;
  }
  return best;
}

/// Gives each of `bones` the piece that suits it, or none; all of them at once, so that neighbours do not take each
/// other's. `fit(bone, piece)`.
template <class FitOf>
void assign_pieces(std::span<const std::uint32_t> bones, std::size_t pieces, std::vector<char>& taken, Match& match,
                   FitOf&& fit) {
  const std::size_t columns = pieces + bones.size();  // the last ones: no piece
  std::vector<Fit> fits(bones.size() * pieces);
  std::vector<double> costs(bones.size() * columns, missing_cost);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    for (std::size_t p = 0; p < pieces; ++p) {
      fits[b * pieces + p] = fit(bones[b], p);
      costs[b * columns + p] = taken[p] ? forbidden : std::min(fits[b * pieces + p].cost, forbidden);
    }
  }
  const std::vector<std::size_t> chosen = assign(costs, bones.size(), columns);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    PlacedBone& placed = match.bones[bones[b]];
    placed.cost = costs[b * columns + chosen[b]];
    placed.other_cost = forbidden;
    for (std::size_t p = 0; p < pieces; ++p) {
      if (p != chosen[b]) placed.other_cost = std::min(placed.other_cost, fits[b * pieces + p].cost);
    }
    placed.piece = chosen[b] < pieces ? chosen[b] : no_piece;
    if (placed.piece == no_piece) continue;
    const Fit& f = fits[b * pieces + chosen[b]];
    placed.turn = f.turn, placed.head = f.head, placed.tail = f.tail;
    taken[chosen[b]] = 1;
  }
}

std::size_t depth(const BoneTemplate& skeleton, std::uint32_t bone) {
  std::size_t d = 0;
  for (; skeleton.bones[bone].parent != TemplateBone::none; bone = skeleton.bones[bone].parent) ++d;
  return d;
}

}  // namespace

std::vector<std::uint32_t> rigid_core(const BoneTemplate& skeleton) {
  std::vector<std::uint32_t> core;
  for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
    const TemplateBone& bone = skeleton.bones[b];
    if (!bone.compound && !bone.slides && bone.parent != TemplateBone::none && skeleton.bones[bone.parent].compound) {
      core.push_back(b);
    }
  }
  return core;
}

Bend bend_towards(const TemplateBone& bone, const Mat3d& parent_turn, Vec3d direction) {
  const Vec3d straight = parent_turn * normalized(bone.tail - bone.head);
  const Quatd turn = rotation_between(straight, direction);
  return {to_matrix(turn) * parent_turn, transpose(parent_turn * bone.axes) * log_rotation(turn)};
}

Match match_core(std::span<const PieceShape> pieces, const BoneTemplate& skeleton, const Similarity& guess) {
  const std::vector<std::uint32_t> core = rigid_core(skeleton);
  Match match;
  match.to_scan = guess;
  for (int pass = 0; pass < 3; ++pass) {  // names and place improve each other
    match.bones.assign(skeleton.bones.size(), {});
    std::vector<char> taken(pieces.size());
    assign_pieces(core, pieces.size(), taken, match, [&](std::uint32_t b, std::size_t p) {
      return core_fit(skeleton.bones[b], pieces[p], match.to_scan);
    });
    match.cost = 0;
    std::vector<Vec3d> from, to;
    for (const std::uint32_t b : core) {
      const TemplateBone& bone = skeleton.bones[b];
      const PlacedBone& placed = match.bones[b];
      match.cost += placed.cost;
      if (placed.piece == no_piece) continue;
      // Centres say where, ends say how it is turned: a real bone's ends lie elsewhere than the joints, but evenly so.
      const Vec3d half = (bone.tail - bone.head) * 0.5, centre = lerp(bone.head, bone.tail, middle);
      const Vec3d piece_half = (placed.tail - placed.head) * 0.5;
      for (const double sign : {-1.0, 1.0}) {
        from.push_back(centre + half * sign);
        to.push_back(pieces[placed.piece].centre + piece_half * sign);
      }
    }
    if (from.size() < 4) break;
    match.to_scan = fit_similarity(from, to);
  }
  return match;
}

void match_chains(std::span<const PieceShape> pieces, const BoneTemplate& skeleton, Match& match) {
  std::vector<char> taken(pieces.size());
  std::vector<char> is_core(skeleton.bones.size());
  for (const std::uint32_t b : rigid_core(skeleton)) {
    is_core[b] = 1;
    if (match.bones[b].piece != no_piece) taken[match.bones[b].piece] = 1;
  }
  const auto joint_of = [&](std::uint32_t b) {
    const TemplateBone& bone = skeleton.bones[b];
    const bool on_compound = bone.parent == TemplateBone::none || skeleton.bones[bone.parent].compound;
    return on_compound ? match.to_scan.point(bone.head) : match.bones[bone.parent].tail;
  };
  // Where a bone is thought to be as long as no piece is known: straight on from its parent.
  const auto place_straight = [&](std::uint32_t b) {
    const TemplateBone& bone = skeleton.bones[b];
    PlacedBone& placed = match.bones[b];
    placed.turn = bone.parent == TemplateBone::none ? match.to_scan.turn : match.bones[bone.parent].turn;
    placed.head = joint_of(b);
    placed.tail = placed.head + placed.turn * (bone.tail - bone.head) * match.to_scan.scale;
  };
  std::size_t deepest = 0;
  for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) deepest = std::max(deepest, depth(skeleton, b));
  for (std::size_t level = 0; level <= deepest; ++level) {
    std::vector<std::uint32_t> bones;
    for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
      if (depth(skeleton, b) != level) continue;
      if (!is_core[b] || match.bones[b].piece == no_piece) place_straight(b);
      if (!is_core[b] && !skeleton.bones[b].compound) bones.push_back(b);
    }
    assign_pieces(bones, pieces.size(), taken, match, [&](std::uint32_t b, std::size_t p) {
      const TemplateBone& bone = skeleton.bones[b];
      const PlacedBone root{no_piece, match.to_scan.turn, {}, {}, 0, 0};
      const PlacedBone& parent = bone.parent == TemplateBone::none ? root : match.bones[bone.parent];
      const bool faces_piece = bone.parent != TemplateBone::none && parent.piece != no_piece;
      return chain_fit(bone, pieces[p], parent, joint_of(b), faces_piece ? joint_gap : sliding_gap,
                       match.to_scan.scale);
    });
    for (const std::uint32_t b : bones) match.cost += match.bones[b].cost;
  }
}

BoneTemplate mirrored(const BoneTemplate& skeleton) {
  BoneTemplate result = skeleton;
  const auto mirror = [](Vec3d v) { return Vec3d{-v.x, v.y, v.z}; };
  for (TemplateBone& bone : result.bones) {
    bone.head = mirror(bone.head);
    bone.tail = mirror(bone.tail);
    // Back and length are mirrored as arrows, so the axis across turns round, and turns about the other two as well.
    const Vec3d y = mirror(bone.axes.c1), z = mirror(bone.axes.c2);
    bone.axes = {cross(y, z), y, z};
    for (Dof& dof : bone.dofs) dof.axis = {dof.axis.x, -dof.axis.y, -dof.axis.z};
  }
  for (BoneTemplate::End& end : result.ends) end.at = mirror(end.at);
  return result;
}

}  // namespace supple::scan
