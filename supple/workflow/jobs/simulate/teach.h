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
  Model model;                     // as it was read, without what was learnt before
  std::vector<std::size_t> parts;  // of the model, that the examples show
  /// What the poses were evaluated with: the model's character with the deformer that taught. Where that is one of
  /// usual values, several parts are made one, so that it knows no borders between them.
  Character teacher;
  std::vector<std::size_t> taught;  // parts of the teacher: what `parts` are there
  Blend blend = Blend::linear;
  PosePlan plan;
  std::vector<TaughtPose> poses;
  std::size_t missing = 0;  // stopped before, or absurd

  /// Positions of the examples' vertices in the pose that the skin was evaluated in last.
  std::vector<Vec3f> positions(const Skin& skin) const;
  const PlannedPose& planned(const TaughtPose& pose) const { return plan.sweeps[pose.sweep].poses[pose.pose]; }
};

/// Evaluates every pose of the plan by options.deformer, with muscles settled in it, and writes an ordinary example
/// set.
Result<Taught> teach(const SimulateOptions& options, Work& work);

}  // namespace supple::workflow
