// One correction: displacement fields of some examples become modes, and their coordinates functions of the pose.
#pragma once

#include "supple/author/learn/eigenskin.h"
#include "supple/author/learn/residual.h"

namespace supple::learn {

/// A correction of the given joints with no modes yet: reference rotations, kernel, twist axes.
Correction make_correction(const Skeleton& skeleton, std::vector<JointIndex> joints, const EigenSkinOptions& options);

/// Coordinates pass through the examples exactly: for examples that move nothing but the joint.
Result<void> learn_exactly(Correction& correction, const Residual& residual, std::span<const std::size_t> examples,
                           const EigenSkinOptions& options);
/// Coordinates pass near the examples: for those that move other joints too. At `zeros` nothing is to be added.
void learn_smoothly(Correction& correction, const Residual& residual, std::span<const std::size_t> examples,
                    std::span<const std::vector<Quatf>> zeros, const EigenSkinOptions& options);

/// residual -= sign * what the kept modes of the correction add to each of the examples.
void subtract(const Correction& correction, std::span<const std::size_t> examples, Residual& residual, double sign = 1);

/// Limits the coordinates of a finished correction to those of the training examples, with some slack: see
/// set_limits().
void limit_to_training(Correction& correction, const Residual& residual);

/// Coordinates of all modes of a correction at a setting.
std::vector<double> coordinates_at(const Correction& correction, std::span<const Quatf> setting);

}  // namespace supple::learn
