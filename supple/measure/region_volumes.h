// The volumes of a skin's regions: what a pose does to a leg shows there, where the whole body hides it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple::measure {

/// Regions of a surface, each closed by a fan about the middle of every loop of edges where it ends. The fans are made
/// once, at rest, and follow the surface: a map that keeps volume keeps that of a region to what its fans cut off.
class RegionVolumes {
 public:
  /// `rest` need not be closed: the outer boundary is one more place where regions end. `region_of`: #T, numbers below
  /// `count`; vertices at equal positions are one.
  RegionVolumes(const Mesh& rest, std::span<const std::uint32_t> region_of, std::size_t count);

  std::size_t count() const { return loops_of_.size(); }
  /// Cubic metres of each region: #regions. `positions`: #V.
  std::vector<double> of(std::span<const Vec3f> positions) const;

 private:
  /// Edges around one hole of a region, directed as a cap has them.
  struct Loop {
    std::vector<std::array<std::uint32_t, 2>> edges;
  };
  std::vector<Triangle> triangles_;          // welded: corners are the first vertices at their points
  std::vector<std::uint32_t> region_;        // #triangles_
  std::vector<std::vector<Loop>> loops_of_;  // #regions
};

}  // namespace supple::measure
