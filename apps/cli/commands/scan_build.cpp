// supple scan build: the whole way from scans to a posable hand.
#include <fmt/core.h>

#include <filesystem>
#include <numbers>

#include "cli/commands/scan.h"
#include "cli/model.h"
#include "cli/scan/chain.h"
#include "cli/scan/judge.h"
#include "cli/scan/report.h"
#include "supple/base/file.h"
#include "supple/deform/bake_drivers.h"
#include "supple/exchange/example_set_file.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;
constexpr double mm = 1000;

struct BuildOptions {
  std::string project, output, examples, report;
  SkinMethod method = SkinMethod::wpsd;
  bool no_pictures = false;
};

void declare_build(CLI::App& app, BuildOptions& o) {
  app.add_option("project", o.project, "Project file (.json); decisions are written back into it")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", o.output, "Hand to write (.glb, .gltf)")->required()->type_name("FILE");
  app.add_option("--method", o.method, "What corrects the skin: wpsd, psd, or ssd for nothing; default wpsd")
      ->transform(CLI::CheckedTransformer(std::map<std::string, SkinMethod>{
          {"wpsd", SkinMethod::wpsd}, {"psd", SkinMethod::psd}, {"ssd", SkinMethod::ssd}}))
      ->type_name("");
  app.add_option("--examples", o.examples, "Also write the fitted skins as an example set, for supple fit")
      ->type_name("FOLDER");
  app.add_option("--report", o.report, "Write a report with pictures of every stage, one HTML file")->type_name("FILE");
  app.add_flag("--no-pictures", o.no_pictures, "Leave the pictures out of the report");
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
    text +=
        fmt::format("  {:<23} {:8.3f} {:8.3f} {:8.3f}{}\n", entry.name, error.methods[0].rms * mm,
                    error.methods[1].rms * mm, error.methods[2].rms * mm, entry.role == Role::test ? "  held out" : "");
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

Result<Outcome> run_build(const BuildOptions& o, Session& session) {
  auto project = read_project(o.project);
  if (!project) return project.error();
  session.finish_on_interrupt();
  auto chain = run_chain(std::move(*project), session);
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
  std::size_t kept = 0;
  double seconds = 0;
  for (const StageRun& stage : (*chain)->stages) {
    kept += stage.kept ? 1 : 0;
    seconds += stage.seconds;
  }
  outcome.text =
      fmt::format("{}: {} bones, {} joints, {} triangles of skin from {} scans ({:.0f} s, {} of {} stages kept)\n",
                  o.output, (*chain)->bones.size(), character.skeleton.size(), skin.mesh.triangles.size(),
                  (*chain)->scans.size(), seconds, kept, (*chain)->stages.size());
  outcome.text += joints_text(**chain) + errors_text(**chain, *judged);
  outcome.text += "What was decided on the way is in " + o.project + "; change it there and run this again.\n";
  return outcome;
}

}  // namespace

void add_scan_build(CLI::App& scan, Session& session) {
  add_command<BuildOptions>(scan, session, "build", "Build a posable hand from the scans of a project",
                            "supple scan phantom hand-scans && supple scan build hand-scans/project.json -o hand.glb "
                            "--report report.html",
                            declare_build, run_build);
}

}  // namespace supple::cli
