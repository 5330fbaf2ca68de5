// One character on screen: its deformed surfaces for a pose, every layer of the file in order.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/deform/kinodynamic/layer.h"
#include "supple/deform/part_blend.h"
#include "supple/deform/pipeline.h"
#include "supple/rig/character.h"

namespace supple {

/// Owns the buffers of one instance, made once; evaluate() does not allocate. The character must outlive it and keep
/// its shape.
class Skin {
 public:
  /// The character is validated here, once.
  static Result<Skin> make(const Character& character, Blend blend = Blend::linear, const Layers& layers = {},
                           Warnings* warnings = nullptr);
  static Result<Skin> make(Character&&, Blend = Blend::linear, const Layers& = {},
                           Warnings* = nullptr) = delete;  // it would not outlive the call

  /// Deforms every part through all layers, in the order of pipeline.h; rigid parts go with their node. World space,
  /// metres. The error says that the pose has the wrong size, or names the joint that dual quaternions cannot follow.
  Result<void> evaluate(const Pose& pose, unsigned threads = 0);
  /// The same a moment later: flesh and muscles move on by `seconds`, trailing behind what the bones did since the last
  /// call. The first call finds them at rest, as evaluate() does.
  Result<void> animate(const Pose& pose, double seconds, unsigned threads = 0);

  /// What the flesh does from now on when evaluate() is called, one motion per element; none: what the pose has in its
  /// twin joints, as a clip with baked flesh does. Any other number is an error, and changes nothing.
  Result<void> set_flesh(std::span<const FleshMotion> motions);
  std::span<const FleshMotion> flesh() const { return flesh_.motions; }
  /// What the muscles do from now on when evaluate() is called, as a take has it (see play_muscles()); none: they hang
  /// as the pose lets them.
  Result<void> set_muscles(std::span<const Vec3f> vorticity);
  /// Tables and state of the flow; null unless blended so.
  const KinodynamicLayer* kinodynamics() const { return kinodynamics_ ? &*kinodynamics_ : nullptr; }
  KinodynamicLayer* kinodynamics() { return kinodynamics_ ? &*kinodynamics_ : nullptr; }

  std::size_t parts() const { return parts_.size(); }
  std::span<const Vec3f> positions(std::size_t part = 0) const { return parts_[part].positions; }
  std::span<const Vec3f> normals(std::size_t part = 0) const { return parts_[part].normals; }
  /// World transforms of all joints at the last evaluate().
  std::span<const Affinef> world() const { return world_; }
  /// Morph weights at the last evaluate(), driven ones and wrinkles included. Of a pose space whose weights are each
  /// vertex's own, those that are alike for all vertices.
  std::span<const float> morph_weights() const { return morph_weights_; }

 private:
  struct PartState {
    PartBlend blend;
    SurfaceLayers surface;
    std::vector<Vec3f> positions, normals;
  };
  Skin(const Character& character, const Layers& layers) : character_(&character), layers_(layers) {}
  Result<void> add_part(std::size_t number, Blend blend);
  Result<void> set_rest();
  Result<void> check(const Pose& pose) const;
  Result<void> evaluate_parts(const Pose& pose, unsigned threads);
  bool flows(std::size_t part) const { return kinodynamics_ && kinodynamics_->flows(part); }
  PoseSpaceLayer* pose_space() { return pose_space_ ? &*pose_space_ : nullptr; }

  const Character* character_;
  Layers layers_;
  std::vector<Affinef> world_;
  std::vector<float> morph_weights_;
  std::vector<PartState> parts_;
  FleshState flesh_;  // motions are what is shown
  WeightLayers weights_;
  std::optional<PoseSpaceLayer> pose_space_;
  std::optional<KinodynamicLayer> kinodynamics_;
  std::vector<Vec3f> muscles_;  // given by set_muscles()
  bool has_moved_ = false;      // whether flesh_ has a past
  bool flesh_given_ = false;    // by set_flesh(): the pose's twins do not count
};

}  // namespace supple
