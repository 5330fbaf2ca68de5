// Points in cells of a grid, to find those near a place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/vec.h"

namespace supple {

/// Immutable; may be shared by threads. Refers to the points it was made of, which are finite.
class PointGrid {
 public:
  explicit PointGrid(std::span<const Vec3f> points);
  /// Of several points at the same distance the first; there is at least one.
  std::uint32_t nearest(Vec3f to) const;
  /// Calls visit(point) for all points of the cells within `radius` (metres) of a place: all that are that near, and
  /// some more.
  template <class Visit>
  void each_near(Vec3f place, float radius, Visit&& visit) const;

 private:
  using Cell = std::int64_t;
  Cell along(float value, std::size_t axis) const;
  std::size_t number(Cell x, Cell y, Cell z) const;

  std::span<const Vec3f> points_;
  Vec3f low_{};
  double size_ = 1;                           // of a cell, metres
  Cell cells_[3]{};                           // along each axis
  std::vector<std::uint32_t> first_, order_;  // points of each cell
};

template <class Visit>
void PointGrid::each_near(Vec3f place, float radius, Visit&& visit) const {
  Cell low[3], high[3];
  for (std::size_t r = 0; r < 3; ++r) low[r] = along(place[r] - radius, r), high[r] = along(place[r] + radius, r);
  for (Cell z = low[2]; z <= high[2]; ++z)
    for (Cell y = low[1]; y <= high[1]; ++y) {
      // Cells along x lie behind each other.
      const std::uint32_t end = first_[number(high[0], y, z) + 1];
      for (std::uint32_t i = first_[number(low[0], y, z)]; i < end; ++i) visit(order_[i]);
    }
}

}  // namespace supple
