// Morph targets: weighted offsets added to the rest shape before skinning, as glTF defines them.
#pragma once

#include <span>

#include "supple/rig/character.h"

namespace supple {

/// out = rest + sum_m weights[m] * offsets of target m. `out_normals` may be empty; normals are not renormalised here,
/// skinning does that. Targets with weight 0 cost nothing. Does not allocate.
void apply_morphs(std::span<const MorphTarget> morphs, std::span<const float> weights, std::span<const Vec3f> positions,
                  std::span<const Vec3f> normals, std::span<Vec3f> out_positions, std::span<Vec3f> out_normals);

}  // namespace supple
