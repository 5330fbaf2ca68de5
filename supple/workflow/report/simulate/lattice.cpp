// The report of examples by elastic flesh on a lattice.
#include <fmt/core.h>

#include <map>

#include "supple/files/example_set_file.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/simulate/report.h"
#include "supple/workflow/report/simulate/sheet.h"

namespace supple::workflow {
namespace {

using html::escaped;
using html::fact;

Json lattice_json(const LatticeTaught& taught, const SimulateOptions& o, const Warnings& warnings) {
  Json poses = Json::array();
  for (std::size_t i = 0; i < taught.outcomes.size(); ++i) {
    const LatticePose& outcome = taught.outcomes[i];
    const TeachingPose& pose = taught.poses[i];
    poses.push_back({{"name", pose.name},
                     {"sweep", pose.sweep},
                     {"role", pose.role == Role::train ? "train" : "test"},
                     {"weight", pose.weight},
                     {"iterations", outcome.convergence.iterations},
                     {"last_step", outcome.convergence.last_step},
                     {"inverted_cells", outcome.convergence.inverted},
                     {"contacts", outcome.convergence.contacts},
                     {"overlap", outcome.convergence.overlap},
                     {"farthest", outcome.farthest}});
  }
  const std::size_t finished = taught.outcomes.size();
  return {{"model", o.input},
          {"deformer", "lattice"},
          {"vertices", taught.vertices},
          {"elastic_vertices", taught.elastic_vertices},
          {"hard_pieces", taught.hard_pieces},
          {"cells", taught.cells},
          {"poses_finished", finished},
          {"poses_missing", taught.missing},
          {"poses_left_out", taught.absurd},
          {"unconverged", taught.unconverged()},
          {"farthest", taught.farthest()},
          {"seconds", taught.seconds},
          {"seconds_per_pose", finished == 0 ? 0 : taught.seconds / static_cast<double>(finished)},
          {"fit_command", fit_command(o)},
          {"failures", taught.failures},
          {"warnings", warnings},
          {"poses", std::move(poses)}};
}

std::string lattice_html(const Json& r) {
  const auto count = [&](const char* key) { return r[key].get<std::size_t>(); };
  std::string body = fmt::format("<p><b>{} of {} poses can be learnt from.</b></p>\n", count("poses_finished"),
                                 count("poses_finished") + count("poses_missing"));
  if (r.contains("sheet"))
    body += "<h2>Ends of sweeps, and poses not at rest</h2><img src='sheet.png' alt='Posed flesh'>\n";
  std::string rows =
      fact("Lattice", fmt::format("{} cells, which carry {} of {} vertices; {} hard pieces", count("cells"),
                                  count("elastic_vertices"), count("vertices"), count("hard_pieces")));
  rows += fact("Not quite at rest", fmt::format("{} poses", count("unconverged")));
  rows +=
      fact("Left out", fmt::format("{} poses that stretch the skin far more than any clip", count("poses_left_out")));
  rows += fact("Time", fmt::format("{:.1f} ms a pose", 1000 * r["seconds_per_pose"].get<double>()));
  rows += fact("Next", "<code>" + escaped(r["fit_command"]) + "</code>");
  body += "<h2>In numbers</h2>\n" + html::facts(rows) + html::list("Failures", r["failures"]) +
          html::list("Warnings", r["warnings"]);
  html::Table table({{"pose"},
                     {"sweep"},
                     {"role"},
                     {"weight", true},
                     {"iterations", true},
                     {"last step, of a cell", true},
                     {"inverted cells", true},
                     {"contacts", true},
                     {"deepest overlap, of a cell", true},
                     {"farthest from linear blend", true}});
  for (const Json& p : r["poses"]) {
    const double last = p["last_step"].get<double>();
    table.add(
        {escaped(p["name"]), escaped(p["sweep"]), escaped(p["role"]), fmt::format("{:.3f}", p["weight"].get<double>()),
         fmt::format("{}", p["iterations"].get<int>()), fmt::format("{:.3f}", last),
         fmt::format("{}", p["inverted_cells"].get<std::size_t>()), fmt::format("{}", p["contacts"].get<std::size_t>()),
         fmt::format("{:.2f}", p["overlap"].get<double>()), fmt::format("{:.4g}", p["farthest"].get<double>())},
        last > double{LatticeTaught::unconverged_step});
  }
  return html::page("Flesh on a lattice, " + r["model"].get<std::string>(),
                    body + "<h2>Every pose</h2>" + table.text());
}

/// Drawn from the set: nothing else holds all poses.
Result<render::Image> lattice_sheet(const LatticeTaught& taught, const std::string& folder, const Progress& progress) {
  const auto set = load_examples(folder);
  if (!set) return set.error();
  std::vector<SheetPose> poses;
  std::map<std::string, std::size_t> sweeps;
  for (std::size_t i = 0; i < taught.outcomes.size(); ++i) {
    const TeachingPose& pose = taught.poses[i];
    const bool flagged = taught.outcomes[i].convergence.last_step > LatticeTaught::unconverged_step;
    poses.push_back({sweeps.try_emplace(pose.sweep, sweeps.size()).first->second,
                     pose.name + (flagged ? ", not at rest" : ""), flagged});
  }
  const auto positions = [&](std::size_t i) -> std::optional<std::vector<Vec3f>> {
    const auto own = set->positions_of(i);
    return std::vector<Vec3f>(own.begin(), own.end());
  };
  const Character& character = taught.model.character();
  if (taught.parts.size() == 1) return draw_sheet(character, taught.parts[0], poses, positions, progress);
  return draw_sheet(merge_parts(character, taught.parts, Seams::kept).character, 0, poses, positions, progress);
}

}  // namespace

Json report_lattice(const LatticeTaught& taught, const SimulateOptions& o, bool pictures, Work& work) {
  Json report = lattice_json(taught, o, work.warnings);
  const DrawSheet sheet = [&] { return lattice_sheet(taught, o.output, work.progress); };
  write_reports(o.output, report, lattice_html, pictures && !taught.outcomes.empty() ? sheet : DrawSheet(), work);
  return report;
}

}  // namespace supple::workflow
