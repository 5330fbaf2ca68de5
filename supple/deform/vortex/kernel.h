// What the vortex kernel is given, and which instruction sets this processor can run it with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supple::vortex {

/// Points that flow together, so that a vortex is read once for all of them.
inline constexpr std::size_t lanes = 32;
inline constexpr std::size_t floats_a_vortex = 10;

/// Vortices of one reach about one centre. Space is measured from there in units of the reach: p = (world - center) *
/// inverse_reach, where a vortex at s weighs max(0, 1 - |p - s|^2)^4 = max(0, (1 - |p|^2) - |s|^2 + 2 s . p)^4. With
/// w in metres the velocity is the sum of weight * w x (p - s) = (sum weight w) x p - sum weight (w x s).
struct Set {
  float center[3] = {};
  float inverse_reach = 1;
  std::uint32_t first = 0, count = 0;  // vortices
};

/// Some consecutive vortices of a set. Without initial values: a frame has arrays of these.
struct Run {
  std::uint32_t set, first, count;
  const float* weights;  // of each lane's point; null: all one
};

struct Task {
  const float* vortices = nullptr;  // floats_a_vortex each: 2 s, -|s|^2, w, w x s
  const Set* sets = nullptr;
  const Run* runs = nullptr;  // #count
  std::size_t count = 0;
  float* points = nullptr;  // lanes x, lanes y, lanes z: in and out, metres
  /// Where any point of the group is faster than this (metres in unit time), the flow takes two steps.
  float fast = 0;
};

struct Kernel {
  const char* name;
  void (*flow)(const Task&);
};

/// Every one this processor can run, slowest first; the first one runs everywhere.
std::span<const Kernel> available();
/// The fastest one.
const Kernel& best();

}  // namespace supple::vortex
