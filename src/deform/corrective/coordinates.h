// From a pose to the coordinates of the modes.
#pragma once

#include <span>

#include "supple/deform/corrective/table.h"
#include "supple/rig/pose.h"

namespace supple {

/// alpha_m of every mode for a pose's local transforms; exactly 0 at rest. `coordinates` has mode_count entries. Does
/// not allocate.
void corrective_coordinates(const CorrectiveTable& table, std::span<const Transformf> local,
                            std::span<float> coordinates);

/// Distance between two settings of a driver's joints: the angles between the rotations, as a root of squares.
double setting_distance(std::span<const Quatf> a, std::span<const Quatf> b);

/// Basis function `row` of a driver (of its rows()) at a setting, one rotation per joint.
double basis_value(const CorrectiveDriver& driver, std::span<const Quatf> centres, std::span<const Quatf> setting,
                   std::uint32_t row);

}  // namespace supple
