// Normals of a mesh that moves: those it was given, carried along by the surface.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// Files give normals that differ from those of the triangles: of the true shape behind them, weighted otherwise, or
/// split at hard edges. What differs stays what it was: each given normal is remembered in a frame of the rest surface
/// at its vertex, and found again in the same frame of the moved one.
class NormalCarrier {
 public:
  /// `weld` joins vertices across seams (see weld()); empty where there are none.
  NormalCarrier(const Mesh& rest, std::vector<std::uint32_t> weld);
  /// `positions` and `out`: #V.
  void carry(std::span<const Vec3f> positions, std::span<Vec3f> out) const;

 private:
  struct Frame {
    std::uint32_t neighbour = 0;  // the edge to it gives the direction within the surface
    bool split = false;           // the normal of the vertex's own triangles is nearer than that across the seam
    Vec3d given{};                // the normal in (along, across, normal)
  };
  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> weld_;
  std::vector<Frame> frames_;  // #V
  bool any_split_ = false;
};

}  // namespace supple
