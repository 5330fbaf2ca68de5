// Volume of welded, closed surfaces.
#include "supple/measure/volume.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "supple/geometry/topology.h"

namespace supple::measure {
namespace {

Result<std::vector<Triangle>> closed_triangles(const Mesh& mesh, const Weld& points) {
  const Defects defects = find_defects(mesh.positions, mesh.triangles, points.to_point);
  if (defects.unbalanced_edges > 0) {
    const auto [from, to] = defects.first_unbalanced;
    return Error{"edge " + std::to_string(from) + "-" + std::to_string(to),
                 "the surface is open or turns over there (" + std::to_string(defects.boundary_edges) +
                     " boundary edges, " + std::to_string(defects.unbalanced_edges) + " unbalanced in all)",
                 "close the holes and orient the triangles alike"};
  }
  std::vector<Triangle> triangles = welded_triangles(mesh.triangles, points);
  if (triangles.empty()) return Error{"mesh", "it has no triangles that enclose a volume", "give a closed surface"};
  for (Triangle& t : triangles) {
    for (std::uint32_t& corner : t) corner = points.to_vertex[corner];
  }
  return triangles;
}

}  // namespace

float seam_tolerance(std::span<const Vec3f> positions) {
  const Box box = bounds(positions);
  const auto farthest = [](Vec3f p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); };
  // Far from the origin numbers are coarser.
  return std::max(1e-5f * box.diagonal(), 1e-6f * std::max(farthest(box.low), farthest(box.high)));
}

Result<std::vector<Triangle>> closed_triangles(const Mesh& mesh) {
  if (auto valid = validate(mesh); !valid) return valid.error();
  return closed_triangles(mesh, weld(mesh.positions, seam_tolerance(mesh.positions)));
}

Result<double> closed_volume(const Mesh& mesh) {
  auto triangles = closed_triangles(mesh);
  if (!triangles) return triangles.error();
  return enclosed_volume(mesh.positions, *triangles);
}

Result<void> check_posed(const Mesh& rest, std::span<const Vec3f> posed) {
  if (posed.size() != rest.positions.size()) {
    return Error{"posed skin",
                 std::to_string(posed.size()) + " vertices for " + std::to_string(rest.positions.size()) + " at rest",
                 "pose the skin that is given at rest"};
  }
  for (std::size_t v = 0; v < posed.size(); ++v) {
    if (!is_finite(posed[v])) {
      return Error{"vertex " + std::to_string(v), "the posed position is not finite",
                   "check the pose and the skin weights"};
    }
  }
  return {};
}

Result<VolumeChange> volume_change(const Mesh& rest, std::span<const Vec3f> posed) {
  if (auto valid = validate(rest); !valid) return valid.error();
  if (auto fits = check_posed(rest, posed); !fits) return fits.error();
  const Weld points = weld(rest.positions, seam_tolerance(rest.positions));
  auto triangles = closed_triangles(rest, points);
  if (!triangles) return triangles.error();

  VolumeChange change;
  change.rest = enclosed_volume(rest.positions, *triangles);
  change.posed = enclosed_volume(posed, *triangles);
  if (change.rest == 0) return Error{"rest skin", "it encloses no volume to compare with", "check its rest positions"};
  change.relative = change.posed / change.rest - 1;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const double gap = length(Vec3d(posed[v]) - Vec3d(posed[points.to_vertex[points.to_point[v]]]));
    if (gap > change.seam_gap) {
      change.seam_gap = gap;
      change.seam_vertex = v;
    }
  }
  return change;
}

}  // namespace supple::measure
