// What is told of a fit by pose space deformation: the facts as JSON, and the report that people read.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "supple/workflow/jobs/fit/pose_space.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

using html::escaped;
using html::fact;

Json pose_json(const learn::PoseError& e, learn::Group group, const Fit& fit) {
  const ExampleSet& set = fit.set;
  const double to_mm = fit.millimetres();
  const auto vertices = static_cast<double>(set.vertices());
  return {{"name", set.examples[e.example].name},
          {"role", group == learn::Group::train ? "train" : "test"},
          {"joints_moved", e.moved},
          {"relative", e.relative()},
          {"rms_mm", std::sqrt(e.squared / vertices) * to_mm},
          {"blend_rms_mm", std::sqrt(e.blend_squared / vertices) * to_mm},
          {"largest_mm", e.largest * to_mm},
          {"largest_vertex", e.vertex}};
}

std::string facts_table(const Json& f) {
  std::string rows = fact("File", fmt::format("{}, part {} of {} vertices", escaped(f["file"]), escaped(f["part"]),
                                              f["vertices"].get<std::size_t>()));
  rows += fact("Learnt from", fmt::format("{} and {}, in {:.2f} s", escaped(f["model"]), escaped(f["examples"]),
                                          f["train_seconds"].get<double>()));
  rows += fact("Method", escaped(f["method_name"]) + fmt::format(": influence of joints {}, radius {:.0f}°",
                                                                 f["influence"].get<std::string>(),
                                                                 f["pose_radius_degrees"].get<double>()));
  rows += fact("Morph targets", fmt::format("{}, one for each training example", f["targets"].get<std::size_t>()));
  std::string joints;
  for (const Json& name : f["joints"]) joints += (joints.empty() ? "" : ", ") + escaped(name);
  rows += fact("Joints that count", joints);
  rows += teacher_facts(f["teacher"]);
  rows += fact("Worst vertex", worst_of_all(f["errors"]));
  if (f.contains("blend_rms_before_refinement_mm"))
    rows += fact("Skin weights", fmt::format("were refined; linear blend missed the examples by {:.3f} mm RMS before",
                                             f["blend_rms_before_refinement_mm"].get<double>()));
  rows += fact(
      "Size", fmt::format("{:.2f} MB, of it the examples' shapes; they came as {:.2f} MB",
                          f["size"]["file_bytes"].get<double>() / 1e6, f["size"]["example_bytes"].get<double>() / 1e6));
  return html::facts(rows);
}

std::string poses_table(const Json& poses) {
  html::Table table(
      {{"pose"}, {"role"}, {"RMS, mm", true}, {"linear blend", true}, {"share", true}, {"largest, mm", true}});
  for (const Json& p : poses)
    table.add({escaped(p["name"]), escaped(p["role"]), fmt::format("{:.4f}", p["rms_mm"].get<double>()),
               fmt::format("{:.4f}", p["blend_rms_mm"].get<double>()),
               fmt::format("{:.3f}", p["relative"].get<double>()),
               fmt::format("{:.3f}", p["largest_mm"].get<double>())});
  return "<h2>Every pose</h2>\n" + table.text();
}

/// Without a way to draw, a note takes their place.
Result<std::string> pictures(const PoseSpaceFit& fit, Work& work) {
  auto drawn = SkinPictures::open(fit.original, fit.part);
  if (drawn) return pictures_of_errors(fit, *drawn, work.progress);
  work.warnings.push_back("the report has no pictures: " + drawn.error().message());
  return "<p class='note'>Nothing could be drawn here: " + escaped(drawn.error().message()) + "</p>\n";
}

}  // namespace

Json fit_json(const PoseSpaceFit& fit, const FitOptions& o, std::size_t file_bytes, const Warnings& warnings) {
  const Character& character = fit.model.character();
  Json json = {{"file", o.output},
               {"model", o.model},
               {"examples", o.examples},
               {"part", character.parts[fit.part].name},
               {"vertices", fit.set.vertices()},
               {"method", o.method == FitMethod::psd ? "psd" : "wpsd"},
               {"method_name", fit.method},
               {"influence", name_of(fit.space.influence)},
               {"pose_radius_degrees", double{fit.space.radius} * degrees},
               {"targets", fit.space.targets()},
               {"train_seconds", fit.seconds}};
  json["joints"] = Json::array();
  for (const JointIndex j : fit.space.joints) json["joints"].push_back(character.skeleton.name(j));
  json["teacher"] = teacher_json(fit.set);
  json["errors"] = groups_json(fit.errors, fit);
  json["errors_by_tag"] = tags_json(fit);
  json["errors_elsewhere"] = groups_json(fit.elsewhere, fit);
  json["poses"] = Json::array();
  for (std::size_t g = 0; g < fit.poses.size(); ++g)
    for (const learn::PoseError& e : fit.poses[g])
      json["poses"].push_back(pose_json(e, static_cast<learn::Group>(g), fit));
  if (fit.refined_from > 0) {
    json["blend_rms_before_refinement_mm"] = fit.refined_from * fit.millimetres();
    json["blend_rms_after_refinement_mm"] = fit.refined_to * fit.millimetres();
  }
  json["size"] = size_json(fit, file_bytes);
  json["engines"] = engines_json(character);
  json["warnings"] = warnings;
  return json;
}

Result<std::string> fit_html(const PoseSpaceFit& fit, const FitOptions& o, const Json& f, bool with_pictures,
                             Work& work) {
  std::string body = verdict(f);
  if (with_pictures) {
    const auto drawn = pictures(fit, work);
    if (!drawn) return drawn.error();
    body += *drawn;
  }
  body += "<h2>In numbers</h2>\n" + facts_table(f) + errors_table(f["errors"]) + tags_table(f["errors_by_tag"]) +
          html::list("Warnings", f["warnings"]);
  if (o.method == FitMethod::wpsd)
    body +=
        "<h2>In programs that know morph weights alone</h2>\n<p>They show plain PSD, from the file's weight "
        "tracks: the same weights for all vertices.</p>\n" +
        errors_table(f["errors_elsewhere"]);
  body += poses_table(f["poses"]) + engines_table(f);
  return html::page("Skin learnt for " + std::filesystem::path(o.model).filename().string(), body);
}

}  // namespace supple::workflow
