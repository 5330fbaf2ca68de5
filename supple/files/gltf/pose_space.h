// A pose space in a file: the member "poseSpace" of SUPPLE_deformers, specified in docs/SUPPLE_deformers.md. Viewers
// that do not know it play the weight tracks.
#pragma once

#include <optional>
#include <span>

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Replaces the pose space of the document; none takes the member out. `sources` says which primitive each part of the
/// character is. The error says what the document lacks of it. To be called again whenever put_part changes the number
/// of morph targets.
Result<void> put_pose_space(Document& document, const std::optional<PoseSpace>& space,
                            std::span<const PartSource> sources, const Places& places);

}  // namespace supple::gltf
