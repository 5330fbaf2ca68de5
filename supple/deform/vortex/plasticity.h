// A shape to rest in, as vorticity: equation 15.
#pragma once

#include <string>

#include "supple/base/result.h"
#include "supple/deform/vortex/surface.h"

namespace supple {

/// Vortices that never change: their unit-time flow takes the muscle's surface into its target. They have a reach of
/// their own: what lets a swing fade smoothly over the skin is too blunt to model with.
struct PlasticShape {
  std::vector<Vec3d> vorticity;  // #samples, muscle's frame; empty: the target is the shape itself
  double reach = 0;              // metres
  double residual = 0;           // across the surface, root mean square: what is left of what was asked for
};

/// The least vorticity that moves samples across the surface as the target does, once that is resized to the volume of
/// the shape: nothing that is done by vortices can inflate. The error names the muscle: a target of the wrong size, or
/// collapsed.
Result<PlasticShape> plastic_shape(const VortexMuscle& muscle, const std::string& item, const Mesh& surface,
                                   const VortexSamples& samples);

}  // namespace supple
