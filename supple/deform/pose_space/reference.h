// Weighted PSD as the equations have it, in double and vertex by vertex: what the fast one is tested against.
#pragma once

#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// The rest shape in a pose (eq. 7): s_i of each vertex from its own distances (eq. 16), by solving its own system (eq.
/// 13-14). The pose space must be valid.
struct PoseSpaceShape {
  std::vector<Vec3d> positions, normals;     // #V; normals are not unit vectors
  std::vector<std::vector<double>> weights;  // #V, each #examples; they sum to one
};
PoseSpaceShape pose_space_reference(const Character& character, const PoseSpace& space, const Pose& pose);

}  // namespace supple
