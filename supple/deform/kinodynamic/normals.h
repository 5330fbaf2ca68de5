// Normals of a surface that is moved point by point: NormalCarrier for the frame loop, in single precision, on all
// cores and without allocation. Faces count by their area, which needs no angles.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// What a given normal has beyond that of the faces around it stays: it is remembered in a frame of the rest surface
/// and found again in the same frame of the moved one.
class MovingNormals {
 public:
  MovingNormals() = default;
  /// `rest` has normals.
  explicit MovingNormals(const Mesh& rest);
  /// `positions` and `normals`: #V. `faces` is room for one vector for each triangle.
  void compute(std::span<const Vec3f> positions, std::span<Vec3f> faces, std::span<Vec3f> normals,
               unsigned threads) const;
  std::size_t triangles() const { return triangles_.size(); }

 private:
  Vec3f surface_normal(std::size_t vertex, std::span<const Vec3f> faces) const;

  std::vector<Triangle> triangles_;
  // Triangles around each vertex: across seams, or where the given normal is split at an edge its own alone.
  std::vector<std::uint32_t> first_{0}, around_;
  std::vector<std::uint32_t> neighbour_;  // #V: the edge to it gives the direction within the surface
  std::vector<Vec3f> given_;              // #V: in (along, across, normal)
};

}  // namespace supple
