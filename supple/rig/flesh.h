// Flesh that trails behind the bones: body parts that swing on a damped spring each (Larboulette, Cani, Arnaldi,
// Dynamic Skinning, 2005). How much of a vertex an element carries along is kept as skin weights of twin joints, so
// that a file with baked tracks plays anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "supple/rig/deformer_kind.h"
#include "supple/rig/skeleton.h"

namespace supple {

/// A damped spring between an element's local frame and its dynamic frame; damping is relative to the bone.
struct FleshSpring {
  float frequency = 3;         // Hz, undamped, > 0
  float damping_ratio = 0.3f;  // 1 just does not swing, >= 0
  /// Stiffness along x, y, z of the element's frame (y is along the bone), relative to what the frequency says.
  Vec3f axes{1, 1, 1};
  float share = 1;  // of its displacement in the element's; several springs add up like modes
  friend bool operator==(const FleshSpring&, const FleshSpring&) = default;
};

/// Lets the dynamic frame turn about the bone.
struct FleshTorsion {
  float frequency = 3, damping_ratio = 0.3f;
  float max_angle = 0.5f;  // radians, 0 to pi/2
  friend bool operator==(const FleshTorsion&, const FleshTorsion&) = default;
};

/// A joint that lends an element weights of the bone it hangs on: it moves with the bone and, in the bone's own frame,
/// with the flesh.
struct FleshTwin {
  JointIndex bone = no_joint, joint = no_joint;
  friend bool operator==(const FleshTwin&, const FleshTwin&) = default;
};

struct FleshElement {
  static constexpr std::size_t max_springs = 4;

  std::string name;
  JointIndex driver = no_joint;
  std::vector<JointIndex> ends;  // descendants of the driver: the virtual bone leads to their barycentre
  /// The local frame relative to the driver: at the middle of the virtual bone, y along it.
  Vec3f origin{};
  Quatf orientation{};
  float half_length = 0;     // metres, of the virtual bone
  float radius = 0;          // metres: of the capsule about the virtual bone that stands for the flesh in contacts
  float max_elongation = 0;  // metres: no vertex crosses the bone
  float mass = 1;            // kg; matters to the air and to contacts, not to the frequency
  std::vector<FleshSpring> springs;  // one to max_springs
  std::optional<FleshTorsion> torsion;
  Vec3f gravity{0, -9.81f, 0};  // m/s^2, in the world
  /// m/s^2, in the element's frame: the gravity that the skin was modelled under, and so does not sag under. The
  /// paper's sag from the modelled shape is {0, 0, 0}.
  Vec3f modelled_gravity{};
  float air_friction = 0;  // kg/s, against the world
  float gain = 1;          // on what the springs say
  /// The element moves a vertex by `reach` * (weight on its twins) * displacement; twins move by reach * displacement.
  float reach = 1;
  std::vector<FleshTwin> twins;
  friend bool operator==(const FleshElement&, const FleshElement&) = default;
};

/// A ball (a == b) or capsule that rides on a joint and pushes flesh away.
struct FleshCollider {
  std::string name;
  JointIndex joint = no_joint;
  Vec3f a{}, b{};  // metres, in the joint's frame
  float radius = 0;
  std::vector<std::uint32_t> elements;  // that it touches
  friend bool operator==(const FleshCollider&, const FleshCollider&) = default;
};

struct Flesh {
  std::vector<FleshElement> elements;
  std::vector<FleshCollider> colliders;
  std::vector<std::array<std::uint32_t, 2>> contacts;  // pairs of elements that push each other away
  bool empty() const { return elements.empty(); }
  friend bool operator==(const Flesh&, const Flesh&) = default;
};

struct Character;
/// Ranges, finite values, ends that descend from their driver, twins that hang on their bones, in skins too. The error
/// names the element.
Result<void> validate(const Flesh& flesh, const Character& character);

/// For messages and bake: the twin joints, marked.
std::vector<bool> twin_joints(const Flesh& flesh, std::size_t joint_count);

/// What DeformerKind::describe says of it.
void describe_flesh(Fields& fields, Character& character);

extern const DeformerKind flesh_kind;

}  // namespace supple
