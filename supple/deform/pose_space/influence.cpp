#include "supple/deform/pose_space/influence.h"

#include <algorithm>

namespace supple {

JointInfluences::JointInfluences(const Character& character, const PoseSpace& space)
    : weights_(&character.parts[space.part].weights), kind_(space.influence) {
  const SkinBinding& binding = character.skins[*character.parts[space.part].skin];
  for (const JointIndex bound : binding.joints) {
    auto& list = counts_for_.emplace_back();
    for (JointIndex j = bound; j != no_joint; j = character.skeleton.parent(j)) {
      const auto found = std::find(space.joints.begin(), space.joints.end(), j);
      if (found != space.joints.end()) list.push_back(static_cast<std::uint32_t>(found - space.joints.begin()));
      if (kind_ == JointInfluence::weights) break;
    }
  }
}

void JointInfluences::of(std::size_t vertex, std::span<double> out) const {
  std::fill(out.begin(), out.end(), kind_ == JointInfluence::equal ? 1.0 : 0.0);
  if (kind_ == JointInfluence::equal) return;
  for (const Influence& i : weights_->of(vertex))
    for (const std::uint32_t k : counts_for_[i.joint]) out[k] += double{i.weight};
  for (double& u : out) {
    const double share = std::clamp(u, 0.0, 1.0);
    u = kind_ == JointInfluence::weights ? share : 4 * share * (1 - share);
    if (u < PoseSpace::no_influence) u = 0;
  }
}

}  // namespace supple
