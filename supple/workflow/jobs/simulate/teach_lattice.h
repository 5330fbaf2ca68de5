// Examples from elastic flesh on a lattice, which any rigged character has: see author/lattice.
#pragma once

#include "supple/author/lattice/lattice_teacher.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/simulate/options.h"
#include "supple/workflow/jobs/simulate/teaching_pose.h"

namespace supple::workflow {

/// What became of one pose.
struct LatticePose {
  lattice::PoseConvergence convergence;
  double farthest = 0;  // units of the file between linear blend and the teacher, at the vertex where it is most
};

struct LatticeTaught {
  Model model;                        // as it was read, without what was learnt before
  std::vector<std::size_t> parts;     // of the model, that the examples show
  std::vector<TeachingPose> poses;    // that were asked for, without those below
  std::size_t absurd = 0;             // poses that were left out: see below
  std::vector<LatticePose> outcomes;  // of the first of them, which are in the set
  std::size_t missing = 0;            // of the others: stopped before
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
/// Poses the skin of options.input by a lattice of options.cells and writes an ordinary example set to options.output.
/// A run that was stopped goes on after its last pose with options.resume. `poses` of the character in the file; none:
/// those of the plan that options name, or all_poses.
Result<LatticeTaught> teach_lattice(const SimulateOptions& options, std::vector<TeachingPose> poses, Work& work);

}  // namespace supple::workflow
