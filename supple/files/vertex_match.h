// Exporters split vertices along seams: which vertex of another file a vertex of the rig is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/geometry/mesh.h"

namespace supple {

/// For every vertex of `rest` (#V) its place among `other`: points of the same surface, not split, in any order.
/// `shown`
/// (#V) is where the vertices are in the pose in which `other` was taken. Vertices at one place at rest are one point;
/// each takes the nearest of `other`, and every one of those must be taken once. The error says what does not fit.
Result<std::vector<std::uint32_t>> match_vertices(std::span<const Vec3f> rest, std::span<const Vec3f> shown,
                                                  std::span<const Vec3f> other);

}  // namespace supple
