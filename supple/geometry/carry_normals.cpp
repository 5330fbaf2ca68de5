#include "supple/geometry/carry_normals.h"

#include "supple/base/mat.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

/// Columns: along the edge within the surface, across it, the surface's normal.
Mat3d frame(Vec3f normal, Vec3f from, Vec3f to) {
  const Vec3d n(normal), edge = Vec3d(to) - Vec3d(from);
  const Vec3d along = normalized(edge - n * dot(edge, n), any_perpendicular(n));
  return {along, cross(n, along), n};
}

/// Where surface normals are to come from: across seams, or from a vertex's own triangles.
struct SurfaceNormals {
  std::vector<Vec3f> joined, split;
};

SurfaceNormals surface_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                               std::span<const std::uint32_t> weld, bool with_split) {
  SurfaceNormals result{std::vector<Vec3f>(positions.size()), {}};
  compute_normals(positions, triangles, result.joined, weld);
  if (with_split) {
    result.split.resize(positions.size());
    compute_normals(positions, triangles, result.split);
  }
  return result;
}

}  // namespace

NormalCarrier::NormalCarrier(const Mesh& rest, std::vector<std::uint32_t> weld)
    : triangles_(rest.triangles), weld_(std::move(weld)), frames_(rest.positions.size()) {
  const SurfaceNormals normals = surface_normals(rest.positions, triangles_, weld_, true);
  const Adjacency neighbours = vertex_neighbours(rest.positions.size(), triangles_);
  for (std::uint32_t v = 0; v < frames_.size(); ++v) {
    Frame& f = frames_[v];
    const Vec3f given = rest.normals[v];
    f.split = dot(given, normals.split[v]) > dot(given, normals.joined[v]) + 1e-3f;
    any_split_ = any_split_ || f.split;
    const Vec3f normal = f.split ? normals.split[v] : normals.joined[v];
    f.neighbour = v;
    float longest = -1;
    for (const std::uint32_t w : neighbours.of(v)) {
      const Vec3f edge = rest.positions[w] - rest.positions[v];
      const float within = squared_length(edge - normal * dot(edge, normal));
      if (within > longest) longest = within, f.neighbour = w;
    }
    f.given = transpose(frame(normal, rest.positions[v], rest.positions[f.neighbour])) * Vec3d(given);
  }
}

void NormalCarrier::carry(std::span<const Vec3f> positions, std::span<Vec3f> out) const {
  const SurfaceNormals normals = surface_normals(positions, triangles_, weld_, any_split_);
  for (std::size_t v = 0; v < frames_.size(); ++v) {
    const Frame& f = frames_[v];
    const Vec3f normal = f.split ? normals.split[v] : normals.joined[v];
    out[v] = Vec3f(normalized(frame(normal, positions[v], positions[f.neighbour]) * f.given, Vec3d(normal)));
  }
}

}  // namespace supple
