// Everyday ranges of the joints of a body.
#pragma once

#include "supple/rig/anatomy.h"
#include "supple/rig/character.h"

namespace supple {

/// Returns #joints lists; those of joints that are unknown or not posed on their own (see is_posed()) are empty. Every
/// range includes rest and all angles of the character's clips. Angles count from rest: how far an arm can still be
/// raised depends on how it rests.
///
/// - Elbows, knees, toes, jaws and finger joints are hinges about the axis in which the chain is bent at rest. The axis
///   of a straight chain comes from the clips; without clips, arms and legs bend as those of a body that faces
///   forwards, and fingers towards the palm.
/// - The first joint of a finger also spreads. No finger twists.
/// - Shoulders and hips bend forwards, sideways and twist. The joints of trunk and neck do too, and share their range.
/// - Further turns in the clips become further degrees of freedom.
///
/// Degrees of freedom are called "bend", "side" and "twist"; or "x", "y", "z" if they are about the joint's own axes.
std::vector<std::vector<Dof>> anatomical_limits(const Character& character, const Anatomy& anatomy);

}  // namespace supple
