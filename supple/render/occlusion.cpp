// Rays over the hemispheres of vertices; of fine meshes, of some of them.
#include "supple/render/occlusion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"

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

/// For every vertex the one that rays are cast from in its place: itself, or one within `apart` metres along the
/// surface that faces the same way. Fine meshes have many times more vertices than occlusion has shapes.
std::vector<std::uint32_t> representatives(const Surface& surface, std::span<const Vec3f> normals,
                                           const Adjacency& neighbours, float apart) {
  constexpr float same_way = 0.8f;  // cosine
  constexpr auto nobody = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> result(surface.positions.size(), nobody), waiting;
  for (std::uint32_t v = 0; v < result.size(); ++v) {
    if (result[v] != nobody) continue;
    result[v] = v;
    waiting.assign(1, v);
    while (!waiting.empty()) {
      const std::uint32_t at = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t u : neighbours.of(at)) {
        if (result[u] != nobody || dot(normals[u], normals[v]) < same_way ||
            squared_length(surface.positions[u] - surface.positions[v]) > apart * apart)
          continue;
        result[u] = v;
        waiting.push_back(u);
      }
    }
  }
  return result;
}

/// Averages away the borders between vertices that took the number of different ones.
void blend_taken(std::span<float> values, std::span<const std::uint32_t> from, const Adjacency& neighbours) {
  constexpr int passes = 6;
  std::vector<float> before(values.size());
  for (int pass = 0; pass < passes; ++pass) {
    std::copy(values.begin(), values.end(), before.begin());
    parallel_for(values.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (from[v] == v) continue;
        float sum = before[v];
        for (const std::uint32_t u : neighbours.of(v)) sum += before[u];
        values[v] = sum / static_cast<float>(neighbours.of(v).size() + 1);
      }
    });
  }
}

void occlude(Surface& surface, const Bvh& bvh, std::span<const Vec3f> directions, float reach) {
  std::vector<Vec3f> normals = surface.normals;
  if (normals.empty()) {
    normals.resize(surface.positions.size());
    compute_normals(surface.positions, surface.triangles, normals);
  }
  for (Vec3f& n : normals) n = is_finite(n) ? normalized(n) : Vec3f{};
  const Adjacency neighbours = vertex_neighbours(surface.positions.size(), surface.triangles);
  const std::vector<std::uint32_t> from = representatives(surface, normals, neighbours, reach / 30);
  std::vector<std::uint32_t> cast;
  for (std::uint32_t v = 0; v < from.size(); ++v)
    if (from[v] == v && normals[v] != Vec3f{}) cast.push_back(v);
  std::vector<float>& values = surface.occlusion;
  values.assign(surface.positions.size(), 1.0f);
  parallel_for(cast.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t v = cast[k];
      const Vec3f outside = surface.positions[v] + normals[v] * (reach * 0.004f);
      values[v] = openness(bvh, outside, normals[v], directions, reach);
    }
  });
  for (std::size_t v = 0; v < from.size(); ++v) values[v] = values[from[v]];
  blend_taken(values, from, neighbours);
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
    if (s.transparent()) continue;
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
    if (s.transparent()) {
      occlude(s, Bvh(s.positions, s.triangles), directions, reach);
    } else {
      occlude(s, opaque, directions, reach);
    }
  }
}

}  // namespace supple::render
