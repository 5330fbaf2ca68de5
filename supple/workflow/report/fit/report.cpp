#include "supple/workflow/report/fit/report.h"

#include <algorithm>
#include <map>

#include "supple/files/engines.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/fit/learning_curve.h"
#include "supple/workflow/jobs/units.h"

namespace supple::workflow {
namespace {

Json summary_json(const learn::ErrorSummary& s, const Fit& fit) {
  const ExampleSet& set = fit.set;
  const double to_mm = fit.millimetres();
  if (s.examples == 0) return {{"examples", 0}};
  return {{"examples", s.examples},
          {"relative", s.relative},
          {"mean_relative", s.mean_relative},
          {"worst_relative", s.worst_relative},
          {"worse_examples", s.worse_examples},
          {"worst_example", set.examples[s.worst_example].name},
          {"rms_mm", s.rms * to_mm},
          {"blend_rms_mm", s.blend_rms * to_mm},
          {"largest_mm", s.largest * to_mm},
          {"largest_example", set.examples[s.largest_example].name},
          {"largest_vertex", s.largest_vertex},
          {"worse_than_blend_mm", s.worse * to_mm},
          {"worse_than_blend_example", set.examples[s.worse_example].name},
          {"worse_than_blend_vertex", s.worse_vertex},
          {"normal_degrees", s.normal * degrees},
          {"blend_normal_degrees", s.blend_normal * degrees}};
}

Json curve_json(const std::vector<CurvePoint>& curve, const Fit& fit) {
  Json list = Json::array();
  for (const CurvePoint& p : curve) {
    Json point = groups_json(p.groups, fit);
    point["modes"] = p.modes;
    list.push_back(std::move(point));
  }
  return list;
}

Json correction_json(const learn::Correction& c, const Fit& fit) {
  const std::size_t vertices = fit.set.vertices();
  Json json = {{"name", c.driver.name},
               {"examples", c.examples.size()},
               {"support_vertices", c.support.vertices.size()},
               {"support_share", static_cast<double>(c.support.vertices.size()) / static_cast<double>(vertices)},
               {"modes", c.kept},
               {"normal_modes", c.kept_normals},
               {"singular_values_mm", Json::array()},
               {"normal_singular_values", c.normal_singular_values}};
  if (c.driver.kernel != RbfKernel::pose) json["radius_degrees"] = double{c.driver.radius} * degrees;
  for (const double s : c.singular_values) json["singular_values_mm"].push_back(s * fit.millimetres());
  if (c.left_out) json["left_out"] = *c.left_out;
  return json;
}

/// Modes that move a vertex: the cost of the frame loop.
Json cost_json(const FitJob& job) {
  std::vector<std::size_t> positions(job.set.vertices()), normals(positions);
  const Part& part = job.learnt.parts[job.part];
  const std::size_t first = part.morphs.size() - job.attached.targets.size();
  for (std::size_t t = 0; t < job.attached.targets.size(); ++t) {
    const MorphTarget& target = part.morphs[first + t];
    for (const std::uint32_t v : target.vertices) {
      positions[v] += target.positions.empty() ? 0 : 1;
      normals[v] += target.normals.empty() ? 0 : 1;
    }
  }
  const auto mean = [](const std::vector<std::size_t>& counts) {
    double sum = 0;
    for (const std::size_t n : counts) sum += static_cast<double>(n);
    return sum / static_cast<double>(counts.size());
  };
  return {{"position_modes_per_vertex_mean", mean(positions)},
          {"position_modes_per_vertex_most", *std::max_element(positions.begin(), positions.end())},
          {"normal_modes_per_vertex_mean", mean(normals)},
          {"normal_modes_per_vertex_most", *std::max_element(normals.begin(), normals.end())}};
}

}  // namespace

namespace {
Json kernel_json(const FitJob& job) {
  const learn::Correction& c = job.skin.corrections[0];
  return {{"left_out", *c.left_out},
          {"joints", c.driver.joints.size()},
          {"pairs", c.driver.pairs.size()},
          {"centres", c.driver.centre_count()},
          {"reach", job.kernel->reach},
          {"pair_weight", job.kernel->pair_weight},
          {"noise", job.kernel->noise},
          {"joint_noise", job.kernel->joint_noise},
          {"touch_noise", job.kernel->touch_noise}};
}
}  // namespace

Json groups_json(const std::array<learn::ErrorSummary, 3>& groups, const Fit& fit) {
  return {{"train", summary_json(groups[0], fit)},
          {"held_out_single", summary_json(groups[1], fit)},
          {"held_out_several", summary_json(groups[2], fit)}};
}

Json tags_json(const Fit& fit) {
  std::map<std::string, std::vector<learn::PoseError>> tagged;
  for (const learn::Group g : {learn::Group::held_out_single, learn::Group::held_out_several})
    for (const learn::PoseError& e : fit.poses[static_cast<std::size_t>(g)])
      for (const std::string& tag : fit.set.examples[e.example].tags) tagged[tag].push_back(e);
  Json json = Json::object();
  for (const auto& [tag, errors] : tagged)
    json[tag] = summary_json(learn::summarize(errors, fit.set.vertices(), 0), fit);
  return json;
}

Json teacher_json(const ExampleSet& set) {
  const ExampleCounts counts = count_examples(set);
  const auto partial = counts.flags.find(partial_flag);
  return {{"training", counts.train},
          {"training_without_teacher", counts.left_out - counts.left_out_test},
          {"held_out_planned", counts.test},
          {"held_out_without_teacher", counts.left_out_test},
          {"partial", partial == counts.flags.end() ? 0 : partial->second}};
}

Json size_json(const Fit& fit, std::size_t file_bytes) {
  const auto vertices = static_cast<double>(fit.set.vertices());
  return {{"file_bytes", file_bytes},
          {"file_bytes_per_vertex", static_cast<double>(file_bytes) / vertices},
          {"example_bytes", fit.set_bytes},
          {"example_bytes_per_vertex", static_cast<double>(fit.set_bytes) / vertices},
          {"times_smaller", static_cast<double>(fit.set_bytes) / static_cast<double>(file_bytes)}};
}

Json engines_json(const Character& character) {
  Json json = Json::object();
  for (const Engine& e : engines()) json[std::string(e.name)] = exceeded_limits(e, character);
  return json;
}

Json fit_json(const FitJob& job, const FitOptions& o, std::size_t file_bytes, const Warnings& warnings) {
  const Character& character = job.model.character();
  Json json = {{"file", o.output},
               {"model", o.model},
               {"examples", o.examples},
               {"part", job.input.parts[job.part].name},
               {"vertices", job.set.vertices()},
               {"method", job.method},
               {"targets", job.attached.targets.size()},
               {"modes", job.skin.order.size() - job.details},
               {"modes_within_budget", job.granted},
               {"details", job.details},
               {"modes_chosen_by", job.chosen_by},
               {"train_seconds", job.seconds}};
  json["teacher"] = teacher_json(job.set);
  json["errors"] = groups_json(job.errors, job);
  json["errors_by_tag"] = tags_json(job);
  if (job.kernel) json["kernel"] = kernel_json(job);
  if (!job.by_modes_per_joint.empty()) json["by_modes_per_joint"] = curve_json(job.by_modes_per_joint, job);
  json["by_modes"] = curve_json(job.by_targets, job);
  for (const LearningPoint& p : job.by_examples) {
    Json point = groups_json(p.groups, job);
    point["examples"] = p.examples;
    point["left_out"] = p.left_out;
    json["by_examples"].push_back(std::move(point));
  }
  if (const auto twice = with_twice_as_many(job.by_examples)) json["error_with_twice_as_many_examples"] = *twice;
  if (!job.kernel) {
    const learn::BorderStep& border = job.skin.border;
    json["border_step"] = {{"mm", border.size * job.millimetres()},
                           {"joint", job.skin.corrections[border.correction].driver.name},
                           {"example", job.set.examples[border.example].name},
                           {"vertex", border.vertex}};
  }
  json["corrections"] = Json::array();
  for (const learn::Correction& c : job.skin.corrections) json["corrections"].push_back(correction_json(c, job));
  json["still_joints"] = Json::array();
  for (const JointIndex j : job.skin.still) json["still_joints"].push_back(character.skeleton.name(j));
  if (job.refined_from > 0) {
    json["blend_rms_before_refinement_mm"] = job.refined_from * job.millimetres();
    json["blend_rms_after_refinement_mm"] = job.refined_to * job.millimetres();
  }
  json["size"] = size_json(job, file_bytes);
  json["cost"] = cost_json(job);
  json["engines"] = engines_json(character);
  json["warnings"] = warnings;
  return json;
}

}  // namespace supple::workflow
