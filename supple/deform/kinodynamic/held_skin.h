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
  /// #V positions: as they flowed in, as they are held out. A shell has the rigid motion that is nearest to its linear
  /// blend. Where it sits on soft skin it goes along as far as the flow moves that skin from its linear blend, and no
  /// deeper into it than it is at rest: where the skin comes up the shell is lifted. What is far from soft skin is left
  /// alone by it.
  void apply(std::span<Vec3f> positions) const;

 private:
  /// A vertex as linear blend has it.
  struct Blended {
    std::uint32_t vertex = 0, first = 0, count = 0;  // its influences
    Vec3f bound{};                                   // as the skin is bound, rest morph targets included
  };
  /// A vertex that linear blend moves by 1 - share.
  struct Mixed : Blended {
    float share = 0;
  };
  /// A vertex of a shell with the soft vertex next to it.
  struct Seat {
    std::uint32_t place = 0;  // in the shell's vertices
    Blended below;
    Vec3d above{};     // the way up from there at rest
    double share = 0;  // of the shell's seating; those of all its seats add up to at most 1
  };
  struct Shell {
    JointIndex joint = no_joint;
    std::vector<Blended> vertices;
    std::vector<Vec3d> arms;  // at rest, from their mean
    std::vector<Seat> seats;  // none where no soft skin is near
    /// At rest: the mean way up from the seats, a unit vector; none where the shell surrounds its limb.
    Vec3d outward{};
    Mat3d rest_axes{};        // of the joint, without scale
    double spread = 0;        // square metres: the sum of the squared arms
    double highest_lift = 0;  // metres: the highest that a seat is above its skin, twice
    Mat3d turn{};             // of the joint since rest
  };
  void bind(const Character& character, std::size_t part);
  void add_mixed(const Character& character, std::size_t part, std::span<const float> softness,
                 const DeformationField& field);
  void add_shell(const HardSkin::Shell& hard, const SkinWeights& weights, std::span<const Vec3f> shape,
                 std::span<const Vec3f> rest, std::span<const Affinef> world);
  Blended blended_vertex(std::uint32_t vertex, const SkinWeights& weights, std::span<const Vec3f> shape);
  Vec3f linear(const Blended& vertex) const;

  std::vector<Mixed> mixed_;
  std::vector<Influence> influences_;
  SkinBinding binding_;           // of the part
  std::vector<Affinef> palette_;  // #joints of the binding
  std::vector<Shell> shells_;
};

}  // namespace supple
