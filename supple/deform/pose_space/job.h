// Weighted PSD of one frame: spans in, spans out, no state, no allocation. Skinning follows as for any shape.
#pragma once

#include <span>

#include "supple/deform/pose_space/kernel.h"
#include "supple/deform/pose_space/table.h"
#include "supple/rig/pose.h"

namespace supple {

/// out = rest + sum_i s_i offsets of example i, with weights of each vertex's own. Normals are not renormalised:
/// skinning does that.
struct PoseSpaceJob {
  const PoseSpaceTable* table = nullptr;
  std::span<const Transformf> local;            // of all joints of the character
  std::span<const Vec3f> positions, normals;    // #V; normals may be empty
  std::span<Vec3f> out_positions, out_normals;  // the same sizes; may be the inputs
  std::span<float> scratch;                     // table->distances.size()
  unsigned threads = 1;                         // 0: all
  const pose_space::Kernel* kernel = nullptr;   // null: the fastest this processor has

  /// Sizes only: contents were checked when the table was built. Allocates only to describe an error.
  Result<void> validate() const;
  void run() const;
};

}  // namespace supple
