#include "supple/workflow/report/improve/report.h"

#include <fmt/core.h>

#include <filesystem>

#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/fit/report.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {
namespace {

const char* word_of(Verdict verdict) {
  if (verdict == Verdict::better) return "better";
  return verdict == Verdict::mixed ? "mixed" : "no help";
}

const char* word_of(LimitSource source) {
  switch (source) {
    case LimitSource::rig:
      return "the limits of the rig";
    case LimitSource::anatomy:
      return "the usual ranges of a body's joints, and its clips";
    case LimitSource::clips:
      return "the angles its clips use";
    default:
      return "its shape (no limits, no clips)";
  }
}

Json side_json(const SkinComparison& c, SkinFigures ComparedPose::*side) {
  Json json = {{"crossing_triangles", c.crossing(side)}};
  if (!c.closed) return json;
  const ComparedPose* worst = c.worst_volume(side);
  json["mean_volume_change"] = c.mean_volume(side);
  json["worst_volume_change"] = worst == nullptr ? Json() : Json(*(worst->*side).volume_change);
  json["worst_volume_pose"] = worst == nullptr ? Json() : Json(worst->name);
  return json;
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string comparison_table(const Json& f) {
  html::Table table({{""}, {"linear blend", true}, {"Supple", true}});
  const Json &before = f["before"], &after = f["after"];
  if (f.contains("held_out_error"))
    table.add({"distance to the teacher in poses held out, of linear blend's", "1",
               fmt::format("{:.3f}", f["held_out_error"].get<double>())});
  if (before.contains("mean_volume_change")) {
    table.add({"change of volume, mean", percent(before["mean_volume_change"].get<double>()),
               percent(after["mean_volume_change"].get<double>())});
    table.add({"change of volume, largest",
               percent(before["worst_volume_change"].get<double>()) + "<br>" +
                   html::escaped(before["worst_volume_pose"].get<std::string>()),
               percent(after["worst_volume_change"].get<double>()) + "<br>" +
                   html::escaped(after["worst_volume_pose"].get<std::string>())});
  }
  table.add({fmt::format("triangles that cross others, over {} poses", f["poses"].get<std::size_t>()),
             std::to_string(before["crossing_triangles"].get<std::size_t>()),
             std::to_string(after["crossing_triangles"].get<std::size_t>())});
  return "<h2>In numbers</h2>\n" + table.text();
}

}  // namespace

Json improved_json(const Improved& improved, const ImproveOptions& o, const Warnings& warnings) {
  Json json = {{"file", improved.fit ? Json(o.output) : Json()},
               {"model", o.input},
               {"verdict", word_of(improved.verdict)},
               {"reason", improved.reason},
               {"choices", improved.choices},
               {"teacher", improved.teacher},
               {"seconds", improved.seconds}};
  if (!improved.fit) return json;
  const FitJob& fit = *improved.fit;
  const SkinComparison& c = improved.comparison;
  json.update({{"part", fit.input.parts[fit.part].name},
               {"vertices", fit.set.vertices()},
               {"limits", word_of(improved.plan.source)},
               {"joints", improved.plan.joints},
               {"clips", improved.plan.clips},
               {"poses", c.poses.size()},
               {"held_out_error", held_out_error(fit)},
               {"examples", improved.fit_options.examples},
               {"targets", fit.attached.targets.size()},
               {"errors", groups_json(fit.errors, fit)},
               {"before", side_json(c, &ComparedPose::before)},
               {"after", side_json(c, &ComparedPose::after)},
               {"engines", engines_json(fit.model.character())},
               {"warnings", warnings}});
  return json;
}

Result<std::string> improved_html(const Improved& improved, const ImproveOptions& o, const Json& facts,
                                  const render::Image* sheet) {
  std::string body = fmt::format("<p><b>{}</b> {}</p>\n",
                                 improved.verdict == Verdict::better  ? "Better."
                                 : improved.verdict == Verdict::mixed ? "Better in part."
                                                                      : "Not improved.",
                                 html::escaped(improved.reason));
  if (sheet != nullptr) {
    const auto picture = html::picture(*sheet, "linear blend beside the improved skin");
    if (!picture) return picture.error();
    body += html::figure(*picture, "Where the two differ most: linear blend to the left, Supple to the right.");
  }
  if (improved.fit) body += comparison_table(facts);
  body += html::list("What was decided on the way", facts["choices"]);
  if (improved.fit) body += html::list("Warnings", facts["warnings"]);
  return html::page(std::filesystem::path(o.input).filename().string() + ", improved", body);
}

}  // namespace supple::workflow
