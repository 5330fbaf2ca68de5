// How far two posed meshes are apart, vertex by vertex or surface to surface, and where they are farthest.
#pragma once

#include <cstddef>
#include <span>

#include "supple/geometry/mesh.h"

namespace supple::measure {

/// Statistics of one error per vertex, in the unit of the errors.
struct ErrorSummary {
  double rms = 0, mean = 0;
  double p99 = 0;  // the smallest error that at least 99 % of the vertices do not exceed
  double max = 0;
  std::size_t worst = 0;   // vertex with the largest error; the first of several
  Vec3f worst_position{};  // where it is, metres
  std::size_t count = 0;   // vertices compared; never 0
};

/// Of given errors (#V, not negative) at given positions (#V, metres). What is empty, of two sizes or not finite is an
/// Error that names the vertex.
Result<ErrorSummary> summarize(std::span<const double> errors, std::span<const Vec3f> positions);

/// Distance in metres between vertices of the same number. `measured` and `reference`: #V by 3, metres; the worst
/// position is that of `measured`.
Result<ErrorSummary> vertex_error(std::span<const Vec3f> measured, std::span<const Vec3f> reference);

/// Angle in radians, 0 to pi, between two vectors of any positive length; exact to rounding also near 0 and pi.
double angle_between(Vec3f a, Vec3f b);

/// Angle in radians between normals of the same number. `measured` and `reference`: #V by 3, need not be unit vectors
/// but may not vanish; `positions`: #V by 3, metres, for the worst position.
Result<ErrorSummary> normal_error(std::span<const Vec3f> measured, std::span<const Vec3f> reference,
                                  std::span<const Vec3f> positions);

/// Distance in metres from each point (#P by 3) to the nearest point of the surface of `to`: one way. The meshes may
/// have different vertices and triangles; `worst` is a place in `from`.
Result<ErrorSummary> surface_distance(std::span<const Vec3f> from, const Mesh& to);

/// Both ways: a surface that lacks a finger is near the whole one everywhere, but not the other way round.
struct SurfaceDistance {
  ErrorSummary forward;   // from the vertices of the first mesh to the surface of the second
  ErrorSummary backward;  // from the vertices of the second mesh to the surface of the first
  /// Larger of the two maxima: the Hausdorff distance as far as the vertices show it.
  double max() const { return forward.max > backward.max ? forward.max : backward.max; }
  /// Over the vertices of both meshes.
  double rms() const;
};
Result<SurfaceDistance> surface_distance(const Mesh& first, const Mesh& second);

}  // namespace supple::measure
