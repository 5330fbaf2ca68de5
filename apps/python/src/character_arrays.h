// Between the structures of a character and plain arrays.
#pragma once

#include "arrays.h"
#include "supple/rig/character.h"

namespace supple::python {

/// One part of vertices (V, 3) and triangles (T, 3), bound to joints that stand at `joint_positions` (J, 3) in the
/// world, by weights (V, J). supple.Error where they make no character.
Character character_of(const ArrayLike& positions, const ArrayLike& triangles, const std::vector<std::string>& joints,
                       const std::vector<std::int64_t>& parents, const ArrayLike& joint_positions,
                       const ArrayLike& weights, const std::string& name);

/// Influences by the joints of a skin from weights (V, #joints of the character); ValueError where a joint has weight
/// that the skin does not know.
SkinWeights weights_from_dense(const ArrayLike& given, std::size_t vertices, std::span<const JointIndex> joints,
                               std::size_t joint_count);
OutArray<float> weights_to_dense(const Character& character, const Part& part);

/// (K, 4, 4), points are columns.
OutArray<float> inverse_binds(const Character& character, const Part& part);

/// (V, 3).
OutArray<float> morph_offsets(const Part& part, std::size_t number);

/// Keys of all joints' rotations (K, J, 4), and of their translations (K, J, 3) unless these are None.
Clip make_clip(const Skeleton& skeleton, const std::string& name, const ArrayLike& times, const ArrayLike& rotations,
               const ArrayLike& translations);

}  // namespace supple::python
