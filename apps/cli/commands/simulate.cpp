// supple simulate: example poses from the elasticity of flesh.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/simulate_options.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/report/simulate/report.h"

namespace supple::cli {
namespace {

using workflow::SimulateOptions;

/// Meshes the body, and tells what would be done.
Result<Outcome> describe_only(const SimulateCommand& o, Session& session) {
  auto job = workflow::prepare(o, session);
  if (!job) return job.error();
  const workflow::Simulated nothing_yet{std::move(*job), {}, {}};
  const simulate::Simulation& s = nothing_yet.job.simulation;
  Outcome outcome;
  outcome.json = workflow::simulated_json(nothing_yet, o, session.warnings);
  const std::size_t steps = workflow::steps_of(s);
  outcome.json["steps_planned"] = steps;
  outcome.json["poses_planned"] = s.plan.pose_count();
  outcome.text = fmt::format(
      "{} elements ({}), {} free nodes, {} bones{}; {} poses in {} sweeps, {} steps. Nothing was simulated.\n",
      s.tissue.mesh.element_count(), s.tissue.mesh.nodes_per_element == 4 ? "T4" : "T10", s.tissue.model.free_count(),
      s.body.bones.size(), s.body.capsules ? " (capsules)" : "", s.plan.pose_count(), s.plan.sweeps.size(), steps);
  return outcome;
}

std::vector<std::string> own_command(const Session& session) {
  std::vector<std::string> command = session.program;
  command.insert(command.end(), session.arguments.begin(), session.arguments.end());
  return command;
}

Result<void> refuse_tissue_options(const SimulateCommand& o) {
  const auto refuse = [&](const std::vector<Option>& options, const char* about,
                          const char* deformers) -> Result<void> {
    for (const Option& option : options)
      if (option.given())
        return Error{option.name(),
                     fmt::format("{}, not --deformer {}", about, o.lattice ? "lattice" : o.deformer->teacher),
                     fmt::format("leave it out, or use --deformer {}", deformers)};
    return {};
  };
  if (auto fits = refuse(o.tissue_only, "is about simulated tissue", "tissue"); !fits || o.lattice) return fits;
  return refuse(o.flesh_only, "is about simulated flesh", "tissue or lattice");
}

Outcome summary(const SimulateCommand& o, const Json& report, bool stopped) {
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
  if (count("partial") > 0) outcome.text += report["partial_sentence"].get<std::string>() + "\n";
  if (count("held_out_without_teacher") > 0)
    outcome.text += workflow::held_out_sentence(count("held_out_without_teacher"), count("held_out_planned")) + "\n";
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

/// `remedy`: what the same command does with which option where poses are missing.
void tell_what_is_next(const Json& report, const char* remedy, Outcome& outcome) {
  if (report["poses_missing"].get<std::size_t>() > 0) {
    outcome.text += fmt::format("Not complete; the same command with {}.\n", remedy);
    outcome.exit_code = incomplete;
  }
  if (report["poses_finished"].get<std::size_t>() > 0)
    outcome.text += "next, a plain file, and how far it is from this in poses that were held out:\n  " +
                    report["fit_command"].get<std::string>() + "\n";
}

Outcome taught_summary(const SimulateCommand& o, const Json& report) {
  const auto count = [&](const char* key) { return report[key].get<std::size_t>(); };
  Outcome outcome;
  outcome.json = report;
  outcome.text =
      fmt::format("{}: {} of {} poses, {:.0f} ms each; ", o.output, count("poses_finished"),
                  count("poses_finished") + count("poses_missing"), report["seconds_per_pose"].get<double>() * 1000);
  if (!report["worst_volume_change"].is_null())
    outcome.text += fmt::format("volume at most {:+.3f} % ('{}'), ", report["worst_volume_change"].get<double>() * 100,
                                report["worst_volume_pose"].get<std::string>());
  outcome.text +=
      count("intersecting_poses") == 0
          ? "no pose cuts through itself\n"
          : fmt::format("{} cut through themselves, most of all '{}' with {} triangles\n", count("intersecting_poses"),
                        report["most_intersecting_pose"].get<std::string>(), count("most_intersecting_triangles"));
  tell_what_is_next(report, "--force begins again", outcome);
  return outcome;
}

Result<Outcome> run_task(const SimulateCommand& o, Session& session) {
  const auto task = static_cast<std::size_t>(o.task);
  const auto sweep = workflow::simulate_sweep(o, task, session);
  if (!sweep) return sweep.error();
  Outcome outcome;
  outcome.text = fmt::format("sweep {} '{}' is done\n", task, *sweep);
  outcome.json = {{"task", task}, {"sweep", *sweep}};
  return outcome;
}

Result<Outcome> run_deformer(const SimulateCommand& o, Session& session) {
  if (auto fits = refuse_tissue_options(o); !fits) return fits.error();
  const auto taught = workflow::teach(o, session);
  if (!taught) return taught.error();
  return taught_summary(o, workflow::report_taught(*taught, o, !o.no_pictures, session));
}

Outcome lattice_summary(const SimulateCommand& o, const Json& report) {
  const auto count = [&](const char* key) { return report[key].get<std::size_t>(); };
  Outcome outcome;
  outcome.json = report;
  outcome.text = fmt::format("{}: {} of {} poses, {:.0f} ms each, by {} cells; {} had not quite come to rest\n",
                             o.output, count("poses_finished"), count("poses_finished") + count("poses_missing"),
                             report["seconds_per_pose"].get<double>() * 1000, count("cells"), count("unconverged"));
  for (const Json& failure : report["failures"]) outcome.text += "failed: " + failure.get<std::string>() + "\n";
  tell_what_is_next(report, "--resume does the rest", outcome);
  return outcome;
}

Result<Outcome> run_lattice(const SimulateCommand& o, Session& session) {
  if (auto fits = refuse_tissue_options(o); !fits) return fits.error();
  SimulateOptions options = o;
  options.all_poses = std::ranges::none_of(o.plan_options, [](const Option& option) { return option.given(); });
  if (o.task >= 0) {
    const auto solved = workflow::teach_lattice_batch(options, session);
    if (!solved) return solved.error();
    return Outcome{fmt::format("batch {} is done, {} poses\n", o.task, *solved),
                   {{"task", o.task}, {"poses", *solved}}};
  }
  options.task_command = own_command(session);
  const auto taught = workflow::teach_lattice(options, {}, session);
  if (!taught) return taught.error();
  return lattice_summary(o, workflow::report_lattice(*taught, o, !o.no_pictures, session));
}

Result<Outcome> run(const SimulateCommand& o, Session& session) {
  session.finish_on_interrupt();
  const auto or_stopped = [&](Result<Outcome> outcome) -> Result<Outcome> {
    if (outcome || !session.stopped()) return outcome;
    return Outcome{"Stopped before anything was simulated.\n", Json::object(), incomplete};
  };
  if (o.lattice) return or_stopped(run_lattice(o, session));
  if (o.deformer != nullptr) return run_deformer(o, session);
  if (o.dry_run) return or_stopped(describe_only(o, session));
  if (o.task >= 0) return or_stopped(run_task(o, session));
  SimulateOptions options = o;
  options.task_command = own_command(session);
  const auto simulated = workflow::simulate(options, session);
  if (!simulated) return or_stopped(simulated.error());
  return summary(o, workflow::report_simulated(*simulated, o, !o.no_pictures, session), session.stopped());
}

}  // namespace

void add_simulate(Command& app, Session& session) {
  add_command<SimulateCommand>(
      app, session, "simulate", "Simulate flesh over moving bones, or evaluate a costly skin: a set of example poses",
      "supple simulate hand.glb -o examples\n"
      "  supple simulate hand.glb -o examples --joints thumb-metacarpal --size 4 --order 2 --poisson .49\n"
      "  supple simulate body.glb -o examples --close --bones capsules --size 20 --joints LeftArm --range 60\n"
      "  supple simulate hand.glb -o examples --adaptive 150 --enough-error .1 --enough-minutes 60\n"
      "  supple simulate hand.glb -o examples --back-end slurm --slurm-option=--partition=long\n"
      "  supple simulate body.glb -o examples --deformer lattice\n"
      "  supple simulate muscles.glb -o examples --deformer kinodynamics",
      declare, run);
}

}  // namespace supple::cli
