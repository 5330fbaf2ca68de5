#include "supple/workflow/jobs/simulate/run_tasks.h"

#include "supple/farm/local.h"
#include "supple/farm/slurm.h"

namespace supple::workflow {

Result<farm::Report> run_tasks(const farm::TaskList& tasks, const SimulateOptions& o, const Progress& progress) {
  if (o.farm.back_end == BackEnd::local) return farm::run_local(tasks, {}, progress);
  if (o.task_command.empty()) return Error{"back-end slurm", "is not told what to run there", "give a task_command"};
  farm::SlurmOptions slurm;
  slurm.folder = o.output;
  slurm.sbatch_options = o.farm.slurm_options;
  slurm.max_running = o.farm.slurm_jobs;
  slurm.poll = std::chrono::milliseconds(static_cast<long>(o.farm.slurm_poll * 1000));
  slurm.settle = 4 * slurm.poll;
  return farm::run_slurm(tasks, slurm, progress);
}

}  // namespace supple::workflow
