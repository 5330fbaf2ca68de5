// The pose space of one character on screen where its weights are each vertex's own. Weights that are alike for all
// vertices, and what others are told of these, are morph weights: see weights.h.
#pragma once

#include "supple/deform/pose_space/job.h"
#include "supple/rig/character.h"

namespace supple {

/// Owns what a frame needs, made once; frames do not allocate.
class PoseSpaceLayer {
 public:
  /// Of a valid character with a pose space. The error names the vertex that cannot tell the examples apart.
  static Result<PoseSpaceLayer> make(const Character& character);

  /// Whether the part's rest shape is shape()'s, so that its examples' morph targets must not be added again.
  bool shapes(std::size_t part) const { return weighted_ && part == part_; }
  /// out = rest + examples, with each vertex's own weights.
  void shape(std::span<const Transformf> local, std::span<const Vec3f> positions, std::span<const Vec3f> normals,
             std::span<Vec3f> out_positions, std::span<Vec3f> out_normals, unsigned threads);
  /// The part's targets for a morph table beside shape(): those of the examples move nothing.
  static std::vector<MorphTarget> other_targets(const Part& part, const PoseSpace& space);

 private:
  std::size_t part_ = 0;
  bool weighted_ = false;
  PoseSpaceTable table_;        // where weighted
  std::vector<float> scratch_;  // of its jobs
};

}  // namespace supple
