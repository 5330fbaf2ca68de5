// Skinning jobs: spans in, spans out, no state, no allocation.
#pragma once

#include <span>

#include "supple/base/result.h"
#include "supple/base/strided.h"
#include "supple/deform/morph/table.h"
#include "supple/deform/palette.h"
#include "supple/deform/skinning/kernel.h"
#include "supple/deform/skinning/table.h"

namespace supple {

/// The vertex data of a job: one entry per vertex of the table. Positions alone, with normals, or with normals and
/// tangents (four floats each, the fourth, handedness, is passed on). Outputs may be the inputs themselves, but may not
/// overlap them otherwise.
struct VertexStreams {
  ConstVectors positions, normals, tangents;
  Vectors out_positions, out_normals, out_tangents;
};

/// Morph targets that are added to positions and normals on the way: they stay in the cache between morphing and
/// skinning. Input positions and normals must then lie without gaps (a stride of 3).
struct Morphing {
  const MorphTable* table = nullptr;  // null: none
  std::span<const float> weights;     // #targets
};

/// v' = sum_k w_k M_k v. Normals and tangents come out as unit vectors.
struct LinearJob {
  const SkinTable* table = nullptr;
  std::span<const JointMatrix> palette;  // >= table->joint_count
  VertexStreams streams;
  bool inverse_transpose = false;            // exact normals where matrices scale or shear; see has_scale()
  unsigned threads = 1;                      // 0: all
  const kernel::Kernels* kernels = nullptr;  // null: the fastest this processor has
  Morphing morphs{};

  /// Sizes only: contents were checked when the table was built. Allocates only to describe an error.
  Result<void> validate() const;
  void run() const;
};

/// Blends rigid motions as dual quaternions (Kavan et al. 2008, the linear form), each taken in the hemisphere of the
/// vertex's heaviest joint. Where joints also stretch, the stretch is blended linearly first.
struct DualQuaternionJob {
  const SkinTable* table = nullptr;
  std::span<const JointDualQuat> motion;  // >= table->joint_count, from make_dual_palette
  std::span<const JointMatrix> stretch;   // the same, or empty where nothing stretches
  VertexStreams streams;
  unsigned threads = 1;
  const kernel::Kernels* kernels = nullptr;
  Morphing morphs{};  // not where something stretches: add them first with a MorphJob

  Result<void> validate() const;
  void run() const;
};

/// Many poses of one table, each with its own palette, morph weights and outputs: weights and offsets are read once for
/// all of them. The jobs' own thread counts do not matter.
void run_batch(std::span<const LinearJob> jobs, unsigned threads = 1);

}  // namespace supple
