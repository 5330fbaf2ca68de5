// What the report says in numbers about scans, skins and stages.
#include <fmt/core.h>

#include <algorithm>

#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"

namespace supple::workflow::scan_report {
namespace {

using html::escaped;
using html::fact;

constexpr double paper_residual_mm = 0.91;  // of a real hand, without the thumb's base
constexpr std::array<const char*, 3> method_keys{"ssd", "psd", "wpsd"};

std::string role_text(const Json& scan) {
  const std::string role = scan["role"];
  return role == "base" ? "base" : role == "test" ? "held out" : "learnt from";
}

/// 812,345: counts of triangles are too long to be read without.
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// Over all scans.
std::size_t bones_missing(const Json& r) {
  std::size_t missing = 0;
  for (const Json& scan : r["alignment"])
    for (const Json& bone : scan["bones"]) missing += bone["found"].get<bool>() ? 0 : 1;
  return missing;
}

std::string methods_text(const Json& by_method) {
  return fmt::format("{:.3f} mm by linear blending (SSD), {:.3f} by PSD, {:.3f} by weighted PSD",
                     by_method["ssd"].get<double>(), by_method["psd"].get<double>(), by_method["wpsd"].get<double>());
}

}  // namespace

std::string verdict(const Json& r) {
  const std::size_t missing = bones_missing(r);
  const bool has_skin = r["skin_triangles"].get<std::size_t>() > 0;
  std::string text =
      fmt::format("<p><b>A posable {} of {} bones.</b> ", has_skin ? "hand" : "skeleton", r["bones"].size());
  if (!has_skin) text += "The base scan shows no skin: label it, or give the image, to have a hand. ";
  const Json& overall = r["overall_rms_mm"];
  const bool tested = overall.contains("test");
  if (tested || overall.contains("train")) {
    const Json& off = overall[tested ? "test" : "train"];
    const double blend = off["ssd"].get<double>(), learnt = off["wpsd"].get<double>();
    text += fmt::format("Its skin is {:.2f} mm off (root mean square) in scans {}, {:.2f} mm by linear blending{}.",
                        learnt, tested ? "that were held out" : "it was learnt from", blend,
                        learnt > blend ? ": <b>worse</b>, more scans would help" : "");
  }
  if (missing > 0)
    text += fmt::format(" <b>{} not found again in a scan.</b>",
                        missing == 1 ? "One bone was" : fmt::format("{} bones were", missing));
  return text + "</p>\n";
}

std::string headline(const Json& r) {
  const std::size_t missing = bones_missing(r);
  std::size_t pieces = 0, kept = 0;
  for (const Json& bone : r["bones"]) pieces += bone["pieces"].size();
  for (const Json& stage : r["stages"]) {
    kept += stage["kept"].get<bool>() ? 1 : 0;
  }
  std::string rows = fact("Scans", fmt::format("{} of a {}, one of them the base", r["scans"].size(),
                                               escaped(r["skeleton"].get<std::string>())));
  rows += fact("Bones", fmt::format("{} named, of {} pieces; {}", r["bones"].size(), pieces,
                                    missing == 0 ? "all found in every scan"
                                                 : fmt::format("<b>{} not found again in a scan</b>", missing)));
  rows += fact("Joints",
               fmt::format("centres hold to {:.2f} mm root mean square where the joint does not slide (the paper's "
                           "hand: {:.2f} mm)",
                           r["joint_residual_mm"].get<double>(), paper_residual_mm));
  if (r["skin_triangles"].get<std::size_t>() > 0)
    rows += fact("Skin", fmt::format("{} triangles, the same mesh in every scan", grouped(r["skin_triangles"])));
  const Json& overall = r["overall_rms_mm"];
  if (overall.contains("test"))
    rows += fact("Held-out scans", "skin off by " + methods_text(overall["test"]) + ", root mean square");
  if (overall.contains("train"))
    rows += fact("Scans learnt from", "skin off by " + methods_text(overall["train"]) + ", root mean square");
  rows +=
      fact("Time",
           fmt::format("{:.0f} s, {:.0f} of them for pictures ({:.0f} s of all processors together); {} of {} "
                       "stages kept from earlier runs; at most {:.0f} MB of memory",
                       r["seconds"].get<double>(), r["pictures_seconds"].get<double>(),
                       r["processor_seconds"].get<double>(), kept, r["stages"].size(), r["memory_mb"].get<double>()));
  return html::facts(rows);
}

std::string scans_table(const Json& r) {
  html::Table table({{"scan"},
                     {"role"},
                     {"bone, triangles", true},
                     {"skin, triangles", true},
                     {"bone from", true},
                     {"skin from", true},
                     {"skin cut off, vertices", true}});
  const auto threshold = [](const Json& scan, const char* key) {
    if (scan.contains(key)) return fmt::format("{:.0f}", scan[key].get<double>());
    return std::string(scan.contains("labels") ? "labels" : "surface given");
  };
  for (const Json& scan : r["scans"])
    table.add({escaped(scan["name"]), role_text(scan), grouped(scan["bone_triangles"]), grouped(scan["skin_triangles"]),
               threshold(scan, "bone_threshold"), threshold(scan, "skin_threshold"),
               grouped(scan["cut_skin_vertices"])});
  return table.text();
}

std::string fits_table(const Json& r) {
  html::Table table({{"scan"},
                     {"features", true},
                     {"fit to scan, mm RMS", true},
                     {"most, near", true},
                     {"whole skin, mm RMS", true},
                     {"most, near", true},
                     {"scan to fit, mm RMS", true},
                     {"most, near", true},
                     {"stretch, 99 %", true},
                     {"most, near", true},
                     {"folded triangles", true},
                     {"drawn out", true},
                     {"not seen, vertices", true}});
  for (const Json& fit : r["fits"]) {
    const auto count = [&](const char* key) { return grouped(fit[key].get<std::size_t>()); };
    const auto number = [&](const char* key) { return fmt::format("{:.3f}", fit[key].get<double>()); };
    const auto most = [&](const char* key, const char* near) {
      return fmt::format("{:.2f}, {}", fit[key].get<double>(), escaped(fit[near]));
    };
    const bool flipped = fit["flipped"].get<std::size_t>() > 0, stretched = fit["stretched"].get<std::size_t>() > 0;
    table.add(
        {escaped(fit["scan"]), count("features"), number("forward_rms_mm"),
         most("forward_max_mm", "forward_worst_near"), number("whole_rms_mm"), most("whole_max_mm", "whole_worst_near"),
         number("backward_rms_mm"), most("backward_max_mm", "backward_worst_near"), number("stretch_p99"),
         most("stretch_max", "stretch_worst_near"),
         count("flipped") + (flipped ? ", " + escaped(fit["first_flipped_near"]) : ""), count("stretched"),
         count("unreliable")},
        flipped || stretched);
  }
  return table.text() +
         "<p class='note'>Both ways between the fitted mesh and the measured skin; the first figures are of vertices "
         "that "
         "found a place on the scan, those of the whole skin of all that no volume cut off. Stretch: length of an edge "
         "over the base's, or the inverse. Folded: triangles that face against the skin around them. Drawn out: those "
         "with an edge of five times the base's length or more. Not seen: vertices without a believable place on the "
         "scan, left to smoothness.</p>\n";
}

std::string errors_table(const Json& r) {
  html::Table table({{"scan"},
                     {"role"},
                     {"SSD, mm RMS", true},
                     {"99 %", true},
                     {"most, near", true},
                     {"PSD, mm RMS", true},
                     {"99 %", true},
                     {"most, near", true},
                     {"weighted PSD, mm RMS", true},
                     {"99 %", true},
                     {"most, near", true}});
  for (const Json& error : r["errors"]) {
    std::vector<std::string> cells{escaped(error["scan"]), role_text(error)};
    for (const char* method : method_keys) {
      const Json& e = error[method];
      cells.push_back(fmt::format("<b>{:.3f}</b>", e["rms_mm"].get<double>()));
      cells.push_back(fmt::format("{:.2f}", e["p99_mm"].get<double>()));
      cells.push_back(fmt::format("{:.2f}, {}", e["max_mm"].get<double>(), escaped(e["worst_near"])));
    }
    table.add(cells);
  }
  return "<h2>Distance to every scan</h2>\n<p>From the hand's skin in a scan's pose to the skin that was measured. "
         "Scans that are held out taught the hand nothing, and show what it is worth in a new pose.</p>\n" +
         table.text();
}

std::string stages_table(const Json& r) {
  html::Table table({{"stage"}, {"s", true}, {"memory so far, MB", true}, {""}});
  for (const Json& stage : r["stages"])
    table.add({escaped(stage["stage"]), fmt::format("{:.2f}", stage["seconds"].get<double>()),
               fmt::format("{:.0f}", stage["memory_mb"].get<double>()),
               stage["kept"].get<bool>() ? "kept from an earlier run" : ""});
  return "<h2>Stages</h2>\n" + table.text();
}

}  // namespace supple::workflow::scan_report
