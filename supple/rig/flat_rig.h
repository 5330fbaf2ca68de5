// Skeletons without a tree: joints that all hang on one, as some exporters write them.
#pragma once

#include <optional>

#include "supple/rig/character.h"

namespace supple {

struct FlatRig {
  JointIndex parent = no_joint;    // that they hang on; no_joint: they are roots
  std::vector<JointIndex> joints;  // of skins, in the order of their numbers
};

/// Where six joints of skins or more, and three quarters of all, hang on one joint or on none.
std::optional<FlatRig> flat_rig(const Character& character);

/// #joints: a tree for a flat rig, by name and place. From the joint that all hang on where skin follows it, or the one
/// that is called hips, pelvis or the like, or else the one in the middle, joints are joined to the nearest ones whose
/// skin they share; left ones never to right ones nor fingers to others, numbers of a row (tail1, tail2) and pairs such
/// as thigh and shin before others. Joints that are not flat keep their parents.
std::vector<JointIndex> proposed_parents(const Character& character, const FlatRig& flat);

}  // namespace supple
