// Painted skin weights carried into space: the weight of the nearest skin, fading outside the body.
#pragma once

#include "supple/deform/field/table.h"
#include "supple/geometry/bvh.h"

namespace supple {

/// The field of one limb over a surface (`weights`: #V). `reach`: metres outside the skin at which it has vanished;
/// `spacing`: of the grid, metres.
WeightGrid paint_grid(std::span<const Vec3f> positions, std::span<const Triangle> triangles, const Bvh& surface,
                      std::span<const float> weights, double reach, double spacing);

}  // namespace supple
