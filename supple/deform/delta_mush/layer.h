// Delta mush in a frame: what skinning gives in, the same with its bends smooth out.
#pragma once

#include "supple/deform/delta_mush/table.h"

namespace supple {

/// Owns what a frame needs, made once; apply() does not allocate.
class DeltaMushLayer {
 public:
  explicit DeltaMushLayer(DeltaMushTable table);

  /// Positions and normals of the part, #V each, in the world: as skinned in, as shown out.
  void apply(std::span<Vec3f> positions, std::span<Vec3f> normals, unsigned threads);

 private:
  DeltaMushTable table_;
  std::vector<Vec3f> smooth_, room_;  // #points
};

}  // namespace supple
