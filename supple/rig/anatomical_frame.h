// Directions of a body at rest, in world space, by which the axes of hinges are guessed.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "supple/rig/anatomy.h"
#include "supple/rig/character.h"

namespace supple {

class BodyFrame {
 public:
  BodyFrame(const Skeleton& skeleton, const Anatomy& anatomy);

  Vec3d up() const { return up_; }
  Vec3d left() const { return left_; }        // 0: not known
  Vec3d forward() const { return forward_; }  // 0: not known
  /// Directions of the bone that ends at joint `j` and of the one that begins there; 0: it has no length.
  Vec3d in(JointIndex j) const { return in_[j]; }
  Vec3d out(JointIndex j) const { return out_[j]; }
  Quatd rotation(JointIndex j) const { return rotation_[j]; }
  /// The direction in which the fingers of a hand close; 0: not known.
  Vec3d palm(BodySide side) const { return palm_[static_cast<std::size_t>(side)]; }
  /// The direction from the index finger to the little finger.
  Vec3d across(BodySide side) const { return across_[static_cast<std::size_t>(side)]; }
  /// The axis about which a finger is bent at rest, summed over its joints: its length is the sum of the bends' sines.
  Vec3d finger_bend(JointIndex j) const;

 private:
  void find_places();
  void find_directions();
  void find_palms();
  JointIndex next_of(JointIndex j) const;

  const Skeleton& skeleton_;
  const Anatomy& anatomy_;
  std::vector<Vec3d> places_, in_, out_;
  std::vector<Quatd> rotation_;
  Vec3d up_{0, 1, 0}, left_{}, forward_{};
  std::array<Vec3d, 4> palm_{}, across_{};
};

}  // namespace supple
