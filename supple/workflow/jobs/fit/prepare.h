// What every way to learn a skin begins and ends with.
#pragma once

#include "supple/author/learn/fit_error.h"
#include "supple/files/engines.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/fit/options.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/units.h"

namespace supple::workflow {

inline constexpr double trained = 0.6;  // how far a fit is then, of its progress

/// What was read, what is written, and how good it is.
struct Fit {
  std::string method;  // for people
  Model model;         // as it is written
  Character before;    // as it was read, without what was learnt before
  /// Parts of the file that are learnt. Several are learnt as one surface: the same modes move all of them, so that
  /// their weights agree in every pose and borders stay closed.
  std::vector<std::size_t> parts;
  std::vector<std::vector<std::size_t>> meshes;  // their meshes: the surfaces of each, one that is learnt first
  std::optional<MergedParts> merged;             // of several parts
  // What is learnt and measured. Of several parts these are characters with the merged part alone, and the set is of
  // its vertices; of one part, `before` and what becomes of it.
  Character input;     // its linear blend is what errors are compared with
  Character original;  // before corrections were learnt; its weights may be refined
  Character learnt;    // with what was learnt
  std::size_t part = 0;
  ExampleSet set;
  std::vector<std::pair<std::string, Pose>> stills;  // --pose
  std::array<learn::ErrorSummary, 3> errors;         // of what is written, by learn::Group
  std::array<std::vector<learn::PoseError>, 3> poses;
  double refined_from = 0;    // linear blend's RMS before weights were refined, metres; 0: they were not
  double refined_to = 0;      // and after
  double seconds = 0;         // of training
  std::size_t set_bytes = 0;  // positions and normals of the examples

  /// Millimetres in one unit of the file's lengths, which errors are in.
  double millimetres() const { return mm * before.unit.value_or(1); }
};

/// The engine that --for-engine names; none for generic.
const supple::Engine* engine_of(const FitOptions& options);

/// Reads the examples and the model, without what was learnt before, and brings its weights within the engine's limits.
Result<void> prepare(Fit& fit, const FitOptions& options, Work& work);
/// Sets `original`, with refined weights where that was asked for; the model gets them too.
Result<void> refine_weights(Fit& fit, const FitOptions& options, Work& work);
/// Still clips, and the weight tracks of all clips.
void bake(Fit& fit);
/// All surfaces of the meshes that have parts which are learnt.
std::vector<std::size_t> all_surfaces(const Fit& fit);

}  // namespace supple::workflow
