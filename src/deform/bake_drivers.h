// Driven morph weights as keyframes, for engines that play weight tracks but know no drivers.
#pragma once

#include <string>

#include "supple/rig/character.h"

namespace supple {

/// Gives a clip of the character weight tracks that follow the drivers: between two keys the linear interpolation stays
/// within `tolerance` of what drive() computes, or the keys lie less than 1/240 s apart. A track covers all morph
/// targets of its mesh, as glTF wants; weights that no driver moves keep the values they had in the clip, or at rest.
/// A clip that neither turns a driven joint nor has weights of the mesh gets no track, unless drivers move the rest
/// pose.
void bake_drivers(const Character& character, Clip& clip, double tolerance = 5e-4);
/// The same for every clip.
void bake_drivers(Character& character, double tolerance = 5e-4);

/// One pose as a clip that plays for a second: what differs from rest, and the driven weights.
Clip snapshot_clip(const Character& character, Pose pose, std::string name);

}  // namespace supple
