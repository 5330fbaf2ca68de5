// The next poses of a plan, from what the examples made so far teach a skin.
#pragma once

#include "supple/author/learn/kernel_skin.h"
#include "supple/rig/pose_plan.h"

namespace supple::learn {

struct AdaptiveOptions {
  PlanOptions plan;              // limits, joints and seed of the poses to choose from
  std::size_t poses = 25;        // to choose
  std::size_t candidates = 900;  // to choose from
};

struct AdaptiveBatch {
  std::vector<Sweep> sweeps;  // one pose each, its tags "adaptive" and what it is
  std::size_t examples = 0;   // that it was learnt from
  double left_out = 0;        // error of those that turn several joints (all, where none does) when left out
};

/// Trains on the examples and chooses what they lack. Deterministic, so that a plan can be taken up again.
Result<AdaptiveBatch> next_batch(const ExampleSet& set, const Character& character, std::size_t part,
                                 const AdaptiveOptions& options, Warnings* warnings = nullptr,
                                 const Progress& progress = {});

}  // namespace supple::learn
