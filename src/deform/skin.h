// One character on screen: its deformed surfaces for a pose, every layer of the file in order.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/morph/table.h"
#include "supple/deform/palette.h"
#include "supple/deform/skinning/table.h"
#include "supple/rig/character.h"

namespace supple {

enum class Blend { linear, dual_quaternion };

/// Where driven morph weights come from: the joints of the pose, through the character's drivers, or the pose as it is
/// (a clip into which they were baked, played as an engine without drivers would).
enum class Driven { live, as_given };

/// Owns the buffers of one instance, made once; evaluate() does not allocate. The character must outlive it and keep
/// its shape.
class Skin {
 public:
  /// The character is validated here, once.
  static Result<Skin> make(const Character& character, Blend blend = Blend::linear, Driven driven = Driven::live);
  static Result<Skin> make(Character&&, Blend = Blend::linear,
                           Driven = Driven::live) = delete;  // it would not outlive the call

  /// Deforms every part: drivers, morph targets, then skinning (or the node's transform for rigid parts). World space,
  /// metres. The error says that the pose has the wrong size, or names the joint that dual quaternions cannot follow.
  Result<void> evaluate(const Pose& pose, unsigned threads = 0);

  std::size_t parts() const { return parts_.size(); }
  std::span<const Vec3f> positions(std::size_t part = 0) const { return parts_[part].positions; }
  std::span<const Vec3f> normals(std::size_t part = 0) const { return parts_[part].normals; }
  /// World transforms of all joints at the last evaluate().
  std::span<const Affinef> world() const { return world_; }
  /// Morph weights at the last evaluate(), driven ones included.
  std::span<const float> morph_weights() const { return morph_weights_; }

 private:
  struct PartState {
    SkinTable table;
    MorphTable morphs;
    SkinBinding binding;  // of a rigid part: its node alone
    std::vector<JointMatrix> palette, stretch;
    std::vector<JointDualQuat> motion;
    std::vector<Vec3f> rest_normals;  // the file's, or computed
    std::vector<Vec3f> positions, normals;
  };
  Skin(const Character& character, Blend blend, Driven driven)
      : character_(&character), blend_(blend), driven_(driven) {}
  Result<void> add_part(const Part& part);
  Result<void> evaluate_part(const Part& part, PartState& state, unsigned threads) const;

  const Character* character_;
  Blend blend_;
  Driven driven_;
  std::vector<Affinef> world_;
  std::vector<float> morph_weights_;
  std::vector<PartState> parts_;
};

}  // namespace supple
