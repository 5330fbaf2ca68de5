// Shapes with known area, volume and normals.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "supple/geometry/mesh.h"

namespace supple::test {

inline constexpr double pi = std::numbers::pi;

/// Eight vertices, twelve triangles; vertex number = x + 2 y + 4 z of its corner.
inline Mesh box(Vec3f low, Vec3f high) {
  Mesh mesh;
  for (int corner = 0; corner < 8; ++corner) {
    mesh.positions.push_back(
        {(corner & 1) != 0 ? high.x : low.x, (corner & 2) != 0 ? high.y : low.y, (corner & 4) != 0 ? high.z : low.z});
  }
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

/// Poles on y; `rings` >= 2 bands of latitude, `segments` >= 3 of longitude; shared vertices, no seam.
inline Mesh sphere(double radius, std::uint32_t rings, std::uint32_t segments, Vec3d center = {}) {
  Mesh mesh;
  const auto add = [&](double latitude, double longitude) {
    const Vec3d direction{std::sin(latitude) * std::sin(longitude), std::cos(latitude),
                          std::sin(latitude) * std::cos(longitude)};
    mesh.positions.push_back(Vec3f(center + direction * radius));
  };
  add(0, 0);
  for (std::uint32_t r = 1; r < rings; ++r) {
    for (std::uint32_t s = 0; s < segments; ++s) add(pi * r / rings, 2 * pi * s / segments);
  }
  add(pi, 0);
  const std::uint32_t last = static_cast<std::uint32_t>(mesh.positions.size()) - 1;
  const auto at = [&](std::uint32_t r, std::uint32_t s) { return 1 + (r - 1) * segments + s % segments; };
  for (std::uint32_t s = 0; s < segments; ++s) {
    mesh.triangles.push_back({0, at(1, s), at(1, s + 1)});
    for (std::uint32_t r = 1; r + 1 < rings; ++r) {
      mesh.triangles.push_back({at(r, s), at(r + 1, s), at(r + 1, s + 1)});
      mesh.triangles.push_back({at(r, s), at(r + 1, s + 1), at(r, s + 1)});
    }
    mesh.triangles.push_back({last, at(rings - 1, s + 1), at(rings - 1, s)});
  }
  return mesh;
}

/// About the y axis: a tube of radius `minor` whose middle runs at distance `major`.
inline Mesh torus(double major, double minor, std::uint32_t around, std::uint32_t across) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < around; ++i) {
    for (std::uint32_t j = 0; j < across; ++j) {
      const double u = 2 * pi * i / around, v = 2 * pi * j / across;
      const double distance = major + minor * std::cos(v);
      mesh.positions.push_back(Vec3f(Vec3d{distance * std::sin(u), minor * std::sin(v), distance * std::cos(u)}));
    }
  }
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return (i % around) * across + j % across; };
  for (std::uint32_t i = 0; i < around; ++i) {
    for (std::uint32_t j = 0; j < across; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

/// Every triangle gets its own three vertices, as files with flat shading store it.
inline Mesh unshared(const Mesh& mesh) {
  Mesh result;
  for (const Triangle& t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(result.positions.size());
    for (const std::uint32_t v : t) result.positions.push_back(mesh.positions[v]);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

}  // namespace supple::test
