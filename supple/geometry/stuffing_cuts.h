// A sampled lattice fitted to a surface: points moved onto it, cut edges, and the elements inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/bcc_lattice.h"
#include "supple/geometry/isosurface.h"

namespace supple::detail {

/// Nodes are the lattice's points by their numbers, then the cuts in the order of their edges.
class CutLattice {
 public:
  /// `values` has one sample per lattice point; no point at the border of the lattice is inside (negative).
  CutLattice(const Field& field, const BccLattice& lattice, std::span<const double> values);

  std::size_t node_count() const { return lattice_.points() + cuts_.size(); }
  Vec3d position(std::size_t node) const;
  /// #E * 4, positively oriented, in the order of the lattice's layers.
  std::vector<std::uint32_t> elements() const;

 private:
  enum class Side : std::int8_t { outside = -1, on = 0, inside = 1 };
  static constexpr std::uint32_t none = 0xffffffffu;

  /// A lattice point with an edge across the surface.
  struct Near {
    std::uint32_t point;
    std::array<float, bcc_owned_steps> crossing;     // of its own edges, from this end in (0, 1); negative: none
    std::array<std::uint32_t, bcc_owned_steps> cut;  // node of the crossing, or none
    Vec3d position;
  };

  void find_near_points(std::span<const double> values);
  void find_crossings(const Field& field, std::span<const double> values);
  void move_points();
  void number_cuts();
  /// Fraction of the way from this near point along any of the fourteen steps, or negative.
  double crossing(const Near& near, BccPoint point, std::size_t step) const;
  std::uint32_t cut_node(BccPoint inside, BccPoint outside) const;
  void fill(const std::array<BccPoint, 4>& corners, std::vector<std::uint32_t>& out) const;

  const BccLattice& lattice_;
  std::vector<Side> side_;                  // #points
  std::vector<std::uint32_t> near_number_;  // #points: which of near_, or none
  std::vector<Near> near_;                  // ascending points
  std::vector<Vec3d> cuts_;
};

}  // namespace supple::detail
