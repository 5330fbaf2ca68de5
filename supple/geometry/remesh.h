// Isotropic remeshing: triangles near equilateral, edges near a chosen length, vertices on the given surface.
#pragma once

#include <functional>

#include "supple/base/progress.h"
#include "supple/geometry/mesh.h"

namespace supple {

/// Both functions are called from several threads at once.
struct RemeshOptions {
  std::function<double(Vec3d)> edge_length;  // wanted length at a point, metres
  std::function<Vec3d(Vec3d)> project;  // nearest point of the true surface; empty: vertices move tangentially only
  std::size_t vertices = 0;  // wanted number; edge_length then says only how lengths compare. 0: as edge_length gives
  int iterations = 6;
};

/// Splits long edges, collapses short ones, flips towards valence six, relaxes in the tangent plane and projects
/// (Botsch and Kobbelt, A Remeshing Approach to Multiresolution Modeling, 2004). `mesh` must be closed and manifold; so
/// is the result, with the same number of parts and handles, its vertices in patches (patch_order.h). Deterministic.
Result<Mesh> remesh(const Mesh& mesh, const RemeshOptions& options, const Progress& progress = {});

/// How good the triangles are.
struct MeshQuality {
  double min_angle_degrees = 0, mean_min_angle_degrees = 0, mean_edge = 0, max_edge = 0;
  std::size_t worst_triangle = 0;
};
MeshQuality quality(const Mesh& mesh);

}  // namespace supple
