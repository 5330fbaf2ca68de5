// The springs of a character in motion: bones in, displacement of every element out. State is the caller's; the same
// motion gives the same bits.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/base/mat.h"
#include "supple/deform/flesh/oscillator.h"
#include "supple/rig/flesh.h"
#include "supple/rig/pose.h"

namespace supple {

/// Where an element has got to.
struct FleshElementState {
  std::array<Vec3d, FleshElement::max_springs> displacement{}, velocity{};  // of each spring: metres, metres a second
  double twist = 0, twist_velocity = 0;                                     // about the bone, radians
  /// The bone's side of the springs: where the local frame is and how fast it goes.
  Vec3d anchor{}, anchor_velocity{};
  Quatd orientation{};
  double spin = 0;  // about the bone, radians a second
  bool has_spin = false;
  /// Off until two poses are known: flesh that starts with the character in full motion moves along.
  bool has_velocity = false;
  double jumped = 0;  // metres that the last step took for a teleport; 0: none
  std::array<std::array<OscillatorStep, 3>, FleshElement::max_springs> steps{};  // of the last time, mostly used again
  OscillatorStep twist_step{};
};

/// What an element does to the skin: a vertex P goes to P + weight * (shift + (turned about the axis - P)).
struct FleshMotion {
  Vec3f shift{};           // metres, in the world
  Vec3f origin{}, axis{};  // of the bone, in the world
  float twist = 0;         // radians
};

/// A moment between two, t from 0 to 1.
FleshMotion between(const FleshMotion& a, const FleshMotion& b, float t);

/// One character's. Made by settled(); advance() does not allocate.
struct FleshState {
  std::vector<FleshElementState> elements;
  std::vector<FleshMotion> motions;  // #elements, up to date
};

/// At rest in this pose: hanging where gravity and springs balance.
FleshState settled(const Flesh& flesh, std::span<const Affinef> world);
void settle(const Flesh& flesh, std::span<const Affinef> world, FleshState& state);

/// A frame later: `world` are the joints now. The bones moved straight between the two poses. Parameters of `flesh` may
/// differ from call to call; its elements and springs may not change in number.
void advance(const Flesh& flesh, std::span<const Affinef> world, double seconds, FleshState& state);

/// The same where the anchors' speeds on arrival are known (#elements; metres a second): they moved along cubics,
/// smooth from pose to pose, which is far more exact at film rates. anchor_speeds() finds them for a motion known as a
/// whole.
void advance(const Flesh& flesh, std::span<const Affinef> world, std::span<const Vec3d> speeds, double seconds,
             FleshState& state);

/// Speeds of the cubic spline through points a step of `seconds` apart: two derivatives are continuous. A cycle's last
/// point is its first, or its first moved on. #points.
std::vector<Vec3d> anchor_speeds(std::span<const Vec3d> points, double seconds, bool cycle);

/// Whether an anchor that went at `speed` (null: not known) and now by `way` was put elsewhere: no body moves so.
bool is_put_elsewhere(const FleshElement& element, Vec3d way, const Vec3d* speed, double seconds);

/// Writes the twins' local transforms for what the elements do now: the pose that a plain engine skins. `world` are the
/// bones'.
void move_twins(const Flesh& flesh, std::span<const Affinef> world, std::span<const FleshMotion> motions,
                std::span<Transformf> local);
/// The other way: what elements do by their twins' local transforms, as a clip has them. #elements.
void read_twins(const Flesh& flesh, std::span<const Affinef> world, std::span<const Transformf> local,
                std::span<FleshMotion> motions);
/// All twins at rest: the skin without its flesh layer.
void rest_twins(const Flesh& flesh, std::span<Transformf> local);

}  // namespace supple
