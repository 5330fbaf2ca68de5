// Limbs as the skin shows them: which joints carry flesh, where their bones run and how deep it lies over them.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/flesh/body.h"

namespace supple {

struct BoneSegment {
  Vec3d a{}, b{};                     // metres, rest space
  bool cut_a = false, cut_b = false;  // whether another limb begins there
};

struct Limb {
  JointIndex joint = no_joint;
  std::vector<BoneSegment> segments;    // to each child that leads on; of an end, as far as its skin goes
  double radius = 0;                    // metres: the usual distance of its skin from the segments
  double thinnest = 0;                  // metres: the same of its thinnest piece, at least a quarter of `radius`
  std::vector<std::uint32_t> vertices;  // of the body, that follow this joint most
};

/// Which parts flow: those that some vertex of follows several joints, or where there are none, all that have a skin.
/// Bones, teeth and the like, bound to one joint each, stay as they are. #parts.
std::vector<bool> flowing_parts(const Character& character);

/// Limbs in the order of their joints: those that some skin follows most. Flesh twins count as their bones. The error
/// says that no skin follows any joint.
Result<std::vector<Limb>> find_limbs(const Character& character, const FleshBody& body);

/// Connected pieces of the body's surface: a number for each vertex. Vertices at one place are connected.
std::vector<std::uint32_t> pieces_of(const FleshBody& body);

/// The joint itself, or the bone that a flesh twin hangs on: #joints.
std::vector<JointIndex> bone_of_each_joint(const Character& character);

/// How much each vertex of the body follows a joint and its twins: #V of the body.
std::vector<float> weights_of_joint(const Character& character, const FleshBody& body, JointIndex joint);

}  // namespace supple
