#include "supple/workflow/jobs/simulate/simulate.h"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>

#include "supple/files/pose_plan_file.h"
#include "supple/workflow/jobs/simulate/folder.h"
#include "supple/workflow/jobs/simulate/run_tasks.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

double peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Tasks elsewhere read the plan that this call has written, whatever becomes of the user's.
std::vector<std::string> task_command(const SimulateOptions& o) {
  std::vector<std::string> command = o.task_command;
  const std::string written = written_plan(o).string();
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i - 1] == "--plan") command[i] = written;
    if (command[i].starts_with("--plan=")) command[i] = "--plan=" + written;
  }
  return command;
}

}  // namespace

Result<Simulated> simulate(const SimulateOptions& o, Work& work) {
  const auto start = std::chrono::steady_clock::now();
  if (auto usable = check_folder(o); !usable) return usable.error();
  auto job = prepare(o, work);
  if (!job) return job.error();
  if (auto opened = open_folder(o); !opened) return opened.error();
  const simulate::Simulation& s = job->simulation;
  std::error_code failed;
  if (fs::create_directories(s.folder, failed); failed)
    return Error{s.folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  SimulationRun run;
  run.back_end = o.farm.back_end == BackEnd::local ? "local" : "slurm";
  Result<Gathered> gathered = Gathered{};
  const auto run_plan = [&] {
    run.failures.clear();
    const auto written = write_pose_plan(written_plan(o), s.plan);
    const auto tasks = written ? run_tasks(tasks_of(*job, task_command(o)), o, within(work.progress, meshed, simulated))
                               : Result<farm::Report>(written.error());
    gathered = gather(*job, o, work);
    if (tasks) {
      for (const farm::Failure& f : tasks->failures)
        run.failures.push_back(s.plan.sweeps[f.task].name + ": " + f.error.message());
    } else {
      run.failures.push_back(tasks.error().message());
    }
    return gathered && gathered->missing == 0 && run.failures.empty();
  };
  if (run_plan() && o.adaptive > 0) {
    auto curve = run_adaptively(*job, o, start, run_plan, work);
    if (!curve) return curve.error();
    run.curve = std::move(*curve);
  }
  run.peak_memory = peak_memory();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!gathered) {  // the poses are there, the set is not
    run.failures.push_back(gathered.error().message() + "; finished poses are kept in " + s.folder.string());
    gathered = Gathered{{}, s.plan.pose_count()};
  }
  return Simulated{std::move(*job), std::move(*gathered), std::move(run)};
}

Result<std::string> simulate_sweep(const SimulateOptions& o, std::size_t sweep, Work& work) {
  const auto job = prepare(o, work);
  if (!job) return job.error();
  const simulate::Simulation& s = job->simulation;
  if (sweep >= s.plan.sweeps.size()) return Error{"--task " + std::to_string(sweep), "is not a sweep of the plan", ""};
  if (auto done = run_sweep(s, sweep, work.progress); !done) return done.error();
  return s.plan.sweeps[sweep].name;
}

std::size_t steps_of(const simulate::Simulation& s) {
  std::size_t steps = 0;
  for (const Sweep& sweep : s.plan.sweeps) {
    Pose from = rest_pose(s.body.skeleton);
    for (const PlannedPose& planned : sweep.poses) {
      const Pose to = pose_of(planned, s.body.skeleton);
      steps += simulate::poses_between(from, to, s.walk.max_step).size();
      from = to;
    }
  }
  return steps;
}

}  // namespace supple::workflow
