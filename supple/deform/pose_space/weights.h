// Plain PSD: one weight per example, the same for all vertices, as morph weights.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/pose_space/table.h"
#include "supple/rig/character.h"

namespace supple {

/// Immutable.
struct PoseWeights {
  PoseDistances distances;
  std::vector<double> coefficients;  // as solve_coefficients() has them
  std::uint32_t first_weight = 0;
};

/// Of the plain form of a valid pose space, see plain().
PoseWeights pose_weights_of(const PoseSpace& space);

/// Writes the weights of the examples' morph targets; the others stay. Does not allocate. Stateless.
void drive_pose_space(const PoseWeights& weights, std::span<const Transformf> local, std::span<float> morph_weights);

}  // namespace supple
