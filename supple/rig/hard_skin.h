// Which of a character's skin is hard: buckles, plates, nails and heads keep their shape, whatever the flesh about them
// does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "supple/rig/skeleton.h"

namespace supple {

struct Character;

/// What somebody says about it, against what the mesh suggests. Joints: the skin that follows them.
struct Hardness {
  std::vector<JointIndex> hard_joints, soft_joints;
  std::vector<std::uint32_t> hard_parts, soft_parts;
  friend bool operator==(const Hardness&, const Hardness&) = default;
};

/// By names of joints or parts, both where both have it. The error suggests names.
Result<Hardness> hardness_of(const Character& character, std::span<const std::string> hard,
                             std::span<const std::string> soft);

struct HardSkin {
  /// Vertices that are connected with no other skin and move as one.
  struct Shell {
    std::uint32_t part = 0;
    JointIndex joint = no_joint;          // that it follows most
    std::vector<std::uint32_t> vertices;  // of the part, rising
    /// #vertices, 0 to 1: how close each is to the soft skin that the shell sits on; all 1 where it floats.
    std::vector<float> closeness;
    /// #vertices: the soft vertex of the part next to each; none where the part has no soft skin.
    std::vector<std::uint32_t> below{};
  };
  std::vector<Shell> shells;
  /// #parts by #V: 0 where skin of a larger piece follows one joint alone and is as hard as a head, rising to 1 where
  /// it is soft; none where all of a part is soft or in shells.
  std::vector<std::vector<float>> softness;
  std::vector<JointIndex> heads;  // joints with such skin

  bool empty() const { return shells.empty() && heads.empty(); }
};

/// A shell is a connected piece of a skinned part which
/// - follows the same joints everywhere by the same weights, or nearly so and is smaller than a quarter of the body, or
/// - is smaller than a tenth of the body and follows one joint by half or more.
/// A head is skin that follows one joint alone, at the end of a chain, if it is as round as a ball and wider than what
/// it sits on. `hardness` overrules both. Flesh twins count as their bones.
HardSkin find_hard_skin(const Character& character, const Hardness& hardness = {});

}  // namespace supple
