// The layer itself: moves a skinned surface by what its flesh does. Comes after any other skinning and changes none.
#pragma once

#include <span>

#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/flesh/table.h"

namespace supple {

/// P += weight * (shift + turn about the bone), the paper's equation 2. Normals stay as a shift leaves them; an element
/// that turns turns them too. In place; no allocation.
struct FleshJob {
  const FleshTable* table = nullptr;
  std::span<const FleshMotion> motions;  // #elements
  std::span<Vec3f> positions, normals;   // #V; normals may be empty
  unsigned threads = 1;                  // 0: all

  /// Sizes only.
  Result<void> validate() const;
  void run() const;
};

}  // namespace supple
