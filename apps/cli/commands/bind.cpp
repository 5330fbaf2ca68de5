// supple bind: skin weights for a rig that has none, or new ones.
#include <fmt/core.h>

#include "cli/commands/add.h"
#include "supple/workflow/jobs/bind_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, BindFileOptions& o) {
  app.option("file", o.input, "Mesh to bind (.glb, .gltf, .obj)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write").required().type("FILE").writes_character();
  app.option("--skeleton", o.skeleton, "Take the joints from this file (default: the file's own)").type("FILE");
  app.option("--influences", o.weights.max_influences, "Joints per vertex at most")
      .show_default()
      .range(1, 64)
      .type("N");
  app.option("--smoothing", o.weights.smoothing,
             "Smoothing steps over the surface (default: as many as its edges ask for)")
      .range(0, 1000)
      .type("N");
  app.option(
         "--power", [&o](double power) { o.weights.segment_power = o.weights.surface_power = power; },
         "Falloff: weight ~ distance to the bone inside the body ^ -power (default 8, 3 to bone surfaces)")
      .positive()
      .type("P");
  declare_no_compare(app, o.compare);
}

Result<Outcome> run(const BindFileOptions& o, Session& session) {
  const auto bound = workflow::bind_file(o, session);
  if (!bound) return bound.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} parts, {} vertices bound, up to {} influences\n", o.output, bound->parts,
                             bound->vertices, bound->max_influences);
  if (bound->attached > 0)
    outcome.text +=
        fmt::format("  {} points of pieces that no joint is inside of follow the nearest skin\n", bound->attached);
  for (std::size_t i = 0; i < bound->outside.size(); ++i)
    outcome.text += (i == 0 ? "  joints outside the body, which move nothing: " : ", ") + bound->outside[i];
  if (!bound->outside.empty()) outcome.text += "\n";
  outcome.json = {{"file", o.output},
                  {"parts", bound->parts},
                  {"vertices", bound->vertices},
                  {"max_influences", bound->max_influences},
                  {"attached", bound->attached},
                  {"outside", bound->outside}};
  tell_comparison(bound->compared, bound->skeleton, outcome);
  return outcome;
}

}  // namespace

void add_bind(Command& app, Session& session) {
  add_command<BindFileOptions>(app, session, "bind", "Make skin weights from the distance to bones inside the body",
                               "supple bind body.obj --skeleton rig.glb -o body.glb", declare, run);
}

}  // namespace supple::cli
