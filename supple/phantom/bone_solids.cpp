#include "supple/phantom/bone_solids.h"

#include <algorithm>
#include <limits>

namespace supple::phantom {
namespace {

bool near(const Mesh& a, const Mesh& b, double reach) {
  const Box p = bounds(a.positions), q = bounds(b.positions);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (double{p.low[axis]} > double{q.high[axis]} + reach || double{q.low[axis]} > double{p.high[axis]} + reach)
      return false;
  }
  return true;
}

std::vector<Mesh> neighbours(const MeasuredHand& hand, const Mesh& of, double reach) {
  std::vector<Mesh> found;
  for (const std::vector<Mesh>& pieces : hand.pieces) {
    for (const Mesh& piece : pieces) {
      if (&piece != &of && near(piece, of, reach)) found.push_back(piece);
    }
  }
  return found;
}

}  // namespace

BoneSolid::BoneSolid(const MeasuredHand& hand, std::size_t b, double joint_space, double forearm_end,
                     std::optional<std::size_t> only)
    : joint_space_(joint_space),
      end_(hand.anatomy.bones[b].kind == make::BoneKind::forearm ? forearm_end
                                                                 : -std::numeric_limits<double>::infinity()) {
  const std::span<const Mesh> pieces =
      only ? std::span<const Mesh>(&hand.pieces[b][*only], 1) : std::span<const Mesh>(hand.pieces[b]);
  const SurfaceDistance whole(pieces);
  low_ = whole.low(), high_ = whole.high();
  low_.y = std::max(low_.y, end_);
  for (const Mesh& piece : pieces) {
    std::vector<Mesh> others;
    if (joint_space > 0) others = neighbours(hand, piece, joint_space);
    pieces_.push_back({SurfaceDistance({&piece, 1}), SurfaceDistance(others)});
  }
}

double BoneSolid::operator()(Vec3d p) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Piece& piece : pieces_) {
    const double own = piece.own.below(p, least);
    if (own >= least) continue;
    // The middle of the two surfaces is where the distances are equal, also where they run into each other. Others
    // that are farther than the bound leave the piece as it is.
    const double other = piece.others.below(p, joint_space_ - own);
    least = std::min(least, std::max(own, 0.5 * (own - other + joint_space_)));
  }
  return std::max(least, end_ - p.y);
}

Solid solid_of(const BoneSolid& bone, const std::string& name, make::Side side) {
  Solid solid;
  solid.name = name;
  solid.lipschitz = 1;
  const Vec3d p = to_model(bone.low(), side), q = to_model(bone.high(), side);
  solid.low = min(p, q), solid.high = max(p, q);
  const bool right = side == make::Side::right;
  solid.distance = [bone, right](Vec3d m) {  // the inverse of make::to_model; millimetres to metres
    return bone(Vec3d{right ? -m.x : m.x, -m.z, m.y} * 1000.0) / 1000.0;
  };
  return solid;
}

}  // namespace supple::phantom
