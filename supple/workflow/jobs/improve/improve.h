// The main job in one call: any rigged character in, a better skin out, or an honest answer why not.
#pragma once

#include <functional>

#include "supple/rig/deformers.h"
#include "supple/workflow/jobs/compare_skins.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "supple/workflow/jobs/improve/harm.h"
#include "supple/workflow/jobs/simulate/options.h"
#include "supple/workflow/jobs/simulate/teaching_plan.h"

namespace supple::workflow {

enum class Effort { quick, normal, thorough };

struct ImproveOptions {
  std::string input, output;  // rigged characters, .glb or .gltf
  std::string part;           // the skin, by name; empty: all parts bound to joints but hard ones
  std::string folder;         // examples and records, kept for the next call; empty: beside the output
  Effort effort = Effort::normal;
  /// What shows how skin should move: "lattice", "tissue", or a deformer that teaches (see DeformerKind::teacher);
  /// empty: tissue where the file has surfaces of bones, otherwise the lattice.
  std::string teacher;
  bool flesh = false;  // let body parts swing behind the bones besides, as add_flesh() proposes
  bool force = false;  // begin again where the folder holds examples
  FarmOptions farm;    // where lattice and tissue are simulated
  /// The command that does one task of these options on a cluster, once "--task N" is added.
  std::function<std::vector<std::string>(const SimulateOptions&)> task_command;
};

enum class Verdict {
  better,   // by strain or by volume, and nothing is worse: written
  mixed,    // a little better, or better by one and worse by another figure: written, and told
  no_help,  // nothing was written
};

/// The shares of strain and of the error of volume that went away; negative where they grew. See SeenFigures.
struct Gain {
  double strain = 0, volume = 0;
};
/// Better is what has lost so much of its strain, or of its error of volume.
inline constexpr double better_strain = 0.2, better_volume = 0.3;

struct Improved {
  Verdict verdict = Verdict::no_help;
  std::string reason;                // one sentence
  bool unfinished = false;           // tasks failed on the way, as `reason` says; the same call goes on
  std::vector<std::string> choices;  // what was decided on the way, and why: one sentence each
  TeachingPlan plan;
  std::string teacher;        // that was used
  FitOptions fit_options;     // by which the skin was learnt
  std::optional<FitJob> fit;  // none where nothing was learnt
  /// Held-out poses of the plan that no example shows, or only one that its flags leave out: the teacher failed there.
  std::size_t held_out_without_teacher = 0;
  SkinComparison comparison;  // before: linear blend of the input
  SeenFigures seen;           // of what is written
  SeenFigures learnt;         // before what did harm was faded
  double seconds = 0;

  Gain gain() const;
};

/// The share of linear blend's distance to the teacher that is left in held_out_poses(), all kinds of them together; of
/// the training poses where there are none.
double held_out_error(const FitJob& fit);
/// Held-out poses in which that was measured: those that have a teacher and turn some joint.
std::size_t held_out_poses(const FitJob& fit);

/// Writes options.output unless it cannot help. An error means that the file or the options are wrong.
Result<Improved> improve(const ImproveOptions& options, Work& work);

}  // namespace supple::workflow
