// Poses drawn at random again and again until limbs do not pass through each other.
#pragma once

#include "supple/rig/crowding.h"
#include "supple/rig/planned_joint.h"

namespace supple {

struct UncrowdedDraw {
  const Skeleton& skeleton;
  const Crowding* crowding = nullptr;  // none: every pose will do

  static constexpr int draws = 24;
  /// Limbs may press into each other by this much of the thinner one's radius: flesh gives way so far, bones do not.
  static constexpr double enough = 0.35;

  /// The first of several drawn poses that is not crowded, otherwise the least crowded.
  template <class Draw>
  std::vector<JointAngles> first_of(const Draw& draw) const {
    std::vector<JointAngles> best = draw();
    if (crowding == nullptr) return best;
    double least = deepest(best);
    for (int i = 1; i < draws && least > enough; ++i) {
      std::vector<JointAngles> next = draw();
      const double depth = deepest(next);
      if (!(depth < least)) continue;
      least = depth;
      best = std::move(next);
    }
    return best;
  }

 private:
  double deepest(const std::vector<JointAngles>& angles) const {
    return crowding->deepest(pose_of(PlannedPose{"", angles}, skeleton));
  }
};

}  // namespace supple
