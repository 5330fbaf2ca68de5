// Scales of a pose that the rest pose does not have. A flow follows rigid motions; what joints stretch beyond those is
// put on afterwards, by skin weights.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// Made once for a character; set() does not allocate.
class PoseScale {
 public:
  explicit PoseScale(const Character& character);

  /// `world`: the joints of a pose.
  void set(std::span<const Affinef> world);
  /// Whether some joint is scaled otherwise than at rest, by more than rounding.
  bool is_scaled() const { return scaled_; }
  /// #joints: as they would stand with the scales that they have at rest; the pose itself where nothing is scaled.
  std::span<const Affinef> unscaled_world() const { return unscaled_; }
  /// #joints: from there to where the joints are.
  std::span<const Affinef> stretch() const { return stretch_; }

 private:
  std::vector<JointIndex> parents_;
  std::vector<Affined> rest_local_;
  std::vector<Affinef> unscaled_, stretch_;
  bool scaled_ = false;
};

/// What stretch() does to the vertices of one part: to each p the sum of w_j * stretch_j(p) over the joints of its skin
/// weights, those of twins counting for their bones.
class StretchWeights {
 public:
  StretchWeights() = default;
  StretchWeights(const Character& character, std::size_t part);
  /// #V positions, in the world, moved in place.
  void apply(std::span<const Affinef> stretch, std::span<Vec3f> positions, unsigned threads) const;

 private:
  std::vector<std::uint32_t> first_;   // #V + 1
  std::vector<Influence> influences_;  // by joints of the skeleton
};

}  // namespace supple
