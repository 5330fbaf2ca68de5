#include "supple/workflow/report/improve/report.h"

#include <fmt/core.h>

#include <filesystem>

#include "supple/workflow/jobs/examples.h"
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

Json totals_json(const DamageTotals& totals) {
  return {{"frames", totals.frames},
          {"torn_edges", totals.torn},
          {"parted_pairs", totals.parted},
          {"opened_seams", totals.opened},
          {"new_folds", static_cast<std::int64_t>(totals.folded) - static_cast<std::int64_t>(totals.folded_before)}};
}

/// Two figures by linear blend, and with what was learnt.
Json pair_json(double before, double after) { return {{"before", before}, {"after", after}}; }

Json seen_json(const SeenFigures& seen, const Skeleton& skeleton) {
  Json joints = Json::array(), worst = Json::array();
  for (const JointFigures& own : seen.joints)
    joints.push_back({{"joint", skeleton.name(own.joint)},
                      {"strain", pair_json(own.strain_before, own.strain_after)},
                      {"kept", own.kept}});
  for (const WorstPlace& place : seen.places)
    worst.push_back({{"frame", place.frame},
                     {"joint", skeleton.name(place.joint)},
                     {"strain", pair_json(place.strain_before, place.strain_after)}});
  return {{"strain", pair_json(seen.strain_before, seen.strain_after)},
          {"volume_error", pair_json(seen.volume_before, seen.volume_after)},
          {"clips", totals_json(seen.clips)},
          {"poses", totals_json(seen.poses)},
          {"beyond", totals_json(seen.beyond)},
          {"worst_frame", seen.worst_frame},
          {"joints", joints},
          {"worst_places", worst}};
}

std::string percent(const Json& share) { return fmt::format("{:.2f} %", 100 * share.get<double>()); }

std::string name_of(const Json& text) { return html::escaped(text.get<std::string>()); }

std::string comparison_table(const Json& f) {
  html::Table table({{""}, {"linear blend", true}, {"Supple", true}});
  const Json &before = f["before"], &after = f["after"], &skin = f["skin"];
  const std::string frames =
      skin["clips"]["frames"] > 0
          ? fmt::format("over {} frames of the clips", skin["clips"]["frames"].get<std::size_t>())
          : fmt::format("over {} poses", skin["poses"]["frames"].get<std::size_t>());
  table.add(
      {"stretching of the skin, RMS " + frames, percent(skin["strain"]["before"]), percent(skin["strain"]["after"])});
  table.add({"error of the volume of its regions, RMS " + frames, percent(skin["volume_error"]["before"]),
             percent(skin["volume_error"]["after"])});
  if (before.contains("mean_volume_change")) {
    table.add({"change of the whole volume, mean", percent(before["mean_volume_change"]),
               percent(after["mean_volume_change"])});
    table.add({"change of the whole volume, largest",
               percent(before["worst_volume_change"]) + "<br>" + name_of(before["worst_volume_pose"]),
               percent(after["worst_volume_change"]) + "<br>" + name_of(after["worst_volume_pose"])});
  }
  table.add({fmt::format("triangles that cross others, over {} poses", f["poses"].get<std::size_t>()),
             std::to_string(before["crossing_triangles"].get<std::size_t>()),
             std::to_string(after["crossing_triangles"].get<std::size_t>())});
  const auto measured = f["held_out_poses"].get<std::size_t>(),
             absent = f["held_out_without_teacher"].get<std::size_t>();
  std::string where = measured > 0 ? fmt::format("{} poses held out", measured)
                                   : std::string("poses that were learnt from: none held out could be measured");
  if (absent > 0) where += "<br>" + held_out_sentence(absent, f["held_out_planned"].get<std::size_t>());
  table.add({"distance to the teacher, of linear blend's, in " + where, "1",
             fmt::format("{:.3f}", f["held_out_error"].get<double>())});
  return "<h2>In numbers</h2>\n" + table.text();
}

/// Joint by joint, where linear blend stretches the skin most first.
std::string joint_table(const Json& worst_places, const Json& joints) {
  html::Table table({{"joint"},
                     {"worst frame"},
                     {"stretching there", true},
                     {"now", true},
                     {"over all frames", true},
                     {"now", true},
                     {"kept of what was learnt", true}});
  for (const Json& place : worst_places)
    for (const Json& own : joints)
      if (own["joint"] == place["joint"])
        table.add({name_of(own["joint"]), name_of(place["frame"]), percent(place["strain"]["before"]),
                   percent(place["strain"]["after"]), percent(own["strain"]["before"]), percent(own["strain"]["after"]),
                   percent(own["kept"])},
                  own["strain"]["after"] > own["strain"]["before"]);
  return "<h2>Joint by joint</h2>\n" + table.text();
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
  const Gain gain = improved.gain();
  json.update({{"part", fit.input.parts[fit.part].name},
               {"vertices", fit.set.vertices()},
               {"limits", word_of(improved.plan.source)},
               {"joints", improved.plan.joints},
               {"clips", improved.plan.clips},
               {"clip_frames", improved.plan.clip_frames},
               {"poses", c.poses.size()},
               {"gain", {{"strain", gain.strain}, {"volume", gain.volume}}},
               {"skin", seen_json(improved.seen, fit.input.skeleton)},
               {"before_fading", seen_json(improved.learnt, fit.input.skeleton)},
               {"held_out_error", held_out_error(fit)},
               {"held_out_poses", held_out_poses(fit)},
               {"held_out_planned", improved.plan.held_out},
               {"held_out_without_teacher", improved.held_out_without_teacher},
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
    body += html::figure(*picture,
                         "Where linear blend stretches the skin most: linear blend to the left, Supple to the right.");
  }
  if (improved.fit) body += comparison_table(facts);
  body += html::list("What was decided on the way", facts["choices"]);
  if (improved.fit) body += joint_table(facts["skin"]["worst_places"], facts["skin"]["joints"]);
  if (improved.fit) body += html::list("Warnings", facts["warnings"]);
  return html::page(std::filesystem::path(o.input).filename().string() + ", improved", body);
}

}  // namespace supple::workflow
