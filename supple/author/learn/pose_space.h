// Pose space deformation from examples (Kurihara and Miyata 2004): every training example becomes a morph target, and
// the pose mixes them.
#pragma once

#include <optional>

#include "supple/base/progress.h"
#include "supple/rig/example_set.h"

namespace supple::learn {

struct PoseSpaceOptions {
  JointInfluence influence = JointInfluence::subtree;  // equal: plain PSD
  float floor = 0.004f;
  /// Radians; without one 300 degrees, and thrice that for plain PSD, whose distances add up all joints.
  std::optional<float> radius;
};

/// Carries the usable training examples of weight above 0 back to rest (eq. 6), adds them to the character as morph
/// targets named after them, and sets and returns its pose space. `parts`: the trained part first, then other surfaces
/// of the same mesh. Joints count that some example moves and that bend the skin: the whole skin's turns do not matter.
/// Examples at rest whose skin is another than the rest skin are left out and told as warnings, and so are vertices
/// where the blend of joints is singular. Examples in nearly one pose are merged; of more than a pose space has, those
/// are kept that lie farthest apart; a ridge keeps weights below 3 around them: all told as warnings. The
/// character must have no pose space, and is left as it was where there is an error.
Result<PoseSpace> train_pose_space(const ExampleSet& set, Character& character, std::span<const std::size_t> parts,
                                   const PoseSpaceOptions& options = {}, Warnings* warnings = nullptr,
                                   const Progress& progress = {});
/// The same for a mesh of one surface.
Result<PoseSpace> train_pose_space(const ExampleSet& set, Character& character, std::size_t part,
                                   const PoseSpaceOptions& options = {}, Warnings* warnings = nullptr,
                                   const Progress& progress = {});

}  // namespace supple::learn
