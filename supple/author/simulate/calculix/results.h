// What CalculiX leaves behind: tables of displacements (.dat) and a line for every increment (.sta).
#pragma once

#include <string_view>
#include <vector>

#include "supple/author/simulate/tissue_model.h"

namespace supple::simulate {

/// Node positions (#N each, metres) after every step of a calculix_deck: printed displacements, seven digits each, for
/// the free nodes; the bone nodes as in the waypoints, to the last digit; nodes of no active element that follow no
/// bone at rest. Fewer than there are waypoints where the run ended early.
Result<std::vector<std::vector<Vec3d>>> read_displacements(std::string_view dat, const TissueModel& model,
                                                           std::span<const std::vector<Vec3d>> waypoints);

struct CalculixSummary {
  int increments = 0;  // that converged
  int iterations = 0;  // of Newton's method, those of converged increments
  int cutbacks = 0;    // attempts at increments that were given up for smaller ones
  double time = 0;     // steps done, and the part of the present one
};
CalculixSummary read_summary(std::string_view sta);

}  // namespace supple::simulate
