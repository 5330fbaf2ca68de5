// From a character and its examples to the character that is written.
#pragma once

#include "cli/fit/options.h"
#include "cli/model.h"
#include "supple/learn/fit_error.h"

namespace supple::cli {

/// Errors with a number of modes: per joint, or in all.
struct CurvePoint {
  std::size_t modes = 0;
  std::array<learn::ErrorSummary, 3> groups;  // by learn::Group
};

struct FitJob {
  Model model;         // as it is written
  Character original;  // before modes were attached: linear blend skinning
  std::size_t part = 0;
  ExampleSet set;
  learn::EigenSkin skin;  // what was kept
  learn::Attached attached;
  std::vector<CurvePoint> by_modes_per_joint;  // k = 0, 1, 2, ...; all joints alike, pairs left out
  std::vector<CurvePoint> by_targets;          // as granted; the last is what was kept
  std::array<learn::ErrorSummary, 3> errors;   // of what is written
  std::array<std::vector<learn::PoseError>, 3> poses;
  std::size_t granted = 0;    // modes that the budget allowed
  std::string chosen_by;      // how the number of modes was found
  double refined_from = 0;    // linear blend's RMS before weights were refined, metres; 0: they were not
  double seconds = 0;         // of training
  std::size_t set_bytes = 0;  // positions and normals of the examples
};

/// Reads, trains, attaches, bakes, measures; nothing is written.
Result<FitJob> fit(const FitOptions& options, Session& session);

}  // namespace supple::cli
