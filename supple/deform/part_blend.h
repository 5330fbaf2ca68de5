// One part from its rest shape to where its joints take it: layer 4 of the order in pipeline.h, unless the part flows.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/morph/table.h"
#include "supple/deform/palette.h"
#include "supple/deform/pipeline.h"
#include "supple/deform/pose_space/layer.h"
#include "supple/deform/skinning/table.h"

namespace supple {

/// Kinodynamic: skin flows with the bones and keeps its volume, muscles swing under it; morph targets and drivers do
/// not count there. Parts that do not flow are blended linearly then.
enum class Blend { linear, dual_quaternion, kinodynamic };

/// Owns what a frame needs, made once; run() does not allocate. The character must outlive it and keep its shape.
class PartBlend {
 public:
  /// The pose of a frame: joints, and morph weights of the whole character.
  struct Frame {
    std::span<const Transformf> local;
    std::span<const Affinef> world;
    std::span<const float> morph_weights;
  };

  /// `weights` are those of split_weights(). `pose_space` is the character's where that is live and the weights of its
  /// examples are each vertex's own, or null; frames must bring the same. The error names the part.
  static Result<PartBlend> make(const Character& character, std::size_t part, Blend blend, const Layers& layers,
                                const SkinWeights& weights, const PoseSpaceLayer* pose_space);

  /// #V positions and normals, in the world. The error names the joint that dual quaternions cannot follow.
  Result<void> run(const Frame& frame, PoseSpaceLayer* pose_space, std::span<Vec3f> positions, std::span<Vec3f> normals,
                   unsigned threads);

 private:
  PartBlend(const Character& character, std::size_t part, Blend blend)
      : character_(&character), number_(part), blend_(blend) {}

  const Character* character_;
  std::size_t number_;
  Blend blend_;
  SkinTable table_;
  MorphTable morphs_;
  SkinBinding binding_;  // of a rigid part: its node alone
  std::vector<JointMatrix> palette_, stretch_;
  std::vector<JointDualQuat> motion_;
  std::vector<Vec3f> rest_normals_;  // the file's, or computed
};

}  // namespace supple
