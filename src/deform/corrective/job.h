// Adds the modes to the rest shape: spans in, spans out, no state, no allocation. Skinning follows as for any shape.
#pragma once

#include <span>

#include "supple/base/result.h"
#include "supple/deform/corrective/table.h"

namespace supple {

/// out = rest + sum_m coordinates[m] * offsets of mode m. Normals are not renormalised: skinning does that.
struct CorrectiveJob {
  const CorrectiveTable* table = nullptr;
  std::span<const float> coordinates;           // #modes
  std::span<const Vec3f> positions, normals;    // #V; normals may be empty
  std::span<Vec3f> out_positions, out_normals;  // the same sizes; may be the inputs
  unsigned threads = 1;                         // 0: all

  Result<void> validate() const;
  void run() const;
};

}  // namespace supple
