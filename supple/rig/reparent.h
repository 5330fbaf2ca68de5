// Another tree over the same joints: everything stays where it is, at rest and in every clip.
#pragma once

#include "supple/rig/character.h"

namespace supple {

struct Reparented {
  std::vector<Transformf> rest;  // #joints, relative to the new parents; joints have their numbers of before
  std::vector<Clip> clips;
};

/// `parents`: #joints, no_joint for roots. Joints that get another parent get keys of their own in every clip, as dense
/// as it takes to move them as before, to 8e-6 radians and 4e-6 of the skeleton's size between keys. The error names a
/// joint that would be above itself, or that transforms without shear cannot hold below its new parent.
Result<Reparented> reparent(const Character& character, std::span<const JointIndex> parents);

}  // namespace supple
