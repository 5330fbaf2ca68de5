// supple simulate: example poses from the elasticity of flesh.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/simulate/adaptive.h"
#include "cli/simulate/distil.h"
#include "cli/simulate/folder.h"
#include "cli/simulate/job.h"
#include "cli/simulate/report.h"
#include "supple/farm/local.h"
#include "supple/farm/slurm.h"
#include "supple/files/pose_plan_file.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

double peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

Outcome describe_only(const SimulateJob& job, const SimulateOptions& o, const Session& session) {
  Outcome outcome;
  outcome.json = report_json(job, o, {}, {}, session.warnings);
  const simulate::Simulation& s = job.simulation;
  std::size_t steps = 0;
  for (const Sweep& sweep : s.plan.sweeps) {
    Pose from = rest_pose(s.body.skeleton);
    for (const PlannedPose& planned : sweep.poses) {
      const Pose to = pose_of(planned, s.body.skeleton);
      steps += simulate::poses_between(from, to, s.walk.max_step).size();
      from = to;
    }
  }
  outcome.json["steps_planned"] = steps;
  outcome.json["poses_planned"] = s.plan.pose_count();
  outcome.text = fmt::format(
      "{} elements ({}), {} free nodes, {} bones{}; {} poses in {} sweeps, {} steps. Nothing was simulated.\n",
      s.tissue.mesh.element_count(), s.tissue.mesh.nodes_per_element == 4 ? "T4" : "T10", s.tissue.model.free_count(),
      s.body.bones.size(), s.body.capsules ? " (capsules)" : "", s.plan.pose_count(), s.plan.sweeps.size(), steps);
  return outcome;
}

std::vector<std::string> own_command(const Session& session) {
  std::vector<std::string> command = session.arguments;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) command[0] = self.string();
  return command;
}

/// Tasks elsewhere read the plan that this call has written, whatever becomes of the user's.
std::vector<std::string> task_command(const SimulateOptions& o, const Session& session) {
  std::vector<std::string> command = own_command(session);
  const std::string written = written_plan(o).string();
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i - 1] == "--plan") command[i] = written;
    if (command[i].starts_with("--plan=")) command[i] = "--plan=" + written;
  }
  return command;
}

Result<farm::Report> run_tasks(const SimulateJob& job, const SimulateOptions& o, Session& session) {
  const farm::TaskList tasks = tasks_of(job, task_command(o, session));
  if (o.engine == FarmEngine::local) return farm::run_local(tasks, {}, session.progress());
  farm::SlurmOptions slurm;
  slurm.folder = o.output;
  slurm.sbatch_options = o.slurm_options;
  slurm.max_running = o.slurm_jobs;
  slurm.poll = std::chrono::milliseconds(static_cast<long>(o.slurm_poll * 1000));
  slurm.settle = 4 * slurm.poll;
  return farm::run_slurm(tasks, slurm, session.progress());
}

Outcome summary(const SimulateOptions& o, const Json& report, bool stopped) {
  const auto count = [&](const char* key) { return report[key].get<std::size_t>(); };
  Outcome outcome;
  const std::string effort = count("steps") > 0
                                 ? fmt::format("{:.2f} Newton iterations and {:.2f} s a step; {} snapped, ",
                                               report["iterations_per_step"].get<double>(),
                                               report["solve_seconds_per_step"].get<double>(), count("snapped"))
                                 : std::string();  // another program's steps are not ours to count
  outcome.text =
      fmt::format("{}: {} of {} poses, {}{} with inverted elements, {} not converged; {:.0f} s, {:.0f} MB\n", o.output,
                  count("poses_finished"), count("poses_finished") + count("poses_missing"), effort, count("inverted"),
                  count("unconverged"), report["wall_seconds"].get<double>(), report["peak_memory_mb"].get<double>());
  if (const Json& curve = report["adaptive"]; !curve.empty()) {
    const Json &first = curve[0], &last = curve[curve.size() - 1];
    outcome.text +=
        fmt::format("Examples of several joints, left out: {:.3f} of linear blend's error with {}, {:.3f} with {}.\n",
                    first["left_out"].get<double>(), first["examples"].get<std::size_t>(),
                    last["left_out"].get<double>(), last["examples"].get<std::size_t>());
  }
  for (const Json& failure : report["failures"]) outcome.text += "failed: " + failure.get<std::string>() + "\n";
  if (count("poses_missing") > 0) {
    outcome.text +=
        fmt::format("{}. {}; the same command with --resume does the rest.\n", stopped ? "Stopped" : "Not complete",
                    count("poses_finished") > 0 ? "What is finished can be used" : "There is no set yet");
    outcome.exit_code = incomplete;
  }
  outcome.json = report;
  return outcome;
}

