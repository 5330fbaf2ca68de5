// How often triangles surround a point, as a fraction where they leave holes: the solid angle they cover, over 4 pi
// (generalized winding number: Jacobson, Kavan, Sorkine-Hornung, Robust Inside-Outside Segmentation, 2013). Triangles
// far away count together by their dipole (Barill et al., Fast Winding Numbers for Soups and Clouds, 2018).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// Immutable; may be asked on any number of threads. Positions are finite.
class WindingField {
 public:
  WindingField(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
  /// About 1 inside a closed surface and 0 outside, to 0.02; 2 where two parts overlap; in between near holes.
  double at(Vec3f query) const;

 private:
  struct Node {
    Vec3d centre{};           // mean of the triangles' centres by area
    Vec3d dipole{};           // sum of area * normal / (4 pi)
    double radius = 0;        // of a ball about the centre that holds all corners
    std::uint32_t first = 0;  // triangle, in the order of the nodes
    std::uint32_t count = 0;
    std::uint32_t right = 0;  // the second child, the first one follows its parent; 0: a leaf
  };
  std::uint32_t build(std::uint32_t first, std::uint32_t count, std::vector<Vec3d>& centres);

  std::vector<Node> nodes_;
  std::vector<std::array<Vec3d, 3>> corners_;  // in the order of the nodes
};

}  // namespace supple
