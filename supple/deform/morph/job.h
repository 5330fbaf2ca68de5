// Adds weighted morph targets to the rest shape: spans in, spans out, no state, no allocation. Skinning follows as for
// any shape.
#pragma once

#include <span>

#include "supple/base/result.h"
#include "supple/deform/morph/table.h"
#include "supple/deform/skinning/kernel.h"

namespace supple {

/// out = rest + sum_t weights[t] * offsets of target t, as glTF defines it. Normals are not renormalised: skinning does
/// that. Targets with weight 0 cost next to nothing.
struct MorphJob {
  const MorphTable* table = nullptr;
  std::span<const float> weights;               // #targets
  std::span<const Vec3f> positions, normals;    // #V; normals may be empty
  std::span<Vec3f> out_positions, out_normals;  // the same sizes; may be the inputs
  unsigned threads = 1;                         // 0: all
  const kernel::Kernels* kernels = nullptr;     // null: the fastest this processor has

  Result<void> validate() const;
  void run() const;
};

/// What the kernels are given.
kernel::WeightedOffsets weighted(const MorphTable& table, std::span<const float> weights);

}  // namespace supple
