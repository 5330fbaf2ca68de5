// The layer itself: moves a skin by what the muscles under it do. Comes after any other skinning and changes none.
#pragma once

#include "supple/deform/vortex/dynamics.h"
#include "supple/deform/vortex/weights.h"

namespace supple {

/// Every point flows for unit time in the weighted velocities of all muscles (equation 16), where they are now: from
/// the position that it has, so nothing adds up over frames. In place; no allocation. The same bits for any number of
/// threads.
struct VortexJob {
  const VortexTable* table = nullptr;
  const VortexState* state = nullptr;      // of that table
  const MuscleWeights* weights = nullptr;  // of the part
  std::span<Vec3f> positions;              // #V, world space
  unsigned threads = 1;                    // 0: all
  const vortex::Kernel* kernel = nullptr;  // the fastest

  /// Sizes only.
  Result<void> validate() const;
  void run() const;
};

/// The muscles' own surfaces as each one's vortices deform it, in the world: #VortexTable::surface. For display.
void muscle_shapes(const VortexTable& table, const VortexState& state, std::span<Vec3f> positions);

}  // namespace supple
