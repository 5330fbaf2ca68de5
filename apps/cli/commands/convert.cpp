// supple convert: another format, another packing, a motion applied; everything else in the file stays.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/workflow/jobs/convert_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, ConvertFileOptions& o) {
  app.option("file", o.input, "File to read (.glb, .gltf, .obj, .bvh)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
  app.option("--influences", o.influences, "Reduce skin weights to this many joints per vertex").range(1, 64).type("N");
  const Option motion = app.option("--motion", o.motion, "Apply this BVH motion as a clip").type("FILE");
  app.option("--map", o.map, R"(JSON {"motion joint": "rig joint"} (default: equal names))").needs(motion).type("FILE");
  app.option("--motion-scale", o.motion_scale, "Metres per unit of the motion").positive().show_default().type("F");
  app.flag("--reparent", o.reparent,
           "Give joints that all hang on one a tree, by name and place; nothing moves otherwise in any clip");
  app.option("--parents", o.parents, R"(JSON {"joint": "its parent"}: the tree, or what --reparent gets wrong)")
      .existing_file()
      .type("FILE");
  app.option("--unit", o.unit, "Metres that one unit of the file is, for Supple to remember; 0.01 for centimetres")
      .positive()
      .type("M");
  app.flag("--embed", o.embed, "Put buffers into the .gltf itself");
  app.flag("--strict", o.strict, "Refuse what would otherwise be repaired");
}

Result<Outcome> run(const ConvertFileOptions& o, Session& session) {
  const auto made = workflow::convert_file(o, session);
  if (!made) return made.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} parts, {} joints, {} clips\n", o.output, made->parts, made->joints, made->clips);
  outcome.json = {{"file", o.output}, {"parts", made->parts}, {"joints", made->joints}, {"clips", made->clips}};
  for (const auto& [joint, parent] : made->reparented) {
    outcome.text += fmt::format("  {} hangs on {} now\n", joint, parent.empty() ? "nothing" : parent);
    outcome.json["reparented"][joint] = parent;
  }
  return outcome;
}

}  // namespace

void add_convert(Command& app, Session& session) {
  add_command<ConvertFileOptions>(app, session, "convert",
                                  "Convert between formats; apply a motion; reduce influences; mend a flat skeleton",
                                  "supple convert body.glb --motion walk.bvh --motion-scale 0.01 -o walking.glb\n"
                                  "  supple convert flat.glb --reparent -o tree.glb",
                                  declare, run);
}

}  // namespace supple::cli
