// supple delta-mush: smooths the posed skin and keeps its detail, live where Supple runs.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/files/gltf/deformers.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct DeltaMushCommand {
  std::string input, output, part;
  int iterations = 10;
  double strength = 0.5;
  bool free_borders = false, remove = false;
};

void declare(Command& app, DeltaMushCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE");
  app.option("--part", o.part, "The skin, by name (default: the first part bound to joints)").type("NAME");
  app.option("--iterations", o.iterations, "Rounds of smoothing: more for finer meshes")
      .type("N")
      .range(1, static_cast<int>(DeltaMush::max_iterations));
  app.option("--strength", o.strength, "How far each goes to the mean of the neighbours").type("X").range(0.01, 1.0);
  app.flag("--free-borders", o.free_borders, "Smooth open edges too; they are kept otherwise");
  app.flag("--remove", o.remove, "Take delta mush out of the file");
}

Result<Outcome> run(const DeltaMushCommand& o, Session& session) {
  if (!o.output.ends_with(".glb") && !o.output.ends_with(".gltf"))
    return Error{o.output, "is no glTF file name", "write .glb or .gltf"};
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  Character& c = model->character();
  Outcome outcome;
  if (o.remove) {
    if (c.delta_mush.empty()) return Error{o.input, "has no delta mush", ""};
    c.delta_mush.clear();
    outcome.text = fmt::format("{}: delta mush taken out\n", o.output);
    outcome.json = {{"file", o.output}, {"removed", true}};
  } else {
    const auto part = find_part(c, o.part);
    if (!part) return Error{o.input + ", " + part.error().item, part.error().problem, part.error().remedy};
    DeltaMush mush;
    mush.part = static_cast<std::uint32_t>(*part);
    mush.iterations = static_cast<std::uint32_t>(o.iterations);
    mush.strength = static_cast<float>(o.strength);
    mush.keep_borders = !o.free_borders;
    if (auto ok = validate(mush, c); !ok)
      return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
    std::erase_if(c.delta_mush, [&](const DeltaMush& m) { return m.part == mush.part; });
    c.delta_mush.push_back(mush);
    outcome.text =
        fmt::format("{}: delta mush of part '{}': {}\n", o.output, c.parts[*part].name, delta_mush_kind.summary(c));
    outcome.text += "next, a plain file that plays everywhere:\n  supple simulate " + o.output +
                    " --deformer delta-mush -o examples && supple fit " + o.output +
                    " --examples examples -o skin.glb\n";
    outcome.json = {{"file", o.output},
                    {"part", c.parts[*part].name},
                    {"iterations", o.iterations},
                    {"strength", o.strength},
                    {"keep_borders", mush.keep_borders}};
  }
  if (auto put = gltf::put_deformer(model->document, delta_mush_kind, model->imported); !put) return put.error();
  if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  return outcome;
}

}  // namespace

void add_delta_mush(Command& app, Session& session) {
  add_command<DeltaMushCommand>(app, session, "delta-mush", "Smooth the skin where joints bend it, and keep its detail",
                                "supple delta-mush body.glb -o smooth.glb\n"
                                "  supple delta-mush body.glb --iterations 20 --strength .7 -o smooth.glb\n"
                                "  supple simulate smooth.glb --deformer delta-mush -o examples   (then supple fit)",
                                declare, run);
}

}  // namespace supple::cli
