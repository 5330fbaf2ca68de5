// supple scan build: the whole way from scans to a posable hand.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/scan/commands/scan.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/base/file.h"
#include "supple/files/example_set_file.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/chain.h"
#include "supple/workflow/study/judge.h"
#include "supple/workflow/study/report.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct BuildOptions {
  std::string project, output, examples, report;
  SkinMethod method = SkinMethod::wpsd;
  bool no_pictures = false;
};

void declare_build(Command& app, BuildOptions& o) {
  app.option("project", o.project, "Project file (.json); decisions are written back into it").required().type("FILE");
  app.option("-o,--output", o.output, "Hand to write (.glb, .gltf)").required().type("FILE");
  app.choice<SkinMethod>("--method", o.method, "What corrects the skin: wpsd, psd, or ssd for nothing; default wpsd",
                         {{"wpsd", SkinMethod::wpsd}, {"psd", SkinMethod::psd}, {"ssd", SkinMethod::ssd}});
  app.option("--examples", o.examples, "Also write the fitted skins as an example set, for supple fit").type("FOLDER");
  app.option("--report", o.report, "Write a report with pictures of every stage, one HTML file").type("FILE");
  app.flag("--no-pictures", o.no_pictures, "Leave the pictures out of the report");
}

std::string joints_text(const Chain& chain) {
  std::string text;
  for (std::size_t b = 1; b < chain.bones.size(); ++b) {
    const scan::JointEstimate& joint = chain.joints[b];
    text += fmt::format("  {:<34} {:6.2f} mm left, {} of 3 directions seen{}\n", chain.bones[b].name,
                        joint.residual * mm, joint.seen, joint.slides ? ", slides" : "");
  }
  return text;
}

std::string errors_text(const Chain& chain, const Judged& judged) {
  std::string text = fmt::format("{:<24} {:>8} {:>8} {:>8}\n", "skin against scan, mm RMS", "SSD", "PSD", "WPSD");
  for (const ScanError& error : judged.errors) {
    const ScanEntry& entry = *chain.scans[error.scan].entry;
    text += fmt::format(
        "  {:<23} {:8.3f} {:8.3f} {:8.3f}{}{}\n", entry.name, error.methods[0].rms * mm, error.methods[1].rms * mm,
        error.methods[2].rms * mm, entry.role == Role::test ? "  held out" : "",
        error.share_left_out >= 0.005 ? fmt::format("  ({:.0f} % of the skin not shown)", 100 * error.share_left_out)
                                      : "");
  }
  return text;
}

/// The examples of a character as the file has it, where every node is a joint.
Result<void> write_examples(const fs::path& folder, const ExampleSet& set, const Character& character) {
  auto writer = ExampleWriter::create(folder, subject_of(character, 0, set.origin));
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Pose scanned = set.pose(i);
    Pose pose = character.rest();
    for (JointIndex j = 0; j < set.skeleton.size(); ++j)
      pose.local[*character.skeleton.find(set.skeleton.name(j))] = scanned.local[j];
    if (auto ok = writer->add(set.examples[i], pose, set.positions_of(i), set.normals_of(i)); !ok) return ok;
  }
  return writer->finish();
}

/// Before minutes of work, not after them.
Result<void> check_outputs(const BuildOptions& o) {
  const std::string extension = fs::path(o.output).extension().string();
  if (extension != ".glb" && extension != ".gltf")
    return Error{o.output, "is not a name of a glTF file", "let it end in .glb or .gltf"};
  for (const std::string& path : {o.output, o.report, o.examples}) {
    const fs::path above = fs::path(path).parent_path();
    std::error_code failed;
    if (!above.empty() && !fs::is_directory(above, failed))
      return Error{path, "cannot be written: " + above.string() + " is no folder", "make it first"};
  }
  return {};
}

Result<Outcome> run_build(const BuildOptions& o, Session& session) {
  const auto start = std::chrono::steady_clock::now();
  if (auto usable = check_outputs(o); !usable) return usable.error();
  auto project = read_project(o.project);
  if (!project) return project.error();
  session.finish_on_interrupt();
  auto chain = run_chain(std::move(*project), session);
  if (!chain && session.stopped()) {
    const std::string what = "Stopped. Finished stages and decisions are kept: the same command goes on from there.";
    return Outcome{what + "\n", {{"stopped", true}, {"project", o.project}}, incomplete};
  }
  if (!chain) return chain.error();
  auto judged = judge(**chain, session);
  if (!judged) return judged.error();
  Character& character = judged->characters[static_cast<std::size_t>(o.method)];
  bake_drivers(character);
  auto model = to_model(character);
  if (!model) return model.error();
  if (!o.examples.empty())
    if (auto ok = write_examples(o.examples, (*chain)->assembled.examples, model->character()); !ok) return ok.error();
  if (auto ok = save_model(o.output, *model, session); !ok) return ok.error();

  Outcome outcome;
  outcome.json = scan_json(**chain, *judged, session.warnings);
  outcome.json["file"] = o.output;
  if (!o.report.empty()) {
    auto page = scan_html(**chain, *judged, outcome.json, !o.no_pictures, session);
    if (!page) return page.error();
    if (auto ok = write_file(o.report, *page); !ok) return ok.error();
  }
  const Part& skin = character.parts[0];
  const auto kept =
      std::count_if((*chain)->stages.begin(), (*chain)->stages.end(), [](const StageRun& stage) { return stage.kept; });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.json["seconds"] = seconds;
  outcome.text =
      fmt::format("{}: {} bones, {} joints, {} triangles of skin from {} scans ({:.0f} s, {} of {} stages kept)\n",
                  o.output, (*chain)->bones.size(), character.skeleton.size(), skin.mesh.triangles.size(),
                  (*chain)->scans.size(), seconds, kept, (*chain)->stages.size());
  outcome.text += joints_text(**chain) + errors_text(**chain, *judged);
  outcome.text += "What was decided on the way is in " + o.project + "; change it there and run this again.\n";
  return outcome;
}

}  // namespace

void add_scan_build(Command& scan, Session& session) {
  add_command<BuildOptions>(
      scan, session, "build", "Build a posable hand from the scans of a project",
      "supple scan phantom -o hand-scans && supple scan build hand-scans/project.json -o hand.glb "
      "--report report.html",
      declare_build, run_build);
}

}  // namespace supple::cli
