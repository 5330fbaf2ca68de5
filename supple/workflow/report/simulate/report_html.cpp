// The report as a page: the verdict and the sheet first, then facts, charts over the poses, and the full table.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/rig/example_set.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/simulate/report.h"

namespace supple::workflow {
namespace {

using html::escaped;
using html::fact;

std::string facts(const Json& r) {
  const Json& m = r["mesh"];
  std::string rows;
  rows += fact("Poses", fmt::format("{} finished, {} missing, in {} sweeps", r["poses_finished"].get<std::size_t>(),
                                    r["poses_missing"].get<std::size_t>(), r["sweeps"].get<std::size_t>()));
  rows += fact("Flagged",
               fmt::format("{} snapped, {} with inverted elements, {} not converged", r["snapped"].get<std::size_t>(),
                           r["inverted"].get<std::size_t>(), r["unconverged"].get<std::size_t>()));
  if (r["partial"] > 0) rows += fact("Partial", escaped(r["partial_sentence"]));
  if (r["held_out_planned"] > 0)
    rows +=
        fact("Held out", fmt::format("{} poses, {} of them without a teacher", r["held_out_planned"].get<std::size_t>(),
                                     r["held_out_without_teacher"].get<std::size_t>()));
  rows += fact("Elements", fmt::format("{} {}, {} deforming; {} nodes, {} free", m["elements"].get<std::size_t>(),
                                       m["kind"].get<std::string>(), m["deforming_elements"].get<std::size_t>(),
                                       m["nodes"].get<std::size_t>(), m["free_nodes"].get<std::size_t>()));
  rows += fact(
      "Dihedral angles",
      fmt::format("{:.1f} to {:.1f} degrees, 1 % of elements below {:.1f}", m["min_dihedral_degrees"].get<double>(),
                  m["max_dihedral_degrees"].get<double>(), m["first_percentile_degrees"].get<double>()));
  rows += fact("Skin in the elements",
               fmt::format("{} vertices outside, at most {:.2f} mm (vertex {}), {:.3f} mm root mean square",
                           m["skin_vertices_outside"].get<std::size_t>(), m["skin_max_outside_mm"].get<double>(),
                           m["skin_max_outside_vertex"].get<std::size_t>(), m["skin_rms_outside_mm"].get<double>()));
  rows += fact("Solves",
               fmt::format("{} steps, {:.2f} Newton iterations and {:.2f} s a step", r["steps"].get<std::size_t>(),
                           r["iterations_per_step"].get<double>(), r["solve_seconds_per_step"].get<double>()));
  rows += fact("Volume", fmt::format("farthest from rest {:+.2f} %, {}", 100 * r["worst_volume_change"].get<double>(),
                                     escaped(r["worst_volume_pose"].get<std::string>())));
  if (r["contact_distance_mm"].is_null()) {
    rows += fact("Contact", "not looked for: flesh may pass through itself");
  } else {
    rows +=
        fact("Contact", fmt::format("flesh touches itself in {} poses; deepest overlap {:.2f} mm{}",
                                    r["poses_with_contact"].get<std::size_t>(), r["deepest_overlap_mm"].get<double>(),
                                    r["deepest_overlap_mm"].get<double>() > 0
                                        ? ", " + escaped(r["deepest_overlap_pose"].get<std::string>())
                                        : std::string{}));
  }
  for (const Json& p : r["adaptive"])
    rows += fact(&p == &r["adaptive"][0] ? "Error of several joints, left out" : "",
                 fmt::format("{:.3f} of linear blend's with {} examples", p["left_out"].get<double>(),
                             p["examples"].get<std::size_t>()));
  rows += fact("Time",
               fmt::format("{:.0f} s, engine {}, at most {:.0f} MB in this process", r["wall_seconds"].get<double>(),
                           escaped(r["engine"].get<std::string>()), r["peak_memory_mb"].get<double>()));
  return rows;
}

std::string flesh_verdict(const Json& r) {
  std::size_t left_out = 0;
  for (const Json& pose : r["poses"]) left_out += is_left_out(pose) ? 1 : 0;
  const std::size_t finished = r["poses_finished"].get<std::size_t>(), missing = r["poses_missing"].get<std::size_t>();
  std::string text =
      fmt::format("<p><b>{} of {} poses can be learnt from.</b>", finished - left_out, finished + missing);
  if (left_out > 0) text += fmt::format(" In {} flesh went wrong; the table below says how.", left_out);
  if (r["partial"] > 0) text += " " + escaped(r["partial_sentence"]);
  text += " " +
          held_out_sentence(r["held_out_without_teacher"].get<std::size_t>(), r["held_out_planned"].get<std::size_t>());
  if (missing > 0) text += fmt::format(" {} are missing; the same command with --resume goes on.", missing);
  if (const double worst = r["worst_volume_change"].get<double>(); std::abs(worst) > 0)
    text += fmt::format(" The volume stays within {:.1f} %.", std::ceil(1000 * std::abs(worst)) / 10);
  return text + "</p>\n";
}

std::string table(const Json& poses) {
  html::Table rows({{"pose"},
                    {"role"},
                    {"degrees", true},
                    {"steps", true},
                    {"iterations", true},
                    {"s", true},
                    {"min det F", true},
                    {"inverted", true},
                    {"volume %", true},
                    {"touching", true},
                    {"overlap, mm", true},
                    {"flags"}});
  for (const Json& p : poses) {
    std::string flags;
    for (const Json& f : p["flags"]) flags += escaped(f) + " ";
    rows.add({escaped(p["name"]), escaped(p["role"]), fmt::format("{:.1f}", p["turned_degrees"].get<double>()),
              fmt::format("{}", p["steps"].get<int>()), fmt::format("{}", p["iterations"].get<int>()),
              fmt::format("{:.2f}", p["seconds"].get<double>()), fmt::format("{:.3f}", p["min_det"].get<double>()),
              fmt::format("{}", p["inverted_elements"].get<int>()),
              fmt::format("{:+.2f}", 100 * p["volume_change"].get<double>()),
              fmt::format("{}", p["touching_vertices"].get<std::size_t>()),
              fmt::format("{:.2f}", p["overlap_mm"].get<double>()), flags},
             !flags.empty());
  }
  return "<h2>Every pose</h2>" + rows.text();
}

}  // namespace

std::string pose_bars(const Json& poses, const char* title, const char* unit, double (*value)(const Json&)) {
  constexpr double width = 1000, height = 120;
  double low = 0, high = 0;
  for (const Json& p : poses) {
    low = std::min(low, value(p));
    high = std::max(high, value(p));
  }
  const double range = high > low ? high - low : 1,
               bar = width / std::max<double>(1, static_cast<double>(poses.size()));
  const auto y = [&](double v) { return height * (high - v) / range; };
  std::string svg =
      fmt::format("<figure><figcaption>{}, {:.3g} to {:.3g} {}</figcaption><svg class='bars' viewBox='0 0 {} {}'>",
                  title, low, high, unit, width, height);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double v = value(poses[i]), top = std::min(y(v), y(0)), size = std::abs(y(v) - y(0));
    svg += fmt::format(
        "<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' class='{}'><title>{}: {:.4g} {}"
        "</title></rect>",
        bar * static_cast<double>(i), top, bar * 0.8, std::max(0.5, size), poses[i]["flags"].empty() ? "ok" : "flag",
        escaped(poses[i]["name"]), v, unit);
  }
  return svg + "</svg></figure>\n";
}

bool is_left_out(const Json& pose) {
  for (const Json& flag : pose["flags"])
    if (excludes(flag.get<std::string>())) return true;
  return false;
}

std::string simulated_html(const Json& r) {
  const Json& poses = r["poses"];
  std::string body = flesh_verdict(r);
  if (r.contains("sheet"))
    body += "<h2>Ends of sweeps, and flagged poses</h2><img src='sheet.png' alt='Simulated poses'>\n";
  body += "<h2>In numbers</h2>\n" + html::facts(facts(r));
  body += html::list("Failures", r["failures"]) + html::list("Warnings", r["warnings"]);
  body += "<h2>Over the poses</h2>\n";
  body += pose_bars(poses, "Newton iterations per step", "", [](const Json& p) {
    return p["iterations"].get<double>() / std::max(1.0, p["steps"].get<double>());
  });
  body += pose_bars(poses, "Volume change", "%", [](const Json& p) { return 100 * p["volume_change"].get<double>(); });
  body += pose_bars(poses, "Smallest det F", "", [](const Json& p) { return p["min_det"].get<double>(); });
  return html::page("Simulation of " + r["model"].get<std::string>(), body + table(poses));
}

}  // namespace supple::workflow
