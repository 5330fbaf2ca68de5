// What a scanner sees of measured bones: mineral, without the cartilage at their joints.
#pragma once

#include <optional>
#include <vector>

#include "supple/phantom/bone_flesh.h"

namespace supple::phantom {

/// Bones of a hand as signed distances in anatomical space, millimetres. Surfaces of bones, as anatomists draw them,
/// touch in every joint; in a scan they stand apart, since cartilage is no denser than flesh. Of two surfaces that face
/// each other mineral begins half the joint space behind the one and half behind the other.
class BoneSolid {
 public:
  /// Of bone `b` of the hand, or of one of its pieces; forearm bones end at y = `forearm_end`.
  BoneSolid(const MeasuredHand& hand, std::size_t b, double joint_space, double forearm_end,
            std::optional<std::size_t> piece = std::nullopt);

  double operator()(Vec3d p) const;
  Vec3d low() const { return low_; }
  Vec3d high() const { return high_; }

 private:
  struct Piece {
    SurfaceDistance own, others;  // those that come as near as the joint space
  };
  std::vector<Piece> pieces_;
  double joint_space_, end_;
  Vec3d low_{}, high_{};
};

/// The same as a solid to be scanned, in metres and in the model's space.
Solid solid_of(const BoneSolid& bone, const std::string& name, make::Side side);

}  // namespace supple::phantom
