// supple scan biomechanics: bones, joints and models of a study for programs of biomechanics.
#include <fmt/core.h>

#include "cli/scan/commands/scan.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/export_biomechanics.h"

namespace supple::cli {
namespace {

void declare_biomechanics(Command& app, BiomechanicsOptions& o) {
  app.option("project", o.project, "Project file (.json), as supple scan build takes it").required().type("FILE");
  app.option("-o,--output", o.output, "New folder for tables, bones, transforms and models").required().type("FOLDER");
  app.option("--clips", o.clips, "Angles of the clips of a hand that was built from the project (.glb, .gltf)")
      .type("FILE");
  app.option("--rate", o.rate, "How many times a second angles of clips are told").positive().show_default().type("HZ");
  app.option("--bone-density", o.bone_density, "Of whole bones with their marrow")
      .positive()
      .show_default()
      .type("G/CM3");
  app.option("--flesh-density", o.flesh_density, "Of all that is around them").positive().show_default().type("G/CM3");
  app.option("--reference-poses", o.reference_poses,
             "Also write so many random poses with where bones and landmarks go: to check other programs with")
      .range(0, 100000)
      .type("N");
  app.mark_advanced({"--rate", "--bone-density", "--flesh-density", "--reference-poses"});
}

std::string kinds_text(const Biomechanics& made) {
  std::string text;
  for (std::size_t b = 0; b < made.model.bodies.size(); ++b) {
    const scan::JointModel* chosen = made.joints.types[b].model();
    if (chosen == nullptr) continue;
    const auto next = static_cast<std::size_t>(chosen->type) + 1;
    const std::vector<scan::JointModel>& tried = made.joints.types[b].tried;
    text += fmt::format("  {:<34} {:<10} {:6.2f} degrees, {:5.2f} mm left{}\n", made.model.bodies[b].name,
                        scan::name_of(chosen->type), chosen->turn_left * degrees, chosen->shift_left * mm,
                        next < tried.size() ? fmt::format(", as {} {:.2f} and {:.2f}", scan::name_of(tried[next].type),
                                                          tried[next].turn_left * degrees, tried[next].shift_left * mm)
                                            : "");
  }
  return text;
}

Result<Outcome> run_biomechanics(const BiomechanicsOptions& o, Session& session) {
  session.finish_on_interrupt();
  const auto made = export_biomechanics(o, session);
  if (!made && session.stopped()) {
    const std::string what = "Stopped. Finished stages and decisions are kept: the same command goes on from there.";
    return Outcome{what + "\n", {{"stopped", true}, {"project", o.project}}, incomplete};
  }
  if (!made) return made.error();
  Outcome outcome;
  outcome.json = made->facts;
  outcome.text =
      fmt::format("{}: {} bones in {} scans, {} coordinates, {:.0f} g\n", o.output, made->model.bodies.size(),
                  made->chain->scans.size(), made->model.coordinate_count(), made->facts["mass_kg"].get<double>() * mm);
  outcome.text += kinds_text(*made);
  outcome.text +=
      "model/hand.osim and model/hand.xml move by these joints; tables are described in docs/biomechanics.md.\n";
  outcome.text += review_text(made->chain->review);
  return outcome;
}

}  // namespace

void add_scan_biomechanics(Command& scan, Session& session) {
  add_command<BiomechanicsOptions>(
      scan, session, "biomechanics",
      "Joint angles, axes and kinds, bones with transforms, and models for OpenSim and MuJoCo",
      "supple scan biomechanics hand-scans/project.json -o hand-biomechanics", declare_biomechanics, run_biomechanics);
}

}  // namespace supple::cli
