// Field to mesh, mesh to a bound character.
#include "supple/make/figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "supple/base/parallel.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/simplify.h"
#include "supple/make/figure_anatomy.h"
#include "supple/make/figure_clips.h"
#include "supple/make/figure_rig.h"
#include "supple/make/figure_shape.h"
#include "supple/rig/bind.h"

namespace supple::make {
namespace {

constexpr std::size_t fewest_vertices = 1000, most_vertices = 100000;
// With fewer vertices, equal edges would be longer than hands are thick: the mesh is thinned out by error instead.
constexpr std::size_t fewest_isotropic = 3000;
constexpr double skin_area = 1.75;  // square metres, about

// Of equilateral triangles on the whole skin, metres.
double edge_length(std::size_t vertices) {
  return std::sqrt(skin_area / (std::sqrt(3.0) / 2 * static_cast<double>(vertices)));
}

Result<Mesh> skin_mesh(const FigureShape& shape, std::size_t vertices, const Progress& progress) {
  const double edge = edge_length(vertices);
  const double spacing = std::clamp(0.7 * edge, 0.004, 0.012);  // fine enough for ears and thumbs
  Grid grid{FigureShape::low, {spacing, spacing, spacing}, {}};
  const Vec3d extent = FigureShape::high - FigureShape::low;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.size[axis] = static_cast<std::size_t>(std::ceil(extent[axis] / spacing)) + 1;
  }
  const Mesh raw = isosurface([&](Vec3d p) { return shape(p); }, grid, FigureShape::lipschitz);
  RemeshOptions options;
  options.edge_length = [&](Vec3d p) { return shape.relative_edge(p); };
  options.project = [&](Vec3d p) { return shape.project(p); };
  options.vertices = std::max(vertices, fewest_isotropic);
  Result<Mesh> mesh = remesh(raw, options, progress);
  if (mesh && vertices < fewest_isotropic) mesh = simplify(*mesh, vertices);
  if (!mesh) return mesh;
  const double normal_step = 0.1 * edge;
  mesh->normals.resize(mesh->positions.size());
  parallel_for(mesh->positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      mesh->normals[v] = Vec3f(normalized(shape.gradient(Vec3d(mesh->positions[v]), normal_step), {0, 1, 0}));
    }
  });
  return mesh;
}

// Vertices of one bone lie together, from its top down: what moves alike is near in memory.
void sort_by_bone(Mesh& mesh, SkinWeights& weights) {
  std::vector<std::uint32_t> order(mesh.positions.size()), place(order.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t bone_a = weights.of(a)[0].joint, bone_b = weights.of(b)[0].joint;
    if (bone_a != bone_b) return bone_a < bone_b;
    return mesh.positions[a].y != mesh.positions[b].y ? mesh.positions[a].y > mesh.positions[b].y : a < b;
  });
  Mesh sorted;
  SkinWeights sorted_weights;
  for (std::uint32_t v = 0; v < order.size(); ++v) {
    place[order[v]] = v;
    sorted.positions.push_back(mesh.positions[order[v]]);
    sorted.normals.push_back(mesh.normals[order[v]]);
    sorted_weights.push_vertex(weights.of(order[v]));
  }
  for (const Triangle& t : mesh.triangles) sorted.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  mesh = std::move(sorted);
  weights = std::move(sorted_weights);
}

}  // namespace

Result<Character> make_figure(const FigureOptions& options, const Progress& progress) {
  if (options.vertices < fewest_vertices || options.vertices > most_vertices) {
    return Error{"vertices", std::to_string(options.vertices) + " is out of range",
                 "choose " + std::to_string(fewest_vertices) + " to " + std::to_string(most_vertices)};
  }
  if (!report(progress, "surface", 0)) return Error{"figure", "stopped on request", ""};
  const std::vector<FigureBone> bones = figure_bones();
  Result<Skeleton> skeleton = figure_skeleton(bones);
  if (!skeleton) return skeleton.error();
  Result<Mesh> skin = skin_mesh(FigureShape(), options.vertices, within(progress, 0.1, 0.7));
  if (!skin) return skin.error();
  Result<SkinWeights> weights =
      figure_weights(*skin, bones, *skeleton, edge_length(options.vertices), within(progress, 0.7, 1));
  if (!weights) return weights.error();
  sort_by_bone(*skin, *weights);

  Character figure;
  figure.name = "figure";
  figure.skeleton = std::move(*skeleton);
  figure.skins.push_back(bind_at_rest("figure", figure.skeleton));
  figure.materials.push_back({"skin", {0.75f, 0.45f, 0.35f, 1}, 0, 0.6f, false});
  Part part;
  part.name = "skin";
  part.mesh = std::move(*skin);
  part.weights = std::move(*weights);
  part.skin = 0;
  part.material = 0;
  figure.parts.push_back(std::move(part));
  figure.clips = {walk_clip(figure.skeleton), run_clip(figure.skeleton), jump_clip(figure.skeleton)};
  if (Result<void> valid = validate(figure); !valid) return valid.error();
  return figure;
}

}  // namespace supple::make
