// Skin that does not flow, or not wholly: heads and shells keep their shape, and joints may have a share of the flow;
// chosen vertices are bound to their joints.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/field/table.h"
#include "supple/rig/character.h"

namespace supple {

/// Of one part. Made once; set() and apply() do not allocate.
class HeldSkin {
 public:
  HeldSkin() = default;  // holds nothing
  /// `rest`: #V of the part, the skin in the rest pose, world space; `world`: #joints at rest.
  HeldSkin(const Character& character, std::size_t part, const HardSkin& hard, const DeformationField& field,
           std::span<const Vec3f> rest, std::span<const Affinef> world);

  bool empty() const { return mixed_.empty() && shells_.empty(); }
  /// The joints of the pose: #joints.
  void set(std::span<const Affinef> world);
  /// #V positions: as they flowed in, as they are held out. Shells go where those of their vertices that are close to
  /// soft skin went, on the mean, turned as they are and as their joint is, and no deeper into the skin below them than
  /// they are at rest: where it comes up they are lifted.
  void apply(std::span<Vec3f> positions) const;

 private:
  /// A vertex that linear blend moves by 1 - share.
  struct Mixed {
    std::uint32_t vertex = 0, first = 0, count = 0;  // its influences
    float share = 0;
    Vec3f bound{};  // as the skin is bound, rest morph targets included
  };
  struct Shell {
    JointIndex joint = no_joint;
    std::vector<std::uint32_t> vertices;
    std::vector<float> closeness;  // summing to 1
    std::vector<Vec3d> arms;       // at rest, from the mean place by closeness
    /// #vertices: the soft vertex next to each, and the way up from there at rest. None where the shell surrounds its
    /// limb.
    std::vector<std::uint32_t> below;
    std::vector<Vec3d> above;
    Vec3d outward{};          // at rest: the mean of these, a unit vector
    Mat3d rest_axes{};        // of the joint, without scale
    double spread = 0;        // square metres: the mean of the squared arms
    double highest_lift = 0;  // metres: half its own size
    Mat3d turn{};             // of the joint since rest
  };
  void add_mixed(const Character& character, std::size_t part, std::span<const float> softness,
                 const DeformationField& field);
  static void set_outward(const HardSkin::Shell& hard, std::span<const Vec3f> rest, Shell& shell);
  void add_shell(const HardSkin::Shell& hard, std::span<const Vec3f> rest, std::span<const Affinef> world);

  std::vector<Mixed> mixed_;
  std::vector<Influence> influences_;
  SkinBinding binding_;           // of the part
  std::vector<Affinef> palette_;  // #joints of the binding
  std::vector<Shell> shells_;
};

}  // namespace supple
