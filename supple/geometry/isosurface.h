// The surface where a field sampled on a regular grid takes a given value.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "supple/geometry/mesh.h"

namespace supple {

/// Samples at origin + spacing * (i, j, k); sample (i, j, k) is values[i + size[0] * (j + size[1] * k)].
struct Grid {
  Vec3d origin{};
  Vec3d spacing{1, 1, 1};
  std::array<std::size_t, 3> size{};
  Vec3d point(std::size_t i, std::size_t j, std::size_t k) const {
    return {origin.x + spacing.x * static_cast<double>(i), origin.y + spacing.y * static_cast<double>(j),
            origin.z + spacing.z * static_cast<double>(k)};
  }
  std::size_t samples() const { return size[0] * size[1] * size[2]; }
};
/// From `low` to `high` or a little beyond.
Grid grid_around(Vec3d low, Vec3d high, double spacing);

/// Marching cubes. Inside is where the value is below `iso`; triangles are counter-clockwise seen from outside. Cases
/// are resolved face by face with one rule, so the surface is closed and manifold wherever it does not touch the border
/// of the grid. The same samples give the same mesh for any number of threads.
Mesh isosurface(const Grid& grid, std::span<const float> values, float iso = 0);

/// A field that says how far the surface is: |field(p) - field(q)| <= lipschitz * |p - q|.
using Field = std::function<double(Vec3d)>;
/// Isosurface of a function at value 0. Samples only near the surface: whole blocks that the bound excludes are
/// skipped.
Mesh isosurface(const Field& field, const Grid& grid, double lipschitz = 1);

}  // namespace supple
