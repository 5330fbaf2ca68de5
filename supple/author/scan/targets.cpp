#include "supple/author/scan/targets.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr std::size_t vertices_a_chunk = 256;
/// First radius, metres, in which another side is looked for where the nearest point faces elsewhere.
constexpr float first_radius = 0.001f;
/// How far there and back may lead away, as a share of the way there: on a round finger that has to move along itself
/// the way back starts from another normal.
constexpr double return_share = 0.5;

/// Triangles with a vertex of an edge that only one triangle has, or with a flagged vertex.
std::vector<char> border_triangles(const Mesh& mesh, const std::vector<bool>& flagged) {
  std::vector<std::array<std::uint32_t, 2>> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      edges.push_back({low, high});
    }
  }
  std::sort(edges.begin(), edges.end());
  std::vector<bool> border = flagged;
  border.resize(mesh.positions.size());
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t next = i + 1;
    while (next < edges.size() && edges[next] == edges[i]) ++next;
    if (next == i + 1) border[edges[i][0]] = border[edges[i][1]] = true;
    i = next;
  }
  std::vector<char> result;
  result.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) result.push_back(border[t[0]] || border[t[1]] || border[t[2]]);
  return result;
}

}  // namespace

FacingSurface::FacingSurface(const Mesh& mesh, const std::vector<bool>& border)
    : mesh_(&mesh),
      normals_(mesh.normals),
      at_border_(border_triangles(mesh, border)),
      bvh_(mesh.positions, mesh.triangles) {
  if (!normals_.empty()) return;
  normals_.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, normals_);
}

SurfacePoint FacingSurface::at(const ClosestPoint& closest) const {
  const Triangle& t = mesh_->triangles[closest.triangle];
  const Vec3d weights(closest.barycentric);
  Vec3d normal{};
  for (std::size_t k = 0; k < 3; ++k) normal += Vec3d(normals_[t[k]]) * weights[k];
  return {Vec3d(closest.point), normalized(normal), closest.distance, at_border_[closest.triangle] != 0};
}

std::optional<SurfacePoint> FacingSurface::nearest(Vec3d from, Vec3d normal, double within, double least_cosine) const {
  const Vec3f query(from);
  const auto limit = static_cast<float>(within);
  const ClosestPoint first = bvh_.closest(query, limit);
  if (!(first.distance < limit)) return std::nullopt;
  if (const SurfacePoint found = at(first); dot(found.normal, normal) >= least_cosine) return found;
  for (float radius = std::max(2 * first.distance, first_radius);; radius *= 2) {
    radius = std::min(radius, limit);
    std::optional<SurfacePoint> best;
    float best_distance = radius;
    const Vec3f half{radius, radius, radius};
    bvh_.each_in_box(query - half, query + half, [&](std::uint32_t number) {
      const Triangle& t = mesh_->triangles[number];
      const Vec3f a = mesh_->positions[t[0]], b = mesh_->positions[t[1]], c = mesh_->positions[t[2]];
      if (dot(Vec3d(cross(b - a, c - a)), normal) <= 0) return;
      ClosestPoint closest = closest_on_triangle(query, a, b, c);
      if (!(closest.distance < best_distance)) return;
      closest.triangle = number;
      const SurfacePoint found = at(closest);
      if (dot(found.normal, normal) < least_cosine) return;
      best = found;
      best_distance = closest.distance;
    });
    if (best || radius >= limit) return best;
  }
}

std::vector<std::optional<SurfacePoint>> find_targets(const Mesh& skin, const FacingSurface& scan,
                                                      const TargetLimits& limits, const std::vector<bool>& excluded) {
  assert(skin.normals.size() == skin.positions.size());
  const FacingSurface back(skin);
  std::vector<std::optional<SurfacePoint>> targets(skin.positions.size());
  parallel_for(targets.size(), vertices_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!excluded.empty() && excluded[v]) continue;
      const Vec3d from(skin.positions[v]);
      const auto there = scan.nearest(from, Vec3d(skin.normals[v]), limits.reach, limits.least_cosine);
      if (!there || there->at_border) continue;
      const auto returned =
          back.nearest(there->point, there->normal, there->distance + limits.slack, limits.least_cosine);
      if (!returned || length(returned->point - from) > return_share * there->distance + limits.slack) continue;
      targets[v] = there;
    }
  });
  return targets;
}

}  // namespace supple::scan
