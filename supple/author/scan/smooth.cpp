#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

// Taubin, A Signal Processing Approach to Fair Surface Design, 1995: a step inwards and a larger one outwards. What is
// wider than some nine edges keeps its size (1 / lambda + 1 / mu = 0.11 of the frequencies pass).
constexpr double inwards = 0.5, outwards = -0.53;

void step(const Adjacency& neighbours, const std::vector<Vec3d>& from, std::vector<Vec3d>& to, double factor) {
  parallel_for(from.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto ring = neighbours.of(v);
      Vec3d mean{};
      for (const std::uint32_t n : ring) mean += from[n];
      to[v] = ring.empty() ? from[v] : lerp(from[v], mean / static_cast<double>(ring.size()), factor);
    }
  });
}

}  // namespace

void smooth(Mesh& mesh, int passes) {
  const Adjacency neighbours = vertex_neighbours(mesh.positions.size(), mesh.triangles);
  std::vector<Vec3d> points(mesh.positions.begin(), mesh.positions.end()), moved(points.size());
  for (int pass = 0; pass < passes; ++pass) {
    step(neighbours, points, moved, inwards);
    step(neighbours, moved, points, outwards);
  }
  for (std::size_t v = 0; v < points.size(); ++v) mesh.positions[v] = Vec3f(points[v]);
  if (!mesh.normals.empty()) compute_normals(mesh.positions, mesh.triangles, mesh.normals);
}

}  // namespace supple::scan
