// The rest of a body of flesh whose bones are held, as an input deck of CalculiX.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supple/author/simulate/tissue_model.h"

namespace supple::simulate {

/// Decks are in millimetres: its tables and tolerances are made for numbers not too far from 1.
inline constexpr double calculix_units_per_metre = 1000;

/// One *STEP for each of `waypoints` (#N positions each, of which those of the bone nodes count), reached along
/// straight lines in `increments` equal parts, or more where it does not converge. Nodes and elements keep their
/// numbers, counted from 1; nodes of no active element are left out. Every region is Neo-Hookean, as Law::neo_hookean,
/// whatever its law.
std::string calculix_deck(const TissueModel& model, std::span<const std::vector<Vec3d>> waypoints, int increments = 1);

}  // namespace supple::simulate
