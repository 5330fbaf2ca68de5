// Driven morph weights as keyframes, for engines that play weight tracks but know no drivers and no wrinkles.
#pragma once

#include <string>

#include "supple/deform/pipeline.h"
#include "supple/rig/character.h"

namespace supple {

/// Gives a clip of a valid character weight tracks that follow the drivers, the pose space and the wrinkles: between
/// two keys the linear interpolation stays within `tolerance` of what WeightLayers compute, or the keys lie less than
/// 1/240 s apart. Of a pose space the examples' weights are alike for all vertices: every engine plays plain PSD, and a
/// Skin whose pose space is live each vertex's own. A track covers all morph targets of its mesh, as glTF wants;
/// weights that nothing drives keep the values they had in the clip, or at rest. A clip that neither moves a driven
/// joint nor has weights of the mesh gets no track, unless drivers move the rest pose. Wrinkles follow the joints as
/// the clip has them, twins of flesh included: to be called after bake_flesh().
void bake_drivers(const Character& character, Clip& clip, double tolerance = 5e-4);
/// The same for every clip.
void bake_drivers(Character& character, double tolerance = 5e-4);

/// One pose as a clip that plays for a second: what differs from rest, and the weights that layers make of it.
Clip snapshot_clip(const Character& character, Pose pose, std::string name, const Layers& layers = {});

}  // namespace supple
