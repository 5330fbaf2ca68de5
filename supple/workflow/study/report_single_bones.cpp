// What the report says about single bones of the carpus and the forearm: which of them came apart, and how they moved.
#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "supple/author/scan/naming_bodies.h"
#include "supple/base/twist.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"

namespace supple::workflow::scan_report {
namespace {

constexpr double degrees_of = 180 / std::numbers::pi, cubic_mm_of = 1e9, mm_of = 1e3;

/// How a body was found in a scan: as the bone that it leads, or by itself.
const scan::BoneFit* fit_of(const Chain& chain, const scan::NamedBody& body, std::size_t scan) {
  const scan::Alignment& found = chain.scans[scan].alignment;
  if (scan::leads(body, chain.skeleton)) return &found.bones[chain.skeleton.bodies[body.bodies.front()].bone];
  const std::string name = scan::body_name(body, chain.skeleton);
  for (std::size_t b = 0; b < chain.bodies.size(); ++b)
    if (chain.bodies[b].name == name) return &found.bodies[b];
  return nullptr;
}

}  // namespace

Json single_bones_json(const Chain& chain) {
  Json list = Json::array();
  for (const scan::NamedBody& body : chain.naming.bodies) {
    double volume = 0;
    for (const std::uint32_t piece : body.pieces) volume += chain.parts.parts[piece].volume;
    Json scans = Json::array();
    for (std::size_t s = 1; s < chain.scans.size(); ++s) {
      const scan::BoneFit* fit = fit_of(chain, body, s);
      if (fit == nullptr) continue;
      const Affined against = inverse(chain.scans[s].alignment.bones[0].motion) * fit->motion;
      scans.push_back({{"scan", chain.scans[s].entry->name},
                       {"found", fit->found},
                       {"residual_mm", fit->residual * mm_of},
                       {"turn_degrees", length(log_rotation(from_matrix(against.linear))) * degrees_of}});
    }
    list.push_back({{"name", scan::body_name(body, chain.skeleton)},
                    {"of", chain.bones[chain.skeleton.bodies[body.bodies.front()].bone].name},
                    {"leads", scan::leads(body, chain.skeleton)},
                    {"pieces", body.pieces},
                    {"doubt", body.doubt},
                    {"volume_mm3", volume * cubic_mm_of},
                    {"scans", std::move(scans)}});
  }
  return list;
}

std::string single_bones_table(const Json& r) {
  const Json& bones = r["single_bones"];
  if (bones.empty())
    return "<p class='note'>Carpals, radius and ulna did not come apart: carpus and forearm move as one body "
           "each.</p>\n";
  std::vector<html::Table::Column> columns{{"single bone"}, {"of"}, {"pieces"}, {"mm&sup3;", true}, {"doubt", true}};
  for (const Json& scan : bones[0]["scans"]) columns.push_back({html::escaped(scan["scan"]), true});
  html::Table table(columns);
  for (const Json& bone : bones) {
    std::string pieces;
    for (const Json& piece : bone["pieces"])
      pieces += (pieces.empty() ? "" : ", ") + std::to_string(piece.get<std::size_t>());
    std::vector<std::string> cells{html::escaped(bone["name"]), html::escaped(bone["of"]), pieces,
                                   fmt::format("{:.0f}", bone["volume_mm3"].get<double>()),
                                   fmt::format("{:.2f}", bone["doubt"].get<double>())};
    bool lost = false;
    for (const Json& scan : bone["scans"]) {
      const bool found = scan["found"].get<bool>();
      lost = lost || !found;
      cells.push_back(found ? fmt::format("{:.1f}&deg;", scan["turn_degrees"].get<double>()) : "not found");
    }
    table.add(cells, lost);
  }
  return "<h3>Single bones of carpus and forearm, turned against the radius from the base scan</h3>\n" + table.text() +
         "<p class='note'>The wrist moves as the capitate does against the radius. The others have no joint in the "
         "hand; "
         "names with + hang together in the base scan.</p>\n";
}

}  // namespace supple::workflow::scan_report
