// A trained skin put onto its character: modes become morph targets, coordinates become drivers.
#pragma once

#include "supple/author/learn/eigenskin.h"
#include "supple/rig/merge_parts.h"

namespace supple::learn {

struct AttachOptions {
  /// Morph weights as the signed coordinates they are. Otherwise they are shifted and scaled into [0, 1], since some
  /// importers clamp them: u' = (max - min) u, weight = (alpha - min) / (max - min), rest shape += min u.
  bool signed_weights = false;
  /// In these poses, besides the examples', weights are to lie in [0, 1].
  std::vector<Pose> poses;
};

/// What one of the new morph targets is.
struct TargetSource {
  std::size_t correction = 0;
  std::size_t mode = 0;  // from 0
  bool of_normals = false;
  float low = 0, high = 0;  // range of its coordinate, metres (1 for normals)
};

struct Attached {
  std::uint32_t first_weight = 0;     // place of the first in Pose::morph_weights
  std::vector<TargetSource> targets;  // in order
};

/// Adds the modes that were kept. `parts`: the trained part first, then other surfaces of the same mesh. Where the
/// rest normals are shifted, they and the targets' normals are scaled alike per vertex, so that the file's normals stay
/// unit vectors and directions are what they were.
Attached attach(const EigenSkin& skin, const ExampleSet& set, Character& character, std::span<const std::size_t> parts,
                const AttachOptions& options = {});

/// Adds the modes of a skin that was learnt of several parts as one to those parts. `meshes`: the surfaces of each mesh
/// that has some of the parts. Every mesh gets the modes that move it, and a driver of its own for them, since morph
/// weights belong to a mesh; all drivers of a mode give the same weight in every pose, so that borders stay closed.
void attach(const EigenSkin& skin, const ExampleSet& set, Character& character, const MergedParts& merged,
            std::span<const std::vector<std::size_t>> meshes, const AttachOptions& options = {});

}  // namespace supple::learn
