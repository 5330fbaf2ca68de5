#include "supple/geometry/point_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

PointGrid::PointGrid(std::span<const Vec3f> points) : points_(points) {
  Vec3f high = points.empty() ? Vec3f{} : points[0];
  low_ = high;
  for (const Vec3f& p : points)
    for (std::size_t r = 0; r < 3; ++r) low_[r] = std::min(low_[r], p[r]), high[r] = std::max(high[r], p[r]);
  // About one point in every cell that a surface passes.
  const double longest = std::max({double{high.x - low_.x}, double{high.y - low_.y}, double{high.z - low_.z}, 1e-12});
  size_ = longest / std::max(1.0, std::floor(std::sqrt(static_cast<double>(points.size()))));
  for (std::size_t r = 0; r < 3; ++r) cells_[r] = static_cast<Cell>(double{high[r] - low_[r]} / size_) + 1;
  const auto all = static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]);
  if (all > 64 * points.size() + 64) {  // points that fill no surface: cells of a few points suffice
    size_ *= std::cbrt(static_cast<double>(all) / static_cast<double>(points.size() + 1));
    for (std::size_t r = 0; r < 3; ++r) cells_[r] = static_cast<Cell>(double{high[r] - low_[r]} / size_) + 1;
  }
  first_.assign(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]) + 1, 0);
  const auto cell_of = [&](const Vec3f& p) { return number(along(p.x, 0), along(p.y, 1), along(p.z, 2)); };
  for (const Vec3f& p : points) ++first_[cell_of(p) + 1];
  for (std::size_t c = 0; c + 1 < first_.size(); ++c) first_[c + 1] += first_[c];
  order_.resize(points.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < points.size(); ++i) order_[next[cell_of(points[i])]++] = i;
}

PointGrid::Cell PointGrid::along(float value, std::size_t axis) const {
  return std::clamp<Cell>(static_cast<Cell>(std::floor((double{value} - double{low_[axis]}) / size_)), 0,
                          cells_[axis] - 1);
}

std::size_t PointGrid::number(Cell x, Cell y, Cell z) const {
  return static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x);
}

std::uint32_t PointGrid::nearest(Vec3f to) const {
  const Cell at[3] = {along(to.x, 0), along(to.y, 1), along(to.z, 2)};
  // How far outside the grid the point lies; cells of ring r are at least (r - 1) cells farther.
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t result = 0;
  const Cell rings = std::max({cells_[0], cells_[1], cells_[2]});
  for (Cell ring = 0; ring <= rings; ++ring) {
    const double least = static_cast<double>(std::max<Cell>(ring - 1, 0)) * size_;
    if (best < least * least) break;
    for (Cell z = std::max<Cell>(0, at[2] - ring); z <= std::min(cells_[2] - 1, at[2] + ring); ++z)
      for (Cell y = std::max<Cell>(0, at[1] - ring); y <= std::min(cells_[1] - 1, at[1] + ring); ++y)
        for (Cell x = std::max<Cell>(0, at[0] - ring); x <= std::min(cells_[0] - 1, at[0] + ring); ++x) {
          if (std::max({std::abs(x - at[0]), std::abs(y - at[1]), std::abs(z - at[2])}) != ring) continue;
          const std::size_t cell = number(x, y, z);
          for (std::uint32_t i = first_[cell]; i < first_[cell + 1]; ++i) {
            const double distance = squared_length(Vec3d(points_[order_[i]]) - Vec3d(to));
            if (distance < best || (distance == best && order_[i] < result)) best = distance, result = order_[i];
          }
        }
  }
  return result;
}

}  // namespace supple
