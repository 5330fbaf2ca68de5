// supple add delta-mush: smooths the posed skin and keeps its detail, live where Supple runs.
#include <fmt/core.h>

#include "cli/commands/add.h"
#include "supple/workflow/jobs/add_delta_mush.h"

namespace supple::cli {
namespace {

void declare_delta_mush_options(Command& app, AddDeltaMushOptions& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE").writes_character();
  app.option("--part", o.part, "The skin, by name (default: the first part bound to joints)").type("NAME");
  app.option("--iterations", o.iterations, "Rounds of smoothing: more for finer meshes")
      .show_default()
      .type("N")
      .range(1, static_cast<int>(DeltaMush::max_iterations));
  app.option("--strength", o.strength, "How far each goes to the mean of the neighbours")
      .show_default()
      .type("X")
      .range(0.01, 1.0);
  app.flag(
      "--free-borders", [&o] { o.keep_borders = false; }, "Smooth open edges too; they are kept otherwise");
  declare_no_compare(app, o.compare);
}

Result<Outcome> run_add_delta_mush(const AddDeltaMushOptions& o, Session& session) {
  const auto added = workflow::add_delta_mush(o, session);
  if (!added) return added.error();
  const Character& c = added->model.character();
  const std::string& part = c.parts[added->mush.part].name;
  Outcome outcome;
  outcome.text = fmt::format("{}: delta mush of part '{}': {}\n", o.output, part, delta_mush_kind.summary(c));
  outcome.json = {{"file", o.output},
                  {"part", part},
                  {"iterations", o.iterations},
                  {"strength", o.strength},
                  {"keep_borders", o.keep_borders}};
  tell_comparison(added->compared, added->model.character().skeleton, outcome);
  outcome.text += "next, a plain file that plays everywhere:\n  supple simulate " + o.output +
                  " --deformer delta-mush -o examples && supple fit " + o.output + " --examples examples -o skin.glb\n";
  return outcome;
}

}  // namespace

void declare_add_delta_mush(Command& add, Session& session) {
  add_command<AddDeltaMushOptions>(add, session, "delta-mush",
                                   "Smooth the skin where joints bend it, and keep its detail",
                                   "supple add delta-mush body.glb -o smooth.glb\n"
                                   "  supple add delta-mush body.glb --iterations 20 --strength .7 -o smooth.glb\n"
                                   "  supple simulate smooth.glb --deformer delta-mush -o examples   (then supple fit)",
                                   declare_delta_mush_options, run_add_delta_mush);
}

}  // namespace supple::cli
