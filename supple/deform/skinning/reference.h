// Skinning written as the formulas read, in double precision: what the fast kernels are compared with.
#pragma once

#include <span>

#include "supple/base/mat.h"
#include "supple/rig/skin_weights.h"

namespace supple::reference {

struct Vertex {
  Vec3d position, normal, tangent;
};

/// sum_k w_k M_k v; normals by the inverse transpose of the blended matrix, or by the matrix itself.
Vertex linear(std::span<const Influence> influences, std::span<const Affined> palette, const Vertex& rest,
              bool inverse_transpose);

/// Dual quaternion blend in the hemisphere of the heaviest joint; stretch blended linearly first.
Vertex dual_quaternion(std::span<const Influence> influences, std::span<const Affined> palette, const Vertex& rest);

}  // namespace supple::reference
