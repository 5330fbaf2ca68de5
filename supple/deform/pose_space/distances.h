// How far a pose is from each example, joint by joint.
#pragma once

#include <span>

#include "supple/deform/pose_space/table.h"
#include "supple/rig/pose.h"

namespace supple {

PoseDistances distances_of(const PoseSpace& space);

/// (theta_k / radius)^2 for every joint and example, in the order of the settings: #distances.size(). Angles below the
/// rounding of float rotations are none, so that a pose that is an example is it exactly. Does not allocate.
void squared_angles(const PoseDistances& distances, std::span<const Transformf> local, std::span<float> out);

/// Added up over the joints: #examples squared distances of plain PSD.
void add_squared_angles(const PoseDistances& distances, std::span<const Transformf> local, std::span<double> sums);

/// (theta_k / radius)^2 between two examples.
double squared_angle(const PoseDistances& distances, std::size_t joint, std::size_t a, std::size_t b);

}  // namespace supple