Result<Outcome> run(const SimulateOptions& o, Session& session) {
  const auto start = std::chrono::steady_clock::now();
  session.finish_on_interrupt();
  if (o.deformer != nullptr) return distil(o, session);
  if (o.task < 0 && !o.dry_run)
    if (auto usable = check_folder(o); !usable) return usable.error();
  auto job = prepare(o, session);
  if (!job && session.interrupted())
    return Outcome{"Stopped before anything was simulated.\n", Json::object(), incomplete};
  if (!job) return job.error();
  if (o.dry_run) return describe_only(*job, o, session);
  const simulate::Simulation& s = job->simulation;
  if (o.task >= 0) {
    const auto task = static_cast<std::size_t>(o.task);
    if (task >= s.plan.sweeps.size()) return Error{"--task " + std::to_string(task), "is not a sweep of the plan", ""};
    if (auto done = run_sweep(s, task, session.progress()); !done) return done.error();
    Outcome outcome;
    outcome.text = fmt::format("sweep {} '{}' is done\n", task, s.plan.sweeps[task].name);
    outcome.json = {{"task", task}, {"sweep", s.plan.sweeps[task].name}};
    return outcome;
  }
  if (auto opened = open_folder(o); !opened) return opened.error();
  std::error_code failed;
  if (fs::create_directories(s.folder, failed); failed)
    return Error{s.folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  RunFacts facts;
  facts.engine = o.engine == FarmEngine::local ? "local" : "slurm";
  Result<Gathered> gathered = Gathered{};
  const auto run_plan = [&] {
    facts.failures.clear();
    const auto written = write_pose_plan(written_plan(o), s.plan);
    const auto tasks = written ? run_tasks(*job, o, session) : Result<farm::Report>(written.error());
    gathered = gather(*job, o, session);
    if (tasks) {
      for (const farm::Failure& f : tasks->failures)
        facts.failures.push_back(s.plan.sweeps[f.task].name + ": " + f.error.message());
    } else {
      facts.failures.push_back(tasks.error().message());
    }
    return gathered && gathered->missing == 0 && facts.failures.empty();
  };
  if (run_plan() && o.adaptive > 0) {
    auto curve = run_adaptively(*job, o, start, run_plan, session);
    if (!curve) return curve.error();
    facts.curve = std::move(*curve);
  }
  facts.peak_memory = peak_memory();
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!gathered) {  // the poses are there, the set is not
    facts.failures.push_back(gathered.error().message() + "; finished poses are kept in " + s.folder.string());
    gathered = Gathered{{}, s.plan.pose_count()};
  }
  Json report = report_json(*job, o, *gathered, facts, session.warnings);
  const DrawSheet sheet = [&] { return pose_sheet(*job, *gathered, session.progress()); };
  write_reports(o, report, report_html, gathered->poses.empty() ? DrawSheet() : sheet, session);
  return summary(o, report, session.interrupted());
}

}  // namespace

void add_simulate(Command& app, Session& session) {
  add_command<SimulateOptions>(
      app, session, "simulate", "Simulate flesh over moving bones, or evaluate a costly skin: a set of example poses",
      "supple simulate hand.glb -o examples\n"
      "  supple simulate hand.glb -o examples --joints thumb-metacarpal --size 4 --order 2 --poisson .49\n"
      "  supple simulate body.glb -o examples --close --bones capsules --size 20 --joints LeftArm --range 60\n"
      "  supple simulate hand.glb -o examples --adaptive 150 --enough-error .1 --enough-minutes 60\n"
      "  supple simulate hand.glb -o examples --engine slurm --slurm-option=--partition=long\n"
      "  supple simulate muscles.glb -o examples --deformer kinodynamic",
      declare, run);
}

}  // namespace supple::cli
