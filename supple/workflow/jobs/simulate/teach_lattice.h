// Examples from elastic flesh on a lattice, which any rigged character has: see author/lattice.
#pragma once

#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/simulate/lattice_batches.h"
#include "supple/workflow/jobs/simulate/options.h"
#include "supple/workflow/jobs/simulate/teaching_pose.h"

namespace supple::workflow {

struct LatticeTaught {
  Model model;                        // as it was read, without what was learnt before
  std::vector<std::size_t> parts;     // of the model, that the examples show
  std::vector<TeachingPose> poses;    // that are in the set
  std::vector<LatticePose> outcomes;  // #poses
  std::size_t absurd = 0;             // poses that were left out: see below
  std::size_t missing = 0;            // poses that were stopped or failed
  std::vector<std::string> failures;  // why poses are missing that nobody stopped
  std::size_t vertices = 0, elastic_vertices = 0, hard_pieces = 0, cells = 0;
  double seconds = 0;  // of making the lattice and posing

  /// A step of the solver, in edges of a cell, above which a pose counts as unconverged: it is off by a few of them.
  static constexpr float unconverged_step = 0.1f;
  std::size_t unconverged() const;
  double farthest() const;  // over all poses
};

/// Frames of clips count most: of any other pose the weight is lowered as far as linear blend stretches the skin more
/// in it than in the clips. Where linear blend stretches it more than in any frame, by half as much again, the rig was
/// not made for that pose, and it is left out.
///
/// Poses the skin of options.input by a lattice of options.cells, in batches as tasks of a farm, and writes an ordinary
/// example set of all that are finished to options.output. With options.resume, only batches that are not there yet are
/// solved. `poses` of the character in the file; none: those of the plan that options name, or all_poses.
Result<LatticeTaught> teach_lattice(const SimulateOptions& options, std::vector<TeachingPose> poses, Work& work);

/// Solves batch options.task alone, for a call elsewhere to gather. Returns how many poses it has.
Result<std::size_t> teach_lattice_batch(const SimulateOptions& options, Work& work);

}  // namespace supple::workflow
