// From the joints of a pose to the morph weights that drivers make of them.
#pragma once

#include <span>

#include "supple/rig/morph_driver.h"
#include "supple/rig/pose.h"

namespace supple {

/// Writes the weights of every driven morph target; the others stay. Does not allocate. Stateless: the same pose gives
/// the same weights. In a frame loop, DriverLayer does the same faster.
void drive(std::span<const MorphDriver> drivers, std::span<const Transformf> local, std::span<float> morph_weights);
void drive(std::span<const MorphDriver> drivers, Pose& pose);

/// Distance between two settings, one rotation per joint of the driver: see MorphDriver.
double setting_distance(const MorphDriver& driver, std::span<const Quatf> a, std::span<const Quatf> b);

/// One joint's part of the pose kernel (kappa): 0 where either rotation is none.
double joint_kernel(Quatd setting, Quatd centre, double radius);
/// g of two rotations is exp(-scale * v^2), v the vector part of one's inverse times the other: 4 v^2 is the chord's
/// square.
inline double chord_scale(double radius) { return 2 / (radius * radius); }
/// Angles below the rounding of float quaternions are none.
bool is_none(Quatf rotation);

/// Basis function `row` of a driver (of its rows()) at a setting.
double basis_value(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t row);

}  // namespace supple
