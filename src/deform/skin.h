// One character on screen: its deformed surfaces for a pose, every layer of the file in order.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/palette.h"
#include "supple/deform/skinning/table.h"
#include "supple/rig/character.h"

namespace supple {

enum class Blend { linear, dual_quaternion };

/// Owns the buffers of one instance, made once; evaluate() does not allocate. The character must outlive it and keep
/// its shape.
class Skin {
 public:
  /// The character is validated here, once.
  static Result<Skin> make(const Character& character, Blend blend = Blend::linear);
  static Result<Skin> make(Character&&, Blend = Blend::linear) = delete;  // it would not outlive the call

  /// Deforms every part: morph targets, then skinning (or the node's transform for rigid parts). World space, metres.
  /// The error says that the pose has the wrong size, or names the joint that dual quaternions cannot follow.
  Result<void> evaluate(const Pose& pose, unsigned threads = 0);

  std::size_t parts() const { return parts_.size(); }
  std::span<const Vec3f> positions(std::size_t part = 0) const { return parts_[part].positions; }
  std::span<const Vec3f> normals(std::size_t part = 0) const { return parts_[part].normals; }
  /// World transforms of all joints at the last evaluate().
  std::span<const Affinef> world() const { return world_; }

 private:
  struct PartState {
    SkinTable table;
    SkinBinding binding;  // of a rigid part: its node alone
    std::vector<JointMatrix> palette, stretch;
    std::vector<JointDualQuat> motion;
    std::vector<Vec3f> rest_normals;                        // the file's, or computed
    std::vector<Vec3f> morphed_positions, morphed_normals;  // empty where the part has no morph targets
    std::vector<Vec3f> positions, normals;
  };
  Skin(const Character& character, Blend blend) : character_(&character), blend_(blend) {}
  Result<void> add_part(const Part& part);
  Result<void> evaluate_part(const Part& part, PartState& state, const Pose& pose, unsigned threads) const;

  const Character* character_;
  Blend blend_;
  std::vector<Affinef> world_;
  std::vector<PartState> parts_;
};

}  // namespace supple
