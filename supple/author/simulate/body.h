// What is to be simulated: a closed skin at rest, the bones inside it, and where it was cut from the rest of the body.
#pragma once

#include <string>
#include <vector>

#include "supple/rig/bind.h"
#include "supple/rig/character.h"

namespace supple::simulate {

inline constexpr std::uint32_t no_bone = 0xffffffffu;  // a node or vertex that no bone holds

enum class BoneSource {
  automatic,  // surfaces where the file has them, capsules otherwise
  surfaces,   // of the part that follows the joints rigidly
  capsules,   // fitted to the joints, inside the skin
};

struct BodyOptions {
  std::string skin_part;             // by name; empty: the first skinned part that is not the bones
  std::string bones_part = "bones";  // bound rigidly: its surfaces are the bones
  BoneSource bones = BoneSource::automatic;
  double capsule_radius = 0.5;  // of the distance from a bone's axis to the skin
  /// Skin that follows one joint by at least this weight is held by its bone, with the flesh below: heads and feet stay
  /// as they were modelled where a capsule is a poor bone. 0: bones hold what lies inside them alone.
  double held_weight = 0;
  /// Flesh is held only where all other skin is farther away by so many elements: more of it is left to give way
  /// between two bones that hold.
  double held_margin = 0;
  bool close_holes = false;      // of the skin, with caps that then follow the nearest bone
  double bone_tolerance = 1e-3;  // metres a bone may stick out of the skin
};

/// Where the skin ends for no reason of anatomy: flesh there follows the bone that runs through.
struct CutEnd {
  Mesh cap;
  std::uint32_t bone = 0;  // place in Body::bones
};

/// Everything in world space, in the rest pose, which is taken to be free of stress.
struct Body {
  Skeleton skeleton;
  std::size_t part = 0;                // of the character
  Mesh skin;                           // as in the part: its vertices are those of the examples
  Mesh closed_skin;                    // the same with caps over its holes
  std::vector<Bone> bones;             // each with a closed surface, or with none where held_by alone binds flesh to it
  double held_margin = 0;              // elements, see BodyOptions
  std::vector<std::uint32_t> held_by;  // #V of skin: the bone that holds a vertex, or no_bone; empty: none is held
  std::vector<CutEnd> cuts;
  bool capsules = false;  // the bones are fitted capsules
};

/// Reads a body off a character and checks it: errors name holes, bones that stick out, and joints without bones.
Result<Body> body_of(const Character& character, const BodyOptions& options = {}, Warnings* warnings = nullptr);

/// World transforms of the bones relative to rest, for a pose of the skeleton. `motions` has one entry per bone.
void bone_motions(const Body& body, const Pose& pose, std::span<Affined> motions);

}  // namespace supple::simulate
