// More morph targets for a mesh, with everything that counts them kept right.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// Adds targets after those that the parts have. `parts` are the surfaces of one mesh (glTF: its primitives share their
/// weights); the first gets the targets as they are, the others the same number of targets that move nothing. The
/// weights of other meshes, tracks of clips and all deformers move up; weight tracks of this mesh
/// are widened by the rest weights. Returns the place of the first new weight in Pose::morph_weights.
std::uint32_t append_morphs(Character& character, std::span<const std::size_t> parts, std::vector<MorphTarget> targets,
                            std::span<const float> rest_weights);

/// Takes out deformers of these kinds and every morph target that they move. Parts keep the shape that their targets
/// gave them at rest, so that they look as before in the rest pose.
void remove_with_morphs(Character& character, std::span<const DeformerKind* const> kinds);

/// The same for all that a skin may have been learnt as: drivers and the pose space.
void remove_driven_morphs(Character& character);
/// Only what was learnt of the mesh that the part belongs to; other meshes keep theirs.
void remove_driven_morphs(Character& character, std::size_t part);

}  // namespace supple
