#include "supple/deform/kinodynamic/normals.h"

#include "supple/base/mat.h"
#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

constexpr std::size_t items_a_chunk = 1024;

/// Columns: along the edge within the surface, across it, the surface's normal.
Mat3f frame(Vec3f normal, Vec3f edge) {
  const Vec3f along = normalized(edge - normal * dot(edge, normal), any_perpendicular(normal));
  return {along, cross(normal, along), normal};
}

Vec3f area_vector(std::span<const Vec3f> positions, const Triangle& t) {
  return cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
}

/// Triangles by the number that `name` gives their corners.
template <class Name>
std::vector<std::vector<std::uint32_t>> triangles_around(std::size_t count, std::span<const Triangle> triangles,
                                                         const Name& name) {
  std::vector<std::vector<std::uint32_t>> around(count);
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (const std::uint32_t v : triangles[i]) around[name(v)].push_back(i);
  return around;
}

}  // namespace

MovingNormals::MovingNormals(const Mesh& rest) : triangles_(rest.triangles) {
  const std::size_t count = rest.positions.size();
  const Weld welded = weld(rest.positions);
  const auto joined = triangles_around(count, triangles_, [&](std::uint32_t v) { return welded.to_point[v]; });
  const auto own = triangles_around(count, triangles_, [](std::uint32_t v) { return v; });
  std::vector<Vec3f> faces(triangles_.size());
  for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = area_vector(rest.positions, triangles_[i]);
  const auto sum = [&](const std::vector<std::uint32_t>& around) {
    Vec3f n{};
    for (const std::uint32_t t : around) n += faces[t];
    return normalized(n, Vec3f{0, 1, 0});
  };
  const Adjacency neighbours = vertex_neighbours(count, triangles_);
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::vector<std::uint32_t>& across = joined[welded.to_point[v]];
    const bool split = dot(rest.normals[v], sum(own[v])) > dot(rest.normals[v], sum(across)) + 1e-3f;
    const std::vector<std::uint32_t>& around = split ? own[v] : across;
    around_.insert(around_.end(), around.begin(), around.end());
    first_.push_back(static_cast<std::uint32_t>(around_.size()));
    const Vec3f normal = surface_normal(v, faces);
    std::uint32_t farthest = v;
    float longest = -1;
    for (const std::uint32_t w : neighbours.of(v)) {
      const Vec3f edge = rest.positions[w] - rest.positions[v];
      const float within = squared_length(edge - normal * dot(edge, normal));
      if (within > longest) longest = within, farthest = w;
    }
    neighbour_.push_back(farthest);
    given_.push_back(transpose(frame(normal, rest.positions[farthest] - rest.positions[v])) * rest.normals[v]);
  }
}

Vec3f MovingNormals::surface_normal(std::size_t vertex, std::span<const Vec3f> faces) const {
  Vec3f n{};
  for (std::uint32_t i = first_[vertex]; i < first_[vertex + 1]; ++i) n += faces[around_[i]];
  return normalized(n, Vec3f{0, 1, 0});
}

void MovingNormals::compute(std::span<const Vec3f> positions, std::span<Vec3f> faces, std::span<Vec3f> normals,
                            unsigned threads) const {
  parallel_for(
      triangles_.size(), items_a_chunk,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) faces[i] = area_vector(positions, triangles_[i]);
      },
      threads);
  parallel_for(
      normals.size(), items_a_chunk,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          const Vec3f normal = surface_normal(v, faces);
          normals[v] = normalized(frame(normal, positions[neighbour_[v]] - positions[v]) * given_[v], normal);
        }
      },
      threads);
}

}  // namespace supple
