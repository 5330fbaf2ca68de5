// What every way to learn a skin begins and ends with.
#pragma once

#include "supple/author/learn/fit_error.h"
#include "supple/files/engines.h"
#include "supple/workflow/jobs/fit/options.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

inline constexpr double trained = 0.6;  // how far a fit is then, of its progress

/// What was read, what is written, and how good it is.
struct Fit {
  std::string method;  // for people
  Model model;         // as it is written
  Character input;     // as it was read: its linear blend is what errors are compared with
  Character original;  // before corrections were learnt; its weights may be refined
  std::size_t part = 0;
  std::vector<std::size_t> parts;  // surfaces that are primitives of the part's mesh, itself first
  ExampleSet set;
  std::vector<std::pair<std::string, Pose>> stills;  // --pose
  std::array<learn::ErrorSummary, 3> errors;         // of what is written, by learn::Group
  std::array<std::vector<learn::PoseError>, 3> poses;
  double refined_from = 0;    // linear blend's RMS before weights were refined, metres; 0: they were not
  double refined_to = 0;      // and after
  double seconds = 0;         // of training
  std::size_t set_bytes = 0;  // positions and normals of the examples
};

/// The engine that --for-engine names; none for generic.
const supple::Engine* engine_of(const FitOptions& options);

/// Reads the examples and the model, without what was learnt before, and brings its weights within the engine's limits.
Result<void> prepare(Fit& fit, const FitOptions& options, Work& work);
/// Where it was asked for.
Result<void> refine_weights(Fit& fit, const FitOptions& options, Work& work);
/// Still clips, and the weight tracks of all clips.
void bake(Fit& fit);

}  // namespace supple::workflow
