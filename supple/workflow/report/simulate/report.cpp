#include "supple/workflow/report/simulate/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "supple/author/simulate/sparse/front_kernel.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/simulate/sheet.h"

namespace supple::workflow {
namespace {

/// `unit`: metres of one of the file's.
Json mesh_json(const simulate::Tissue& t, const SimulateOptions& o, double unit) {
  const double to_mm = mm * unit;
  const TetQuality& q = t.quality;
  return {{"element_size_mm", o.volume_file.empty() ? Json(o.size_mm) : Json()},
          {"source", o.volume_file.empty() ? "isosurface stuffing" : o.volume_file},
          {"kind", t.mesh.nodes_per_element == 4 ? "T4" : "T10"},
          {"nodes", t.mesh.nodes.size()},
          {"free_nodes", t.model.free_count()},
          {"elements", t.mesh.element_count()},
          {"deforming_elements", t.model.mesh().element_count()},
          {"dropped_elements", t.dropped_elements},
          {"volume_ml", q.volume * 1e6 * unit * unit * unit},
          {"min_dihedral_degrees", q.min_dihedral_degrees},
          {"max_dihedral_degrees", q.max_dihedral_degrees},
          {"first_percentile_degrees", q.first_percentile_degrees},
          {"dihedral_histogram", q.dihedral_histogram},
          {"skin_vertices_outside", t.skin_error.count_outside},
          {"skin_max_outside_mm", t.skin_error.max_distance * to_mm},
          {"skin_max_outside_vertex", t.skin_error.worst_point},
          {"skin_rms_outside_mm", t.skin_error.rms * to_mm}};
}

Json bones_json(const simulate::Simulation& s) {
  Json bones = Json::array();
  for (std::size_t b = 0; b < s.body.bones.size(); ++b)
    bones.push_back({{"joint", s.body.skeleton.name(s.body.bones[b].joint)}, {"nodes", s.tissue.nodes_of_bone[b]}});
  return bones;
}

/// Joints nearest to inverted elements.
Json joint_names(const simulate::Simulation& s, const PoseOutcome& p) {
  Json names = Json::array();
  if (p.sound)
    for (const JointIndex j : p.sound->joints) names.push_back(s.body.skeleton.name(j));
  return names;
}

Json pose_json(const simulate::Simulation& s, const PoseOutcome& p, double to_mm) {
  double angle = 0;
  int indefinite = 0, halvings = 0;
  for (const simulate::StepReport& step : p.report.steps) {
    angle += step.angle;
    indefinite += step.newton.indefinite;
    halvings += step.newton.halvings;
  }
  return {{"name", s.plan.sweeps[p.sweep].poses[p.pose].name},
          {"sweep", s.plan.sweeps[p.sweep].name},
          {"role", s.plan.sweeps[p.sweep].poses[p.pose].role == Role::train ? "train" : "test"},
          {"turned_degrees", angle * degrees},
          {"steps", p.report.steps.size()},
          {"iterations", p.report.iterations()},
          {"line_search_halvings", halvings},
          {"indefinite", indefinite},
          {"seconds", p.report.seconds},
          {"inverted_elements", p.report.health.inverted},
          {"min_det", p.report.health.min_det},
          {"min_det_element", p.report.health.worst},
          {"blended_skin", p.sound ? p.sound->blended : 0},
          {"inverted_near", joint_names(s, p)},
          {"volume_change", p.volume_change},
          {"touching_vertices", p.report.contacts},
          {"overlap_mm", p.report.overlap * to_mm},
          {"flags", p.flags}};
}

}  // namespace

Json simulated_json(const Simulated& simulated, const SimulateOptions& o, const Warnings& warnings) {
  const auto& [job, gathered, run] = simulated;
  const simulate::Simulation& s = job.simulation;
  const double to_mm = mm * job.unit;
  std::size_t steps = 0, iterations = 0, snapped = 0, inverted = 0, unconverged = 0;
  double seconds = 0, worst_volume = 0;
  std::string worst_pose, deepest_pose;
  std::size_t touching = 0;
  double deepest = 0;
  Json poses = Json::array();
  for (const PoseOutcome& p : gathered.poses) {
    steps += p.report.steps.size();
    iterations += static_cast<std::size_t>(p.report.iterations());
    seconds += p.report.seconds;
    snapped += p.has("snapped");
    inverted += p.has("inverted");
    unconverged += p.has("unconverged");
    if (std::abs(p.volume_change) > std::abs(worst_volume) || worst_pose.empty()) {
      worst_volume = p.volume_change;
      worst_pose = s.plan.sweeps[p.sweep].poses[p.pose].name;
    }
    touching += p.report.contacts > 0;
    if (p.report.overlap > deepest) {
      deepest = p.report.overlap;
      deepest_pose = s.plan.sweeps[p.sweep].poses[p.pose].name;
    }
    poses.push_back(pose_json(s, p, to_mm));
  }
  Json near = Json::array();
  for (const auto& [joint, number] : gathered.partial_near) near.push_back({{"joint", joint}, {"poses", number}});
  Json curve = Json::array();
  for (const AdaptivePoint& p : run.curve) curve.push_back({{"examples", p.examples}, {"left_out", p.left_out}});
  const double n = std::max<double>(1, static_cast<double>(steps));
  return {{"model", o.input},
          {"engine", run.back_end},
          {"poses_finished", gathered.poses.size()},
          {"poses_missing", gathered.missing},
          {"sweeps", s.plan.sweeps.size()},
          {"steps", steps},
          {"iterations", iterations},
          {"iterations_per_step", static_cast<double>(iterations) / n},
          {"solve_seconds_per_step", seconds / n},
          {"solve_seconds", seconds},
          {"wall_seconds", run.seconds},
          {"peak_memory_mb", run.peak_memory / 1e6},
          {"snapped", snapped},
          {"inverted", inverted},
          {"unconverged", unconverged},
          {"partial", gathered.partial()},
          {"partial_near", std::move(near)},
          {"partial_sentence", gathered.partial_sentence()},
          {"held_out_planned", gathered.held_out},
          {"held_out_without_teacher", gathered.held_out_without_teacher},
          {"worst_volume_change", worst_volume},
          {"worst_volume_pose", worst_pose},
          {"contact_distance_mm", s.walk.contact ? Json(s.walk.contact->distance * to_mm) : Json()},
          {"poses_with_contact", touching},
          {"deepest_overlap_mm", deepest * to_mm},
          {"deepest_overlap_pose", deepest_pose},
          {"bones", bones_json(s)},
          {"bones_are_capsules", s.body.capsules},
          {"cut_ends", s.body.cuts.size()},
          {"vector_instructions", simulate::front_kernel().name},
          {"mesh", mesh_json(s.tissue, o, job.unit)},
          {"adaptive", std::move(curve)},
          {"failures", run.failures},
          {"warnings", warnings},
          {"poses", std::move(poses)}};
}

Json report_simulated(const Simulated& simulated, const SimulateOptions& o, bool pictures, Work& work) {
  Json report = simulated_json(simulated, o, work.warnings);
  const DrawSheet sheet = [&] { return pose_sheet(simulated, work.progress); };
  write_reports(o.output, report, simulated_html, pictures && !simulated.gathered.poses.empty() ? sheet : DrawSheet(),
                work);
  return report;
}

}  // namespace supple::workflow
