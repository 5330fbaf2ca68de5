// Joints of the procedural body with their degrees of freedom, and the weights of its skin.
#pragma once

#include <span>

#include "supple/base/progress.h"
#include "supple/geometry/mesh.h"
#include "supple/make/figure_anatomy.h"
#include "supple/rig/skeleton.h"
#include "supple/rig/skin_weights.h"

namespace supple::make {

/// Angles are positive for flexion (trunk and head bow, limbs to the front, knees fold, hands to the palm, toes up),
/// for abduction (away from the middle; collars up, hands towards the thumb, trunk and head to the left) and for twist
/// (limbs inwards, trunk and head to the left): the same angles move both sides alike.
Result<Skeleton> figure_skeleton(std::span<const FigureBone> bones);

/// Weights of the skin to the joints of `skeleton`, at most three for each vertex. `edge` is the mean length of the
/// skin's edges, metres: weights fade over the same distances however fine the mesh is.
Result<SkinWeights> figure_weights(const Mesh& skin, std::span<const FigureBone> bones, const Skeleton& skeleton,
                                   double edge, const Progress& progress = {});

}  // namespace supple::make
