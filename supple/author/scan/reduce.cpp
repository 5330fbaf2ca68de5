#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/simplify.h"

namespace supple::scan {
namespace {

// Of the surface the mesh came from, at the nearest points.
void take_normals(const Mesh& source, const Bvh& tree, Mesh& mesh) {
  mesh.normals.resize(mesh.positions.size());
  parallel_for(mesh.positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const ClosestPoint at = tree.closest(mesh.positions[v]);
      const Triangle& t = source.triangles[at.triangle];
      Vec3f normal{};
      for (std::size_t i = 0; i < 3; ++i) normal += source.normals[t[i]] * at.barycentric[i];
      mesh.normals[v] = normalized(normal, {0, 1, 0});
    }
  });
}

}  // namespace

Result<Mesh> reduce(const Mesh& mesh, std::size_t triangles, const Progress& progress) {
  const Error stopped{"surface", "stopped on request", ""};
  if (mesh.triangles.size() <= triangles) return mesh;
  if (!report(progress, "reduce", 0)) return stopped;
  const std::size_t vertices = triangles / 2 + 2;  // of a closed surface without handles
  Result<Mesh> coarse = simplify(mesh, vertices);
  if (!coarse) return coarse.error();
  if (!report(progress, "reduce", 0.5)) return stopped;
  const Bvh tree(mesh.positions, mesh.triangles);
  RemeshOptions even;
  even.edge_length = [](Vec3d) { return 1.0; };  // alike everywhere: the number of vertices says how long
  even.project = [&](Vec3d p) { return Vec3d(tree.closest(Vec3f(p)).point); };
  even.vertices = coarse->positions.size();
  even.iterations = 3;  // quadrics leave few slivers, and the number is right from the start
  Result<Mesh> result = remesh(*coarse, even, [&](std::string_view, double fraction) {
    return report(progress, "reduce", 0.5 + 0.5 * fraction);
  });
  if (!result) return result.error();
  if (!mesh.normals.empty()) take_normals(mesh, tree, *result);
  return result;
}

}  // namespace supple::scan
