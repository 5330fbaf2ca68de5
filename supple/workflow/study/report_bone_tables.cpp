// What the report says in numbers about bones and joints.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"

namespace supple::workflow::scan_report {
namespace {

using html::escaped;

constexpr double doubtful = 0.5;           // names with more doubt are flagged
constexpr double doubtful_angle_left = 5;  // degrees of a rotation that the joint's degrees of freedom cannot explain

/// In one line, as names are looked for.
std::string unbroken(const std::string& text) { return "<span class='name'>" + text + "</span>"; }
std::string name_text(const Json& name) { return unbroken(escaped(name)); }

/// Never -0.0.
double to_tenths(double x) { return std::round(x * 10) / 10 + 0.0; }

std::string place_text(const Json& three) {
  return unbroken(fmt::format("{:.1f}, {:.1f}, {:.1f}", to_tenths(three[0]), to_tenths(three[1]), to_tenths(three[2])));
}

std::string pieces_text(const Json& pieces) {
  std::string text;
  for (const Json& piece : pieces) text += (text.empty() ? "" : ", ") + std::to_string(piece.get<std::size_t>());
  return text;
}

std::string left_over_text(const Json& r) {
  const Json &unused = r["left_over"]["unused"], &dropped = r["left_over"]["dropped"],
             &outside = r["left_over"]["outside"];
  if (unused.empty() && dropped.empty() && outside.empty())
    return "<p class='note'>Every piece of bone belongs to a bone.</p>\n";
  html::Table table({{"no bone's"}, {"mm&sup3;", true}, {"centre in the scan, mm"}});
  constexpr std::size_t most_listed = 12;
  std::size_t listed = 0;
  for (const Json& piece : unused)
    table.add({fmt::format("piece {}", piece["piece"].get<std::size_t>()),
               fmt::format("{:.0f}", piece["volume_mm3"].get<double>()), place_text(piece["centre_mm"])});
  for (const Json& piece : outside)
    table.add(
        {"outside the skin", fmt::format("{:.0f}", piece["volume_mm3"].get<double>()), place_text(piece["centre_mm"])});
  for (const Json& piece : dropped) {
    if (++listed > most_listed) break;
    table.add({"dropped as too small", fmt::format("{:.1f}", piece["volume_mm3"].get<double>()),
               place_text(piece["centre_mm"])});
  }
  if (dropped.size() > most_listed)
    table.add({fmt::format("and {} more that are too small", dropped.size() - most_listed), "", ""});
  return table.text();
}

/// Bones of one scan that stand out.
struct AlignmentSummary {
  double median_residual = 0, worst_residual = 0, least_overlap = 1, worst_turn = 0;
  std::string worst_bone, least_covered, least_sure;
};

AlignmentSummary summarized(const Json& bones) {
  AlignmentSummary result;
  std::vector<double> residuals;
  for (const Json& bone : bones) {
    const double residual = bone["residual_mm"], overlap = bone["overlap"], turn = bone["rotation_sd_degrees"];
    residuals.push_back(residual);
    if (residual >= result.worst_residual) result.worst_residual = residual, result.worst_bone = bone["bone"];
    if (overlap <= result.least_overlap) result.least_overlap = overlap, result.least_covered = bone["bone"];
    if (turn >= result.worst_turn) result.worst_turn = turn, result.least_sure = bone["bone"];
  }
  std::sort(residuals.begin(), residuals.end());
  if (!residuals.empty()) result.median_residual = residuals[residuals.size() / 2];
  return result;
}

}  // namespace

std::string bones_table(const Json& r) {
  html::Table table({{"bone"}, {"pieces"}, {"mm&sup3;", true}, {"triangles", true}, {"doubt", true}, {""}});
  for (const Json& bone : r["bones"]) {
    const double doubt = bone["doubt"];
    table.add(
        {escaped(bone["name"]), pieces_text(bone["pieces"]), fmt::format("{:.0f}", bone["volume_mm3"].get<double>()),
         fmt::format("{}", bone["triangles"].get<std::size_t>()), fmt::format("{:.2f}", doubt),
         doubt > doubtful ? "another name would fit nearly as well: look at the picture" : ""},
        doubt > doubtful);
  }
  return table.text() + single_bones_table(r) + left_over_text(r);
}

std::string alignment_table(const Json& r) {
  html::Table scans({{"scan"},
                     {"residual, median mm", true},
                     {"worst", true},
                     {"covered least", true},
                     {"least sure turn, degrees", true},
                     {"size, of the base's", true},
                     {"not found"}});
  for (const Json& scan : r["alignment"]) {
    const AlignmentSummary s = summarized(scan["bones"]);
    std::string missing;
    for (const Json& bone : scan["bones"])
      if (!bone["found"].get<bool>()) missing += (missing.empty() ? "" : ", ") + escaped(bone["bone"]);
    scans.add(
        {escaped(scan["scan"]), fmt::format("{:.3f}", s.median_residual),
         fmt::format("{:.3f}, {}", s.worst_residual, escaped(s.worst_bone)),
         fmt::format("{:.0f} %, {}", 100 * s.least_overlap, escaped(s.least_covered)),
         fmt::format("{:.2f}, {}", s.worst_turn, escaped(s.least_sure)),
         fmt::format("{:.3f} to {:.3f}", scan["scale"][0].get<double>(), scan["scale"][2].get<double>()), missing},
        !missing.empty());
  }
  std::vector<html::Table::Column> columns{{"residual, mm"}};
  for (const Json& scan : r["alignment"]) columns.push_back({escaped(scan["scan"]), true});
  html::Table bones(columns);
  for (std::size_t b = 0; b < r["bones"].size(); ++b) {
    std::vector<std::string> cells{name_text(r["bones"][b]["name"])};
    bool flagged = false;
    for (const Json& scan : r["alignment"]) {
      const Json& bone = scan["bones"][b];
      const bool found = bone["found"].get<bool>();
      flagged = flagged || !found;
      cells.push_back(found ? fmt::format("{:.3f}", bone["residual_mm"].get<double>())
                            : fmt::format("not found, {:.0f} % covered", 100 * bone["overlap"].get<double>()));
    }
    bones.add(cells, flagged);
  }
  return scans.text() + bones.text();
}

std::string joints_table(const Json& r) {
  html::Table table({{"joint"},
                     {"residual, mm", true},
                     {"worst mm", true},
                     {"in"},
                     {"directions seen", true},
                     {"uncertain along its axis, mm", true},
                     {"across it, mm", true},
                     {"from the facing ends, mm", true},
                     {"centre in the base scan, mm"},
                     {""}});
  for (const Json& joint : r["joints"]) {
    const int seen = joint["seen"];
    const bool slides = joint["slides"];
    table.add({name_text(joint["joint"]), fmt::format("{:.2f}", joint["residual_mm"].get<double>()),
               fmt::format("{:.2f}", joint["worst_mm"].get<double>()),
               joint.contains("worst_scan") ? escaped(joint["worst_scan"]) : "", fmt::format("{} of 3", seen),
               fmt::format("{:.2f}", joint["along_axis_mm"].get<double>()),
               fmt::format("{:.2f}", joint["across_axis_mm"].get<double>()),
               fmt::format("{:.2f}", joint["from_facing_ends_mm"].get<double>()), place_text(joint["centre_mm"]),
               slides      ? "slides: six degrees of freedom"
               : seen == 0 ? "hardly turned: stays between the facing ends"
                           : ""},
              seen == 0 && !slides);
  }
  return table.text() +
         fmt::format(
             "<p class='note'>Residual: how far the scans move the centre, root mean square; {:.2f} mm over the joints "
             "that do not slide. Directions that the motion does not show keep the middle of the facing ends, known to "
             "3 mm: of a "
             "hinge, that along its axis. Uncertain: standard deviations.</p>\n",
             r["joint_residual_mm"].get<double>());
}

std::string angles_table(const Json& r) {
  std::vector<html::Table::Column> columns{{"joint"}, {"angle"}};
  const auto known = std::find_if(r["joints"].begin(), r["joints"].end(), [](const Json& joint) {
    return joint.contains("angles") && !joint["angles"].empty();
  });
  if (known == r["joints"].end()) return "";
  for (const Json& scan : (*known)["angles"]) columns.push_back({escaped(scan["scan"]), true});
  html::Table table(columns);
  bool unexplained = false;
  for (const Json& joint : r["joints"]) {
    if (!joint.contains("angles") || joint["angles"].empty()) continue;
    const Json& angles = joint["angles"];
    std::string name = name_text(joint["joint"]);
    const auto add = [&](const std::string& angle, const auto& value, bool flagged) {
      std::vector<std::string> cells{name, angle};
      for (const Json& scan : angles) cells.push_back(fmt::format("{:.1f}", to_tenths(value(scan))));
      table.add(cells, flagged);
      name.clear();
    };
    for (const auto& dof : angles[0]["degrees"].members())
      add(
          escaped(dof.key), [&](const Json& scan) { return scan["degrees"][dof.key].template get<double>(); }, false);
    const auto left = [](const Json& scan) { return scan["left_degrees"].template get<double>(); };
    const bool much =
        std::any_of(angles.begin(), angles.end(), [&](const Json& scan) { return left(scan) > doubtful_angle_left; });
    if (much) add("left over", left, true);
    unexplained = unexplained || much;
  }
  std::string text = "<h3>Angles of the hand's own rig, degrees from the base scan</h3>\n" + table.text();
  if (unexplained)
    text += fmt::format(
        "<p class='note'>Left over: rotation that the joint's degrees of freedom do not explain, where it exceeds "
        "{:.0f} degrees in a scan; the hand keeps it.</p>\n",
        doubtful_angle_left);
  return text;
}

}  // namespace supple::workflow::scan_report
