// Skins of modes: from a character and its examples to the character that is written.
#pragma once

#include "supple/workflow/jobs/fit/prepare.h"

namespace supple::workflow {

/// Errors with a number of modes: per joint, or in all.
struct CurvePoint {
  std::size_t modes = 0;
  std::array<learn::ErrorSummary, 3> groups;  // by learn::Group
};

/// Errors of a skin learnt from a part of the training examples.
struct LearningPoint {
  std::size_t examples = 0;
  double left_out = 0;                        // error of training examples predicted from the others
  std::array<learn::ErrorSummary, 3> groups;  // by learn::Group
};

struct FitJob : Fit {
  learn::EigenSkin skin;  // what was kept
  learn::Attached attached;
  std::vector<CurvePoint> by_modes_per_joint;     // k = 0, 1, 2, ...; all joints alike, pairs left out
  std::vector<CurvePoint> by_targets;             // as granted; the last is what was kept
  std::size_t granted = 0;                        // modes that the budget allowed
  std::size_t details = 0;                        // examples with a target of their own, the last modes of the skin
  std::string chosen_by;                          // how the number of modes was found
  std::optional<learn::PoseKernelChoice> kernel;  // of the kernel method
  std::vector<LearningPoint> by_examples;         // of the kernel method, where it was asked for
};

/// Errors of a skin that is not attached to anything yet, of the groups from `first` on.
std::array<learn::ErrorSummary, 3> errors_of(const FitJob& job, const learn::EigenSkin& skin,
                                             learn::Group first = learn::Group::train);

/// Reads, trains, attaches, bakes, measures; nothing is written.
Result<FitJob> fit_modes(const FitOptions& options, Work& work);

}  // namespace supple::workflow
