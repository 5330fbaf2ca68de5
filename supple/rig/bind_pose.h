// The pose in which a character's skin was bound, which need not be its rest pose.
#pragma once

#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// #joints, relative to the parents: joints turn against each other as their skin binds them; all else is as at rest.
/// Joints without a skin, or whose parents have none, are as at rest. Of several skins the first counts.
std::vector<Transformf> bind_pose(const Character& character);

/// Lengths in the world, at rest, by lengths of the part's mesh: nodes above a skeleton may scale it, as those of files
/// in centimetres do. 1 for parts without a skin.
double mesh_to_world(const Character& character, const Part& part);

}  // namespace supple
