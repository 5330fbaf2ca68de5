// The report of a distillation as a page: the verdict and the sheet, then facts, charts over the poses, and the full
// table.
#include <fmt/core.h>

#include "supple/workflow/report/html.h"
#include "supple/workflow/report/simulate/report.h"

namespace supple::workflow {
namespace {

using html::escaped;
using html::fact;

std::string distil_verdict(const Json& r) {
  std::size_t left_out = 0;
  for (const Json& pose : r["poses"]) left_out += is_left_out(pose) ? 1 : 0;
  const std::size_t finished = r["poses_finished"].get<std::size_t>(), missing = r["poses_missing"].get<std::size_t>();
  const std::size_t crossing = r["intersecting_poses"].get<std::size_t>();
  return fmt::format("<p><b>{} of {} poses can be learnt from.</b> The deformed skin cuts through itself in {}.</p>\n",
                     finished - left_out, finished + missing,
                     crossing == 0 ? std::string("none of them") : fmt::format("{} of them", crossing));
}

std::string distil_facts(const Json& r) {
  std::string rows;
  rows += fact("Deformer", r["deformer_summary"].get<std::string>());
  rows += fact("Poses", fmt::format("{} finished, {} missing, in {} sweeps", r["poses_finished"].get<std::size_t>(),
                                    r["poses_missing"].get<std::size_t>(), r["sweeps"].get<std::size_t>()));
  if (!r["worst_volume_change"].is_null())
    rows += fact("Volume", fmt::format("farthest from rest {:+.3f} %, {}", 100 * r["worst_volume_change"].get<double>(),
                                       escaped(r["worst_volume_pose"])));
  rows += fact(
      "Self-intersection",
      r["intersecting_poses"] == 0
          ? "none"
          : fmt::format("in {} poses, most of all {} with {} triangles", r["intersecting_poses"].get<std::size_t>(),
                        escaped(r["most_intersecting_pose"]), r["most_intersecting_triangles"].get<std::size_t>()));
  rows += fact("Time", fmt::format("{:.1f} ms a pose", 1000 * r["seconds_per_pose"].get<double>()));
  rows += fact("Next", "<code>" + escaped(r["fit_command"]) + "</code>");
  return rows;
}

double volume_percent(const Json& pose) {
  return pose["volume_change"].is_null() ? 0 : 100 * pose["volume_change"].get<double>();
}

std::string distil_table(const Json& poses) {
  html::Table rows(
      {{"pose"}, {"sweep"}, {"role"}, {"volume %", true}, {"crossing triangles", true}, {"ms", true}, {"flags"}});
  for (const Json& p : poses) {
    std::string flags;
    for (const Json& f : p["flags"]) flags += escaped(f) + " ";
    rows.add({escaped(p["name"]), escaped(p["sweep"]), escaped(p["role"]),
              p["volume_change"].is_null() ? "" : fmt::format("{:+.3f}", volume_percent(p)),
              fmt::format("{}", p["intersecting_triangles"].get<std::size_t>()),
              fmt::format("{:.1f}", 1000 * p["seconds"].get<double>()), flags},
             !flags.empty());
  }
  return "<h2>Every pose</h2>" + rows.text();
}

}  // namespace

std::string taught_html(const Json& r) {
  const Json& poses = r["poses"];
  std::string body = distil_verdict(r);
  if (r.contains("sheet"))
    body += "<h2>Ends of sweeps, and flagged poses</h2><img src='sheet.png' alt='Deformed poses'>\n";
  body += "<h2>In numbers</h2>\n" + html::facts(distil_facts(r)) + html::list("Warnings", r["warnings"]);
  body += "<h2>Over the poses</h2>\n" + pose_bars(poses, "Volume change", "%", volume_percent);
  body += pose_bars(poses, "Triangles that cross others", "",
                    [](const Json& p) { return p["intersecting_triangles"].get<double>(); });
  return html::page("Distillation of " + r["model"].get<std::string>(), body + distil_table(poses));
}

}  // namespace supple::workflow
