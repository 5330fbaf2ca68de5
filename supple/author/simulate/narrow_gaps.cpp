#include "supple/author/simulate/narrow_gaps.h"

#include <algorithm>
#include <array>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"

namespace supple::simulate {
namespace {

constexpr double open = 1;               // elements across: elements see a gap as wide as that
constexpr double of_own_flesh = 0.25;    // of the thickness: so much may go on either side
constexpr std::size_t smooth_steps = 4;  // after which the depth no longer jumps from vertex to vertex
constexpr std::size_t vertices_at_once = 256;

/// #V, weighted by area, of unit length or 0.
std::vector<Vec3f> outward(const Mesh& skin) {
  std::vector<Vec3d> sum(skin.positions.size());
  for (const Triangle& t : skin.triangles) {
    const Vec3d a(skin.positions[t[0]]), b(skin.positions[t[1]]), c(skin.positions[t[2]]);
    const Vec3d area = cross(b - a, c - a);
    for (const std::uint32_t v : t) sum[v] += area;
  }
  std::vector<Vec3f> result;
  for (const Vec3d& n : sum) {
    const double size = length(n);
    result.push_back(size > 0 ? Vec3f(n * (1 / size)) : Vec3f{});
  }
  return result;
}

}  // namespace

std::vector<float> depth_that_opens_gaps(const Mesh& skin, double element_size) {
  const auto wanted = static_cast<float>(open * element_size);
  const Bvh tree(skin.positions, skin.triangles);
  const std::vector<Vec3f> normals = outward(skin);
  const auto faces = [&](const RayHit& hit, Vec3f way) {
    const Triangle& t = skin.triangles[hit.triangle];
    return dot(cross(skin.positions[t[1]] - skin.positions[t[0]], skin.positions[t[2]] - skin.positions[t[0]]), way) <
           0;
  };
  std::vector<float> depth(skin.positions.size());
  parallel_for(depth.size(), vertices_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3f from = skin.positions[v], out = normals[v];
      if (out == Vec3f{}) continue;
      const auto hit = tree.first_hit(from, out, 1e-3f * wanted, wanted);
      if (!hit || !faces(*hit, out)) continue;
      const auto behind = tree.first_hit(from, -out, 1e-3f * wanted);
      const float most = behind ? static_cast<float>(of_own_flesh) * behind->distance : wanted;
      depth[v] = std::min((wanted - hit->distance) / 2, most);
    }
  });
  const Adjacency around = vertex_neighbours(depth.size(), skin.triangles);
  for (std::size_t step = 0; step < smooth_steps; ++step) {
    std::vector<float> next = depth;
    for (std::size_t v = 0; v < depth.size(); ++v) {
      const auto neighbours = around.of(v);
      if (neighbours.empty()) continue;
      float sum = 0;
      for (const std::uint32_t n : neighbours) sum += depth[n];
      // Rather too deep than with a bridge left: the first step takes what the neighbours need.
      const float mean = sum / static_cast<float>(neighbours.size());
      next[v] = step == 0 ? std::max(depth[v], mean) : (depth[v] + mean) / 2;
    }
    depth = std::move(next);
  }
  return depth;
}

}  // namespace supple::simulate
