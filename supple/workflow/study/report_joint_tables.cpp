// What the report says about what joints do: kinds with the comparison, anatomical axes and angles, sliding.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"

namespace supple::workflow::scan_report {
namespace {

/// A value and its standard deviation; never -0.
std::string with_deviation(double value, double sd, int decimals) {
  const double unit = std::pow(10, decimals);
  return fmt::format("{:.{}f}&nbsp;&plusmn;&nbsp;{:.{}f}", std::round(value * unit) / unit + 0.0, decimals, sd,
                     decimals);
}

std::string line(const Json& name) { return "<span class='name'>" + html::escaped(name) + "</span>"; }

std::string axis_text(const Json& axis) {
  return fmt::format("{:.3f}, {:.3f}, {:.3f}", axis[0].get<double>() + 0.0, axis[1].get<double>() + 0.0,
                     axis[2].get<double>() + 0.0);
}

constexpr const char* conventions =
    "<p>Axes of every bone after the recommendation of the International Society of Biomechanics (Wu et al. 2005): x "
    "to "
    "the palm, y to the elbow, z to the thumb's side (of a left hand to the other one). The bone's axes are its "
    "parent's, turned by <b>flexion</b> about the parent's z (positive towards the palm), then by <b>deviation</b> "
    "about "
    "the axis between (positive to the little finger's side), then by <b>rotation</b> about the bone's own y (positive "
    "in the sense of pronation); a left hand counts as its mirror image. &plusmn;: one standard deviation, of the "
    "bones' "
    "places in the scan and of their axes. The thumb's metacarpal stands on the trapezium, which is not told apart "
    "from "
    "the carpus: its angles count from the base scan.</p>\n";

}  // namespace

std::string kinds_table(const Json& r) {
  html::Table table({{"joint"},
                     {"kind"},
                     {"fixed, degrees / mm left", true},
                     {"hinge", true},
                     {"universal", true},
                     {"ball", true},
                     {"next kind's BIC, above it by", true},
                     {"axes in the base scan"}});
  double scale = 1;
  for (const Json& joint : r["joints"]) {
    const Json& kinds = joint["kinds"];
    scale = kinds["noise_scale"].get<double>();
    const std::string chosen = kinds["kind"];
    std::vector<std::string> cells{line(joint["joint"]), "<b>" + chosen + "</b>"};
    double best = 0, next = 1e300;
    std::string axes;
    for (const Json& kind : kinds["tried"]) {
      const bool is_chosen = kind["kind"] == chosen;
      if (is_chosen) {
        best = kind["bic"].get<double>();
        for (const Json& axis : kind["axes"]) axes += (axes.empty() ? "" : "; ") + axis_text(axis);
      } else {
        next = std::min(next, kind["bic"].get<double>());
      }
      if (kind["kind"] == "6 DOF") continue;
      const std::string left = fmt::format("{:.2f} / {:.2f}", kind["rotation_left_degrees"].get<double>(),
                                           kind["shift_left_mm"].get<double>());
      cells.push_back(is_chosen ? "<b>" + left + "</b>" : left);
    }
    if (kinds["tried"].empty()) {
      cells.resize(8);
    } else {
      cells.push_back(fmt::format("{:.1f}", next - best));
      cells.push_back("<span class='name'>" + axes + "</span>");
    }
    table.add(cells);
  }
  return "<h3>What kind of joint each is</h3>\n" + table.text() +
         fmt::format(
             "<p class='note'>What each kind leaves of the measured motions, root mean square. The least free "
             "kind is chosen, unless the BIC of a freer one is smaller by 10: what is left in units of the noise, plus "
             "a "
             "penalty for every parameter. Noise is "
             "what the alignments state, times {:.2f}: at that scale universal joints explain half of all joints as "
             "well as they should.</p>\n",
             scale);
}

std::string anatomical_table(const Json& r) {
  std::vector<html::Table::Column> columns{{"joint"}, {"angle"}};
  for (const Json& scan : r["scans"]) columns.push_back({html::escaped(scan["name"]), true});
  html::Table angles(columns), slides(columns);
  bool any_slides = false;
  for (const Json& joint : r["joints"]) {
    const Json& scans = joint["anatomical"];
    std::string name = line(joint["joint"]);
    for (const std::string key : {"flexion", "deviation", "rotation"}) {
      std::vector<std::string> cells{name, key};
      for (const Json& scan : scans)
        cells.push_back(with_deviation(scan[key + "_degrees"], scan[key + "_sd_degrees"], 1));
      angles.add(cells);
      name.clear();
    }
    if (!joint["slides"].get<bool>() && joint["kinds"]["kind"] != "6 DOF") continue;
    any_slides = true;
    name = line(joint["joint"]);
    constexpr std::array<const char*, 3> ways{"to the palm", "to the elbow", "to the thumb's side"};
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<std::string> cells{name, ways[k]};
      for (const Json& scan : scans) cells.push_back(with_deviation(scan["slide_mm"][k], scan["slide_sd_mm"][k], 2));
      slides.add(cells);
      name.clear();
    }
  }
  std::string text = "<h3>Anatomical angles, degrees</h3>\n" + std::string(conventions) + angles.text();
  if (any_slides)
    text +=
        "<h3>Sliding of joints with six degrees of freedom, mm</h3>\n<p>How far the joint's centre, carried by the "
        "bone, left its place in the base scan, along the parent's axes.</p>\n" +
        slides.text();
  return text;
}

std::string bone_axes_table(const Json& r) {
  html::Table table({{"bone"}, {"axes"}, {"x"}, {"y"}, {"z"}, {"&plusmn; about x, y, z, degrees", true}});
  for (const Json& bone : r["bone_axes"])
    table.add({line(bone["bone"]), html::escaped(bone["source"]), axis_text(bone["x"]), axis_text(bone["y"]),
               axis_text(bone["z"]),
               fmt::format("{:.2f}, {:.2f}, {:.2f}", bone["sd_degrees"][0].get<double>(),
                           bone["sd_degrees"][1].get<double>(), bone["sd_degrees"][2].get<double>())});
  return "<h3>Axes of bones in the base scan</h3>\n" + table.text();
}

}  // namespace supple::workflow::scan_report
