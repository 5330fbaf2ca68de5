// Whether a pose is one that a body can take: limbs that press are flesh, limbs that pass through each other are not.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// Capsules about the bones, as thick as the skin that follows them. Judges thousands of poses a second, without skin.
class Crowding {
 public:
  /// Of all skinned parts together; bones that no skin follows are left out.
  explicit Crowding(const Character& character);

  /// How deep two limbs that do not meet at a joint go into each other, beyond what they do at rest, over the radius of
  /// the thinner one: at most the sum of both radii; 0 where none touch.
  double deepest(const Pose& pose) const;

 private:
  struct Limb {
    JointIndex joint = no_joint;
    Vec3d head{}, tail{};  // in the joint's frame
    double radius = 0;     // metres of the world
  };
  struct Pair {
    std::size_t a = 0, b = 0;
    double at_rest = 0;  // how deep they are in each other, metres
  };

  const Skeleton* skeleton_;
  std::vector<Limb> limbs_;
  std::vector<Pair> pairs_;

  std::vector<double> overlaps(const Pose& pose) const;  // #pairs, metres, not beyond rest but in all; 0 where apart
};

}  // namespace supple
