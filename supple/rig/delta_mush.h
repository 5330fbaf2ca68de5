// Delta mush: the posed surface is smoothed, and its detail put back in the frames of the smooth surface (Mancewicz,
// Derksen, Rijpkema, Wilson: Delta Mush: Smoothing Deformations while Preserving Detail, 2014).
#pragma once

#include <cstdint>

#include "supple/rig/deformer_kind.h"

namespace supple {

struct DeltaMush {
  static constexpr std::uint32_t max_iterations = 200;

  std::uint32_t part = 0;         // place in Character::parts; bound to joints
  std::uint32_t iterations = 10;  // of smoothing, 1 to max_iterations
  float strength = 0.5f;          // > 0 to 1: how far each goes to the mean of the neighbours
  bool keep_borders = true;       // points on open edges stay where skinning puts them
  friend bool operator==(const DeltaMush&, const DeltaMush&) = default;
};

/// The error says what is wrong.
Result<void> validate(const DeltaMush& mush, const Character& character);

extern const DeformerKind delta_mush_kind;

}  // namespace supple
