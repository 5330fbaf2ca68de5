// Examples from a deformer that costs more than a plain file may: the skins that it gives a plan's poses, which a cheap
// skin is then learnt from.
#pragma once

#include "supple/deform/skin.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/simulate/options.h"

namespace supple::workflow {

/// A pose that went into the set.
struct TaughtPose {
  std::size_t sweep = 0, pose = 0;      // of the plan
  std::optional<double> volume_change;  // relative to rest; none of an open skin
  std::size_t new_triangles = 0;        // that cross others where they do not at rest
  double seconds = 0;                   // to evaluate it
  std::vector<std::string> flags;
};

struct Taught {
  Model model;  // with the deformer that taught
  std::size_t part = 0;
  Blend blend = Blend::linear;
  PosePlan plan;
  std::vector<TaughtPose> poses;
  std::size_t missing = 0;  // stopped before, or absurd

  const PlannedPose& planned(const TaughtPose& pose) const { return plan.sweeps[pose.sweep].poses[pose.pose]; }
};

/// Evaluates every pose of the plan by options.deformer, with muscles settled in it, and writes an ordinary example
/// set.
Result<Taught> teach(const SimulateOptions& options, Work& work);

}  // namespace supple::workflow
