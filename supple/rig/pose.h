// Poses: one local transform per joint and one weight per morph target; and the same in world space.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/skeleton.h"

namespace supple {

struct Pose {
  std::vector<Transformf> local;     // #joints, relative to the parent
  std::vector<float> morph_weights;  // all morph targets of a character, see Part::first_morph_weight
};

Pose rest_pose(const Skeleton& skeleton);

/// World transform of every joint; `world` has one entry per joint. Does not allocate.
void to_world(const Skeleton& skeleton, std::span<const Transformf> local, std::span<Affinef> world);
std::vector<Affinef> to_world(const Skeleton& skeleton, const Pose& pose);

/// Turns joint `j` away from rest by one angle per DOF (radians; missing ones are 0), in the order of the DOFs.
/// With `clamp` angles are brought into the DOF's limits.
void set_angles(Pose& pose, const Skeleton& skeleton, JointIndex j, std::span<const float> angles, bool clamp = false);

/// The angles that set_angles would need for the joint's present rotation: least squares where the rotation lies
/// outside what the DOFs can reach, with the remaining rotation angle in `residual` (radians).
std::vector<float> get_angles(const Pose& pose, const Skeleton& skeleton, JointIndex j, float* residual = nullptr);

/// Sets one degree of freedom, by name ("flexion"), to an angle away from rest; the joint's others stay. The error
/// lists what the joint has.
Result<void> rotate(Pose& pose, const Skeleton& skeleton, JointIndex joint, std::string_view dof, float radians);
/// The same for the first joint of that name.
Result<void> rotate(Pose& pose, const Skeleton& skeleton, std::string_view joint, std::string_view dof, float radians);

}  // namespace supple
