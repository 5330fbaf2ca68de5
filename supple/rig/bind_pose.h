// The pose in which a character's skin was bound, which need not be its rest pose.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// #joints, relative to the parents: joints turn against each other as their skin binds them; all else is as at rest.
/// Joints without a skin, or whose parents have none, are as at rest. Of several skins the first counts.
std::vector<Transformf> bind_pose(const Character& character);

/// #joints: where all joints were in the world when the skins of `parts` were bound. Skins may have been bound in
/// coordinates of their own: the first joint of a skin whose place is known says where these are. Joints of no skin
/// hang on the next above them as at rest.
std::vector<Affined> bound_joints(const Character& character, std::span<const std::size_t> parts);

/// #V: a part by linear blend where the joints are so, its morph targets at their rest weights.
std::vector<Vec3d> blended(const Character& character, const Part& part, std::span<const Affined> world);

/// Lengths in the world, at rest, by lengths of the part's mesh: nodes above a skeleton may scale it, as those of files
/// in centimetres do. 1 for parts without a skin.
double mesh_to_world(const Character& character, const Part& part);

}  // namespace supple
