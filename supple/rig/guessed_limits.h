// How far joints turn where the rig does not say: as far as the file's own clips turn them, or as their shape suggests.
#pragma once

#include "supple/rig/character.h"

namespace supple {

enum class LimitSource {
  rig,    // degrees of freedom with limits, written by whoever made the rig
  clips,  // the angles that joints reach in the clips
  shape,  // guessed: chains bend farther the way they are bent at rest
};

struct LimitsInUse {
  LimitSource source = LimitSource::rig;
  /// The character's own, where joints that bend skin have limits. Guessed ones are about the joint's own axes, named
  /// "x", "y", "z", so that a plan made by them can be read by the rig as it is.
  Skeleton skeleton;
  std::size_t joints = 0;  // that have limits
};

/// Joints that carry all of the skin, or none of it, get no limits: turning them bends nothing.
LimitsInUse limits_in_use(const Character& character);

}  // namespace supple
