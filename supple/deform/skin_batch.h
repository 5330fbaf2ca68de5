// Many poses of one character at once, as trainers and simulations want them: every thread has a skin of its own.
#pragma once

#include "supple/deform/skin.h"

namespace supple {

/// Poses as arrays. Empty ones: as at rest in all poses.
struct PoseArrays {
  std::size_t count = 0;
  std::span<const Quatf> rotations;      // count * #joints, local
  std::span<const Vec3f> translations;   // count * #joints, local
  std::span<const Vec3f> scales;         // count * #joints, local
  std::span<const float> morph_weights;  // count * #weights
};

/// The character must outlive it and keep its shape.
class SkinBatch {
 public:
  static Result<SkinBatch> make(const Character& character, Blend blend = Blend::linear, const Layers& layers = {},
                                unsigned threads = 0);

  /// Writes the surface of a part in every pose: count * #V positions, and as many normals unless that is empty. What
  /// swings hangs as each pose lets it. The same bits as Skin::evaluate() one by one, whatever the number of threads.
  /// The error names the array that has the wrong size, or the pose that cannot be shown.
  Result<void> evaluate(const PoseArrays& poses, std::size_t part, std::span<Vec3f> positions,
                        std::span<Vec3f> normals = {});

 private:
  struct Worker {
    Skin skin;
    Pose pose;
    Result<void> failure;
  };
  SkinBatch(const Character& character, std::vector<Worker> workers)
      : character_(&character), workers_(std::move(workers)) {}
  Result<void> check(const PoseArrays& poses, std::size_t part, std::size_t positions, std::size_t normals) const;

  const Character* character_;
  std::vector<Worker> workers_;  // one per thread
};

}  // namespace supple
