// The volume that a skin encloses, and how a pose changes it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple::measure {

/// How far apart vertices of a seam may lie and still be one point, metres: what rounding does to vertices that files
/// split, and to borders of parts that were written apart.
float seam_tolerance(std::span<const Vec3f> positions);

/// The triangles of a surface that encloses a volume, for all measures of the inside: seams are welded (vertices within
/// seam_tolerance() are named by the first of them), triangles that collapse are gone. Where the surface is open the
/// Error names the first edge without a partner.
Result<std::vector<Triangle>> closed_triangles(const Mesh& mesh);

/// Cubic metres; negative where the surface is inside out.
Result<double> closed_volume(const Mesh& mesh);

/// Whether `posed` (#V by 3, metres) can be a pose of `rest`: as many vertices, all finite.
Result<void> check_posed(const Mesh& rest, std::span<const Vec3f> posed);

struct VolumeChange {
  double rest = 0, posed = 0;  // cubic metres
  double relative = 0;         // posed / rest - 1
  // Vertices that are one point at rest may be torn apart by a pose; the volume follows the first of them.
  double seam_gap = 0;          // the widest such tear, metres
  std::size_t seam_vertex = 0;  // where it is
};
/// `rest`: the closed skin at rest; `posed`: #V by 3, metres, the same vertices in a pose.
Result<VolumeChange> volume_change(const Mesh& rest, std::span<const Vec3f> posed);

}  // namespace supple::measure
