#include "supple/deform/field/painted.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple {
namespace {

/// Weights below this are tails that nobody painted: without them fields end, and grids are small.
constexpr float least_weight = 0.02f;

/// Of one grid: limbs that are thin next to their length get coarser ones.
constexpr double most_numbers = 2e6;

void mark_felt(WeightGrid& grid) {
  constexpr auto size = static_cast<std::int64_t>(WeightGrid::cube_size);
  const auto cubes = grid.cubes();
  grid.felt.assign(std::size_t{cubes[0]} * cubes[1] * cubes[2], 0);
  std::size_t i = 0;
  for (std::int64_t z = 0; z < grid.size[2]; ++z)
    for (std::int64_t y = 0; y < grid.size[1]; ++y)
      for (std::int64_t x = 0; x < grid.size[0]; ++x) {
        if (!(grid.values[i++] > 0)) continue;
        // A number reaches places whose nearest number is its neighbour.
        for (std::int64_t c = std::max<std::int64_t>(z - 1, 0) / size; c <= (z + 1) / size; ++c)
          for (std::int64_t b = std::max<std::int64_t>(y - 1, 0) / size; b <= (y + 1) / size; ++b)
            for (std::int64_t a = std::max<std::int64_t>(x - 1, 0) / size; a <= (x + 1) / size; ++a)
              if (a < cubes[0] && b < cubes[1] && c < cubes[2])
                grid.felt[static_cast<std::size_t>((c * cubes[1] + b) * cubes[0] + a)] = 1;
      }
}

}  // namespace

WeightGrid paint_grid(std::span<const Vec3f> positions, std::span<const Triangle> triangles, const Bvh& surface,
                      std::span<const float> weights, double reach, double spacing) {
  std::vector<Vec3f> painted;  // all corners: weights fade over whole triangles
  for (const Triangle& t : triangles)
    if (weights[t[0]] > least_weight || weights[t[1]] > least_weight || weights[t[2]] > least_weight)
      for (const std::uint32_t v : t) painted.push_back(positions[v]);
  const Box box = bounds(painted);
  const Vec3d extents = Vec3d(box.high - box.low) + Vec3d{1, 1, 1} * (2 * reach);
  while ((extents.x / spacing + 5) * (extents.y / spacing + 5) * (extents.z / spacing + 5) > most_numbers)
    spacing *= 1.25;
  WeightGrid grid;
  grid.spacing = spacing;
  const double margin = reach + 2 * spacing;  // numbers at the rim are zero, so that the spline ends smoothly
  grid.origin = Vec3d(box.low) - Vec3d{margin, margin, margin};
  for (std::size_t k = 0; k < 3; ++k) {
    const double extent = double{box.high[k]} - double{box.low[k]} + 2 * margin;
    grid.size[k] = static_cast<std::uint32_t>(std::ceil(extent / spacing)) + 1;
  }
  const std::size_t row = grid.size[0], slice = row * grid.size[1];
  grid.values.assign(slice * grid.size[2], 0);
  parallel_for(grid.values.size() / row, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * row; i < end * row; ++i) {
      const Vec3d p = grid.origin + Vec3d{static_cast<double>(i % row), static_cast<double>(i % slice / row),
                                          static_cast<double>(i / slice)} *
                                        spacing;
      const ClosestPoint near = surface.closest(Vec3f(p));
      if (!std::isfinite(near.distance)) continue;
      const Triangle& t = triangles[near.triangle];
      const double weight = double{near.barycentric.x * weights[t[0]]} + double{near.barycentric.y * weights[t[1]]} +
                            double{near.barycentric.z * weights[t[2]]};
      const Vec3f normal = cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
      const bool outside = dot(Vec3f(p) - near.point, normal) > 0;
      if (weight < double{least_weight}) continue;
      const double d = outside ? std::min(1.0, double{near.distance} / reach) : 0.0;
      grid.values[i] = static_cast<float>(weight * (1 - d * d) * (1 - d * d));
    }
  });
  mark_felt(grid);
  return grid;
}

}  // namespace supple
