// Vertices in an order in which neighbours in the list are neighbours on the surface: what is stored or computed for
// blocks of vertices then has little in it that only some of them need.
#pragma once

#include "supple/geometry/mesh.h"

namespace supple {

/// The points by their numbers, so that every `patch` of them, from the first on, lie close together: halves along the
/// longest side of their bounds, again and again. Deterministic.
std::vector<std::uint32_t> patch_order(std::span<const Vec3f> points, std::size_t patch = 16);

/// The same mesh with its vertices in that order, and triangles in the order of their lowest vertices.
Mesh in_patches(const Mesh& mesh);

}  // namespace supple
