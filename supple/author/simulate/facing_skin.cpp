#include "supple/author/simulate/facing_skin.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/point_grid.h"

namespace supple::simulate {
namespace {

constexpr std::size_t facing_vertices_at_once = 128;
constexpr double faces_not = 0.0,
                 faces = -0.4;  // cosines between normals of skins that face each other not at all, fully
constexpr int patch_rings = 3;
constexpr double patch_width = 0.9;  // standard deviation of the weights of a patch, in lengths of edges
// Of a patch's largest weight; what is below is taken off all of them. Every vertex of a patch ties nodes together, and
// the cost of a solve grows with the square of their number.
constexpr double negligible_weight = 0.1;
constexpr double in_front = 0.4, aside = 1.0;  // lengths of edges that a vertex lies beside the middle of its patch
constexpr int most_walks = 4;                  // from one nearest vertex of a patch to the next

/// From 0 at `none` to 1 at `full` without a kink.
double fade(double value, double none, double full) {
  const double t = std::clamp((value - none) / (full - none), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// Area of the triangles around each vertex, a third of each.
std::vector<double> vertex_areas(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<double> areas(positions.size(), 0.0);
  for (const Triangle& t : triangles) {
    const Vec3d a(positions[t[0]]), b(positions[t[1]]), c(positions[t[2]]);
    for (const std::uint32_t v : t) areas[v] += length(cross(b - a, c - a)) / 6;
  }
  return areas;
}

std::vector<double> edge_lengths(std::span<const Vec3f> positions, const Adjacency& neighbours) {
  std::vector<double> lengths(positions.size(), 0.0);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    for (const std::uint32_t w : neighbours.of(v)) lengths[v] += length(Vec3d(positions[w]) - Vec3d(positions[v]));
    if (!neighbours.of(v).empty()) lengths[v] /= static_cast<double>(neighbours.of(v).size());
  }
  return lengths;
}

/// Each vertex and those that are at most `rings` edges away, sorted.
Adjacency vertices_around(const Adjacency& neighbours, int rings) {
  const std::size_t count = neighbours.first.size() - 1;
  Adjacency result;
  result.first.push_back(0);
  std::vector<std::uint32_t> seen_by(count, static_cast<std::uint32_t>(count));
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::size_t begin = result.items.size();
    result.items.push_back(v);
    seen_by[v] = v;
    std::size_t ring = begin;
    for (int r = 0; r < rings; ++r) {
      const std::size_t end = result.items.size();
      for (; ring < end; ++ring)
        for (const std::uint32_t w : neighbours.of(result.items[ring]))
          if (seen_by[w] != v) {
            seen_by[w] = v;
            result.items.push_back(w);
          }
    }
    std::sort(result.items.begin() + static_cast<std::ptrdiff_t>(begin), result.items.end());
    result.first.push_back(static_cast<std::uint32_t>(result.items.size()));
  }
  return result;
}

}  // namespace

Vec3d SkinPatch::mean(std::span<const Vec3d> positions) const {
  Vec3d sum{};
  for (const Vertex& q : vertices) sum += positions[q.vertex] * q.weight;
  return sum;
}

FacingSkin::FacingSkin(const Body& body, const Tissue& tissue, double reach, double overlap)
    : tissue_(&tissue), reach_(reach), overlap_(overlap) {
  const Weld seams = weld(body.skin.positions);
  triangles_.assign(body.skin.triangles.begin(), body.skin.triangles.end());
  for (Triangle& t : triangles_)
    for (std::uint32_t& v : t) v = seams.to_vertex[seams.to_point[v]];
  const Adjacency neighbours = vertex_neighbours(body.skin.positions.size(), triangles_);
  around_ = vertices_around(neighbours, patch_rings);
  areas_ = vertex_areas(body.skin.positions, triangles_);
  edges_ = edge_lengths(body.skin.positions, neighbours);
}

FacingSkin::Posed FacingSkin::pose(std::span<const Vec3d> x) const {
  Posed skin{std::vector<Vec3d>(areas_.size()), std::vector<Vec3d>(areas_.size())};
  apply(tissue_->skin, tissue_->mesh, x, skin.positions);
  for (const auto& [i, j, k] : triangles_) {
    const Vec3d n = cross(skin.positions[j] - skin.positions[i], skin.positions[k] - skin.positions[i]);
    skin.normals[i] += n;
    skin.normals[j] += n;
    skin.normals[k] += n;
  }
  for (Vec3d& n : skin.normals) n = normalized(n, {0, 0, 1});
  return skin;
}

double FacingSkin::facing(const Posed& skin, std::uint32_t vertex, std::uint32_t other) const {
  const double share = fade(dot(skin.normals[vertex], skin.normals[other]), faces_not, faces);
  if (share == 0) return 0;
  const auto around = around_.of(vertex);
  return std::binary_search(around.begin(), around.end(), other) ? 0 : share;
}

/// A surface through points with normals, as weighted means of them (implicit moving least squares): the mean of the
/// points lies within a convex surface, the mean of their tangent planes outside, both as far to first order.
FacingPatch FacingSkin::facing_patch(const Posed& skin, std::uint32_t vertex, std::uint32_t faced) const {
  const Vec3d p = skin.positions[vertex];
  FacingPatch f;
  f.vertex = vertex;
  f.faced = faced;
  const double width = patch_width * edges_[faced], nearest = squared_length(p - skin.positions[faced]);
  double sum = 0, all = 0;
  for (const std::uint32_t q : around_.of(faced)) {
    const double bell = std::exp((nearest - squared_length(p - skin.positions[q])) / (2 * width * width));
    const double near = std::max(0.0, bell - negligible_weight);
    all += near;
    const double weight = near * facing(skin, vertex, q);
    if (weight == 0) continue;
    f.patch.vertices.push_back({q, weight});
    f.away += skin.normals[q] * weight;
    sum += weight;
  }
  if (sum == 0) return f;
  f.away = normalized(f.away, skin.normals[faced]);
  double to_planes = 0;
  for (SkinPatch::Vertex& q : f.patch.vertices) {
    q.weight /= sum;
    to_planes += q.weight * dot(skin.normals[q.vertex], p - skin.positions[q.vertex]);
  }
  const Vec3d from_mean = p - f.patch.mean(skin.positions);
  const double to_mean = dot(f.away, from_mean);
  f.offset = (to_planes - to_mean) / 2;
  f.gap = to_mean + f.offset;
  const double sideways = std::sqrt(std::max(0.0, squared_length(from_mean) - to_mean * to_mean));
  f.strength = sum / all * fade(sideways / edges_[faced], aside, in_front);
  return f;
}

std::vector<FacingPatch> FacingSkin::watch(std::span<const Vec3d> x) const {
  const Posed skin = pose(x);
  std::vector<Vec3f> positions;
  for (const Vec3d& p : skin.positions) positions.emplace_back(p);
  const PointGrid grid(positions);
  std::vector<FacingPatch> result(positions.size());
  parallel_for(positions.size(), facing_vertices_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::uint32_t v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      result[v].vertex = result[v].faced = v;
      if (areas_[v] == 0) continue;
      double least = reach_ * reach_;
      std::uint32_t faced = v;
      grid.each_near(positions[v], static_cast<float>(reach_), [&](std::uint32_t q) {
        const Vec3d apart = skin.positions[v] - skin.positions[q];
        const double distance = squared_length(apart);
        if (distance >= least || areas_[q] == 0 || facing(skin, v, q) == 0) return;
        if (dot(apart, skin.normals[q]) < -overlap_) return;
        least = distance;
        faced = q;
      });
      if (faced != v) result[v] = facing_patch(skin, v, faced);
    }
  });
  std::erase_if(result, [](const FacingPatch& f) { return f.faced == f.vertex; });
  return result;
}

FacingPatch FacingSkin::follow(const FacingPatch& before, const Posed& skin) const {
  const Vec3d p = skin.positions[before.vertex];
  std::uint32_t faced = before.faced;
  double least = squared_length(p - skin.positions[faced]);
  for (int walks = 0; walks < most_walks; ++walks) {
    const std::uint32_t from = faced;
    for (const std::uint32_t q : around_.of(from)) {
      const double distance = squared_length(p - skin.positions[q]);
      if (distance >= least || facing(skin, before.vertex, q) == 0) continue;
      least = distance;
      faced = q;
    }
    if (faced == from) break;
  }
  return facing_patch(skin, before.vertex, faced);
}

}  // namespace supple::simulate
