// supple scan build: the whole way from scans to a posable hand.
#include <fmt/core.h>

#include <algorithm>

#include "cli/scan/commands/scan.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/build_hand.h"

namespace supple::cli {
namespace {

void declare_build(Command& app, BuildHandOptions& o) {
  app.option("project", o.project, "Project file (.json); decisions are written back into it").required().type("FILE");
  app.option("-o,--output", o.output, "Hand to write (.glb, .gltf)").required().type("FILE").writes_character();
  app.choice<SkinMethod>("--method", o.method, "What corrects the skin: wpsd, psd, or ssd for nothing; default wpsd",
                         {{"wpsd", SkinMethod::wpsd}, {"psd", SkinMethod::psd}, {"ssd", SkinMethod::ssd}});
  app.option("--examples", o.examples, "Also write the fitted skins as an example set, for supple fit").type("FOLDER");
  app.option("--report", o.report, "Write a report with pictures of every stage, one HTML file").type("FILE");
  app.option("--review", o.review, "Write how sure every decision is, what needs a look first (.csv)").type("FILE");
  app.flag(
      "--no-pictures", [&o] { o.pictures = false; }, "Leave the pictures out of the report");
}

std::string joints_text(const Chain& chain) {
  std::string text;
  for (std::size_t b = 1; b < chain.bones.size(); ++b) {
    const scan::JointEstimate& joint = chain.joints[b];
    text +=
        fmt::format("  {:<34} {:6.2f} mm left, {} of 3 directions seen, to {:.2f} mm along its axis, {:.2f} across{}\n",
                    chain.bones[b].name, joint.residual * mm, joint.seen, joint.along_axis * mm, joint.across_axis * mm,
                    joint.slides ? ", slides" : "");
  }
  return text;
}

std::string errors_text(const Chain& chain, const Judged& judged) {
  std::string text = fmt::format("{:<24} {:>8} {:>8} {:>8} {:>11}\n", "skin against scan, mm RMS", "SSD", "PSD", "WPSD",
                                 "whole, most");
  for (const ScanError& error : judged.errors) {
    const ScanEntry& entry = *chain.scans[error.scan].entry;
    text += fmt::format("  {:<23} {:8.3f} {:8.3f} {:8.3f} {:11.3f}{}{}\n", entry.name, error.methods[0].rms * mm,
                        error.methods[1].rms * mm, error.methods[2].rms * mm, error.whole[2].max * mm,
                        entry.role == Role::test ? "  held out" : "",
                        error.share_left_out >= 0.005
                            ? fmt::format("  ({:.0f} % of the skin not shown)", 100 * error.share_left_out)
                            : "");
  }
  return text;
}

Result<Outcome> run_build(const BuildHandOptions& o, Session& session) {
  session.finish_on_interrupt();
  const auto built = build_hand(o, session);
  if (!built && session.stopped()) {
    const std::string what = "Stopped. Finished stages and decisions are kept: the same command goes on from there.";
    return Outcome{what + "\n", {{"stopped", true}, {"project", o.project}}, incomplete};
  }
  if (!built) return built.error();
  const Chain& chain = *built->chain;
  const Character& character = built->judged.characters[static_cast<std::size_t>(o.method)];
  const std::string skin =
      chain.has_skin() ? fmt::format("{} triangles of skin", chain.base_skin.triangles.size()) : std::string("no skin");
  const auto kept =
      std::count_if(chain.stages.begin(), chain.stages.end(), [](const StageRun& stage) { return stage.kept; });
  Outcome outcome;
  outcome.json = built->facts;
  outcome.text = fmt::format("{}: {} bones, {} joints, {} from {} scans ({:.0f} s, {} of {} stages kept)\n", o.output,
                             chain.bones.size(), character.skeleton.size(), skin, chain.scans.size(), built->seconds,
                             kept, chain.stages.size());
  outcome.text += joints_text(chain) + (chain.has_skin() ? errors_text(chain, built->judged) : "");
  outcome.text += "What was decided on the way is in " + o.project + "; change it there and run this again.\n";
  outcome.text += review_text(chain.review);
  return outcome;
}

}  // namespace

void add_scan_build(Command& scan, Session& session) {
  add_command<BuildHandOptions>(
      scan, session, "build", "Build a posable hand from the scans of a project",
      "supple scan phantom -o hand-scans && supple scan build hand-scans/project.json -o hand.glb "
      "--report report.html",
      declare_build, run_build);
}

}  // namespace supple::cli
