// Rays over the hemisphere of every vertex.
#include "supple/render/occlusion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::render {
namespace {

/// Evenly spread over the sphere (Fibonacci spiral).
std::vector<Vec3f> sphere_directions(std::size_t count) {
  std::vector<Vec3f> directions;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(count);
    const double radius = std::sqrt(1 - y * y),
                 angle = std::numbers::pi * (3 - std::sqrt(5.0)) * static_cast<double>(i);
    directions.push_back(Vec3f(Vec3d{radius * std::cos(angle), y, radius * std::sin(angle)}));
  }
  return directions;
}

/// Cosine-weighted part of the hemisphere that is open; a hit counts less the farther away it is.
float openness(const Bvh& bvh, Vec3f origin, Vec3f normal, std::span<const Vec3f> directions, float reach) {
  float open = 0, total = 0;
  for (const Vec3f d : directions) {
    const float cosine = dot(d, normal);
    if (cosine <= 0.02f) continue;  // rays along the surface would hit the facets beside the vertex
    total += cosine;
    const auto hit = bvh.first_hit(origin, d, 0, reach);
    const float distance = hit ? hit->distance / reach : 1.0f;
    open += cosine * distance * (2 - distance);
  }
  return total > 0 ? open / total : 1.0f;
}

void occlude(Surface& surface, const Bvh& bvh, std::span<const Vec3f> directions, float reach) {
  std::vector<Vec3f> computed;
  if (surface.normals.empty()) {
    computed.resize(surface.positions.size());
    compute_normals(surface.positions, surface.triangles, computed);
  }
  const std::span<const Vec3f> normals = computed.empty() ? std::span<const Vec3f>(surface.normals) : computed;
  surface.occlusion.assign(surface.positions.size(), 1.0f);
  parallel_for(surface.positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3f normal = normalized(normals[v]);
      if (!is_finite(normal) || normal == Vec3f{}) continue;
      surface.occlusion[v] = openness(bvh, surface.positions[v] + normal * (reach * 0.004f), normal, directions, reach);
    }
  });
}

}  // namespace

void compute_occlusion(std::span<Surface> surfaces, const OcclusionOptions& options) {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  std::size_t vertices = 0;
  Box box;
  for (const Surface& s : surfaces) {
    const Box own = bounds(s.positions);
    box = vertices == 0 ? own : s.positions.empty() ? box : Box{min(box.low, own.low), max(box.high, own.high)};
    vertices += s.positions.size();
    if (s.opacity < 1) continue;
    const auto first = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), s.positions.begin(), s.positions.end());
    for (const Triangle& t : s.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  if (vertices == 0) return;
  const std::size_t rays =
      std::clamp<std::size_t>(options.max_rays / vertices, std::min<std::size_t>(16, options.rays), options.rays);
  const std::vector<Vec3f> directions = sphere_directions(2 * rays);  // half of them above any surface
  const float reach = std::max(options.reach * box.diagonal(), 1e-9f);
  const Bvh opaque(positions, triangles);
  for (Surface& s : surfaces) {
    if (s.opacity < 1) {
      occlude(s, Bvh(s.positions, s.triangles), directions, reach);
    } else {
      occlude(s, opaque, directions, reach);
    }
  }
}

}  // namespace supple::render
