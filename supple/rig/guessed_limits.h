// Chooses limits for joints that have none in the file: by anatomy, by the file's own clips, or by their shape.
#pragma once

#include <numbers>

#include "supple/rig/anatomy.h"
#include "supple/rig/character.h"
#include "supple/rig/pose_plan.h"

namespace supple {

enum class LimitSource {
  rig,      // degrees of freedom with limits, written by whoever made the rig
  anatomy,  // what such joints do in everyday movement, and in the clips; see anatomical_limits()
  clips,    // the angles that joints reach in the clips
  shape,    // guessed: chains bend farther the way they are bent at rest
};

struct LimitsInUse {
  LimitSource source = LimitSource::rig;
  /// The character's own, where joints that bend skin have limits. Those of anatomy may be about axes that the rig has
  /// no name for, see in_own_axes(); guessed ones are about the joint's own axes, named "x", "y", "z", so that a plan
  /// made by them can be read by the rig as it is.
  Skeleton skeleton;
  std::size_t joints = 0;  // that have limits
  BodyPlan plan = BodyPlan::unknown;
};

/// Limits of anatomy are used where the joints of at least a third of the skin's bending joints are known, three or
/// more; the others have those of the clips or of their shape, and on a head those of the clips alone. Joints that
/// carry all of the skin, or none of it, get no limits: turning them bends nothing.
LimitsInUse limits_in_use(const Character& character);

/// Limits beyond a quarter turn mostly mean that nobody set any, and skin is not taught farther.
inline constexpr float most_taught_turn = std::numbers::pi_v<float> / 2;
/// No limit of any joint is farther from rest than that.
void narrow_limits(Skeleton& skeleton, float most = most_taught_turn);

/// Rewrites turns about degrees of freedom that only `limits` has as turns about the joints' own axes, which the rig
/// itself can read, to a hundredth of a degree.
PosePlan in_own_axes(PosePlan plan, const Skeleton& limits);

}  // namespace supple
