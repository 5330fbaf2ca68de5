// What a simulation is told.
#pragma once

#include <string>
#include <vector>

#include "supple/author/simulate/simulation.h"
#include "supple/rig/deformers.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {

enum class BackEnd { local, slurm };
enum class FleshSolver { cholesky, cholmod, calculix };

/// The place that runs the tasks of a simulation, and its settings.
struct FarmOptions {
  BackEnd back_end = BackEnd::local;
  std::vector<std::string> slurm_options;  // for sbatch
  unsigned slurm_jobs = 0;                 // at once at most; 0: no limit
  double slurm_poll = 3;                   // seconds
};

struct SimulateOptions {
  std::string input, output;
  /// What the poses' skins come from: a deformer of the file, to be had cheaply from then on; null: flesh in
  /// equilibrium.
  const DeformerKind* deformer = nullptr;
  bool lattice = false;      // elastic flesh on a lattice instead of elements over bones: see teach_lattice()
  std::size_t cells = 8000;  // of the lattice, about
  bool all_poses = false;    // with the lattice: all that full_plan() has, whatever `plan` says
  std::string plan_file;
  PlanOptions plan;

  simulate::BodyOptions body;
  std::string volume_file;  // elements from a volume mesher
  double volume_scale = 1;  // metres per unit of that file
  /// Metres that one unit of the character's file is, by which lengths in millimetres and metres here become its own;
  /// 0: as the file says or its size suggests, see settle_unit().
  double unit = 1;
  double size_mm = 5;
  int order = 1;
  std::vector<std::string> materials;  // "YOUNG,POISSON" of each region
  double poisson = 0.47;
  simulate::Law law = simulate::Law::stable_neo_hookean;
  double max_elements = 2e6;

  int adaptive = 0;           // poses to choose by what the examples so far lack
  int batch = 25;             // of them between two looks
  double enough_error = 0;    // stop when examples left out come out better
  double enough_minutes = 0;  // no new batch after that; 0: no limit

  bool contact = true;
  double contact_distance_mm = 0;  // 0: a tenth of the elements' edges
  double step_degrees = 7.5;
  double tolerance_mm = 5e-3;
  FleshSolver solver = FleshSolver::cholesky;

  FarmOptions farm;
  bool resume = false, force = false;
  /// Do only this sweep, or with the lattice this batch of poses: how jobs of a cluster are started.
  long long task = -1;
  std::string poses_file;                 // with the lattice, of a task: poses that the call that started it has chosen
  std::vector<std::string> task_command;  // that does one task elsewhere, once "--task N" is added
};

/// One material for each region of the flesh.
Result<std::vector<simulate::Material>> materials_of(const SimulateOptions& options);

}  // namespace supple::workflow
