// The main job in one call: any rigged character in, a better skin out, or an honest answer why not.
#pragma once

#include "supple/rig/deformers.h"
#include "supple/workflow/jobs/compare_skins.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "supple/workflow/jobs/improve/teaching_plan.h"

namespace supple::workflow {

enum class Effort { quick, normal, thorough };

struct ImproveOptions {
  std::string input, output;  // rigged characters, .glb or .gltf
  std::string part;           // the skin, by name; empty: all parts bound to joints but hard ones
  std::string folder;         // examples and records, kept for the next call; empty: beside the output
  Effort effort = Effort::normal;
  /// What shows how skin should move, "tissue" or a deformer that teaches (see DeformerKind::teacher); empty: flesh
  /// where it can be simulated, otherwise the first deformer that does better than linear blend.
  std::string teacher;
  bool flesh = false;  // let body parts swing behind the bones besides, as add_flesh() proposes
  bool force = false;  // begin again where the folder holds examples
};

enum class Verdict {
  better,   // written
  mixed,    // nearer to the teacher, but worse by another figure: written, and told
  no_help,  // nothing was written
};

struct Improved {
  Verdict verdict = Verdict::no_help;
  std::string reason;                // one sentence
  std::vector<std::string> choices;  // what was decided on the way, and why: one sentence each
  TeachingPlan plan;
  std::string teacher;        // that was used
  FitOptions fit_options;     // by which the skin was learnt
  std::optional<FitJob> fit;  // none where nothing was learnt
  SkinComparison comparison;  // before: linear blend of the input
  double seconds = 0;
};

/// The share of linear blend's error that is left in poses that were held out, all kinds of them together.
double held_out_error(const FitJob& fit);

/// Writes options.output unless it cannot help. An error means that the file or the options are wrong.
Result<Improved> improve(const ImproveOptions& options, Work& work);

}  // namespace supple::workflow
