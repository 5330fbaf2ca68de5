// How much a vertex feels each joint of a pose space.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// u of one vertex after the other (eq. 16), without the floor. Keeps what it needs of the character.
class JointInfluences {
 public:
  JointInfluences(const Character& character, const PoseSpace& space);
  /// #joints.
  void of(std::size_t vertex, std::span<double> out) const;

 private:
  const SkinWeights* weights_;
  JointInfluence kind_;
  /// Of each joint of the skin: joints of the space that its weight counts for, itself and those above it.
  std::vector<std::vector<std::uint32_t>> counts_for_;
};

}  // namespace supple
