// The shape of a muscle: its closed surface, and the vortices that stand for it.
#pragma once

#include <vector>

#include "supple/rig/kinodynamics.h"

namespace supple {

/// In the muscle's frame, with outward normals: the given surface, or the ellipsoid as a sphere of an icosahedron
/// subdivided until it has at least `samples` points (12, 42, 162, 642, ...).
Mesh muscle_surface(const VortexMuscle& muscle);

/// Points that carry vorticity, #samples. The sum of area times normal over a closed surface is zero, so that a muscle
/// that is pushed as a whole has no net spin.
struct VortexSamples {
  std::vector<Vec3d> positions, normals;  // muscle's frame; outward
  std::vector<double> areas;              // square metres
  /// Of each point of the surface: the sample that gathered it, and its share in where that sample is.
  std::vector<std::uint32_t> sample_of;
  std::vector<double> share;
};

/// The surface's points; of a given surface with many more points than wanted, clusters of them.
VortexSamples sample_surface(const VortexMuscle& muscle, const Mesh& surface);

}  // namespace supple
