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
  std::optional<Model> plain;                     // the model without it, as fade() begins with
  learn::AttachOptions attaching;                 // how it was put in
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

/// Keeps so much of what was learnt at each vertex of the set: 1 all of it, 0 linear blend. Attaches, bakes and
/// measures again; errors with fewer modes stay those of what was learnt.
Result<void> fade(FitJob& job, std::span<const float> keep);

}  // namespace supple::workflow
