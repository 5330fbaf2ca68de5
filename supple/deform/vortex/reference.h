// What the vortex layer computes, in double precision and without any of its shortcuts.
#pragma once

#include "supple/deform/vortex/dynamics.h"

namespace supple {

/// Metres in unit time that a muscle and its rest shape move a point of the world at.
Vec3d reference_velocity(const VortexTable& table, const VortexState& state, std::size_t muscle, Vec3d p);

/// Where a point goes; weights of all muscles, or none: all one.
Vec3d reference_flow(const VortexTable& table, const VortexState& state, std::span<const float> weights, Vec3d p,
                     int steps);

}  // namespace supple
