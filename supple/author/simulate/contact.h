// Skin against skin: flesh that would pass through itself is pushed apart and does not slide freely. Penalties on the
// gap and on the slip between a vertex of the skin and the patch that it faces, as functions of the nodes of the
// elements.
#pragma once

#include <span>
#include <vector>

#include "supple/author/simulate/facing_skin.h"

namespace supple::simulate {

struct ContactOptions {
  double distance = 5e-4;  // metres: skins nearer than this push
  double stiffness = 2;    // pressure where they just touch, in Young's moduli
  // Of dry skin. Without any, patches of soft skin creep past each other from look to look and never come to rest.
  double friction = 0.5;
  double watch = 8e-3;  // metres: skins nearer than this are watched; flesh must not move farther between two looks
};

/// For elements of any size: a tenth of their edges, or `distance` metres where that is not 0.
ContactOptions contact_options(const Tissue& tissue, double distance = 0);

/// A vertex that has skin in front of it, and what holds it there.
struct Contact : FacingPatch {
  SkinPatch grip;      // the patch that it faced when the step began
  Vec3d held{};        // from that to the vertex, then
  Vec3d slip{};        // metres that it has slid since, across `away`
  double pressed = 0;  // newtons at the last look: what friction goes by
};

/// Nodes that a contact pulls at, each with the weight of its motion in the motion of vertex against patch.
struct ContactNodes {
  std::vector<std::uint32_t> nodes;
  std::vector<double> weights;
};

/// Immutable; may be shared by threads. Between two looks (watch, follow) planes, grips and the pressure that friction
/// goes by stay, so that the energy is convex and smooth in the nodes.
class ContactModel {
 public:
  ContactModel(const Body& body, const Tissue& tissue, const ContactOptions& options = {});

  /// Every vertex that has skin in front of it, for node positions x (#N) at which skins hardly overlap.
  std::vector<Contact> watch(std::span<const Vec3d> x) const;
  /// The same vertices at other positions, where the skin that they faced is now.
  std::vector<Contact> follow(std::span<const Contact> contacts, std::span<const Vec3d> x) const;
  /// Follows those that touch and looks again for all others.
  std::vector<Contact> track(std::span<const Contact> contacts, std::span<const Vec3d> x) const;
  /// From here on the vertices slide.
  void hold(std::span<Contact> contacts, std::span<const Vec3d> x) const;
  /// Gaps and slips of the same planes at other positions.
  void measure(std::span<Contact> contacts, std::span<const Vec3d> x) const;

  bool pushes(const Contact& c) const { return c.strength > 0 && c.gap < distances_[c.vertex]; }
  double energy(std::span<const Contact> contacts) const;
  /// -dE/dgap, newtons.
  double force(const Contact& c) const { return pushes(c) ? stiffness(c) * (distances_[c.vertex] - c.gap) : 0; }
  /// d2E/dgap2 of a contact that pushes, newtons a metre.
  double stiffness(const Contact& c) const { return skin_.areas()[c.vertex] * pressure_ * c.strength; }
  /// Of friction: dE/dslip over the slip, newtons a metre. Dry friction, made smooth where the slip is small.
  double drag(const Contact& c) const;

  ContactNodes nodes(const Contact& c) const { return nodes(c.vertex, c.patch); }      // what the gap depends on
  ContactNodes grip_nodes(const Contact& c) const { return nodes(c.vertex, c.grip); }  // what the slip depends on
  const ContactOptions& options() const { return options_; }

 private:
  ContactNodes nodes(std::uint32_t vertex, const SkinPatch& patch) const;
  double soft_slip() const { return 0.2 * options_.distance; }

  const Tissue* tissue_;
  ContactOptions options_;
  FacingSkin skin_;
  double pressure_ = 0;            // pascals a metre of gap
  std::vector<double> distances_;  // #V: options.distance, less where skins are nearer at rest
};

/// The deepest overlap, metres; 0 where nothing overlaps.
double deepest_overlap(std::span<const Contact> contacts);

}  // namespace supple::simulate
