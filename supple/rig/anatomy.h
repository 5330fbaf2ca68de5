// Recognises which joint of a body each joint of a skeleton is, by its name, or by the shape of the tree where names do
// not help. Unrecognised joints stay unknown.
#pragma once

#include <string_view>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// Front legs of animals are arms here: scapula = clavicle, humerus = upper arm, and so on.
enum class JointKind : std::uint8_t {
  unknown,
  root,  // carries the whole character and bends nothing
  hips,
  spine,  // back, chest, ribs
  neck,
  head,
  jaw,
  eye,
  ear,
  clavicle,  // also shoulder blades, and the joint that some rigs have between hips and thigh
  upper_arm,
  forearm,
  hand,    // wrist
  palm,    // metacarpals, and other parts of a hand that do not move by themselves
  thumb,   // any of its joints
  finger,  // any joint of another finger
  thigh,
  shin,
  foot,  // ankle
  toe,
  tail,
  twist,   // shares a turn along a bone with its neighbours
  end,     // marks where a bone ends
  helper,  // targets, poles, controls, sockets
};

enum class BodySide : std::uint8_t { unknown, left, right, middle };

enum class BodyPlan : std::uint8_t { unknown, humanoid, quadruped, hand };

struct JointAnatomy {
  JointKind kind = JointKind::unknown;
  BodySide side = BodySide::unknown;
  JointIndex mirror = no_joint;  // the joint on the other side
  int digit = -1;  // of thumbs, fingers and metacarpals: 0 is the thumb, 4 the little finger; -1: not known
  int order = 0;   // how many joints of that kind (and digit) lie above it in its limb
  friend bool operator==(const JointAnatomy&, const JointAnatomy&) = default;
};

struct Anatomy {
  BodyPlan plan = BodyPlan::unknown;
  std::vector<JointAnatomy> joints;  // #joints
};

/// "upper arm", "quadruped", "left"
const char* name_of(JointKind kind);
const char* name_of(BodyPlan plan);
const char* name_of(BodySide side);

/// Returns whether poses turn such a joint on its own. Roots, palms, twist joints, ends and helpers follow others or
/// move nothing.
bool is_posed(JointKind kind);

/// Recognises the names used by Mixamo, Unreal, Unity, VRM, Biped, Rigify, MakeHuman, DAZ, Character Creator, WebXR,
/// BVH files and similar ones, with any prefix, separator, case and numbering. A limb whose joints are only numbered is
/// counted from the body outwards. Animals are recognised by their words ("front leg"), or, if fewer than three names
/// are recognised, by their shape: a trunk and four long chains whose ends are lowest at rest. The legs of a body with
/// more than two legs on a side stay unknown. Sides and mirror joints come from names first, then from mirrored places
/// at rest.
Anatomy anatomy_of(const Skeleton& skeleton);
/// The same, without nodes that only carry a mesh: a mesh called "Arms" is no arm.
Anatomy anatomy_of(const Character& character);

}  // namespace supple
