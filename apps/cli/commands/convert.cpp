// supple convert: another format, another packing, a motion applied; everything else in the file stays.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/base/file.h"
#include "supple/workflow/jobs/convert_file.h"
#include "supple/workflow/report/motion_picture.h"

namespace supple::cli {
namespace {

struct ConvertCommand : ConvertFileOptions {
  std::string picture{};
};

void declare(Command& app, ConvertCommand& o) {
  app.option("file", o.input, "File to read (.glb, .gltf, .obj, .bvh)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
  app.option("--influences", o.influences, "Reduce skin weights to this many joints per vertex").range(1, 64).type("N");
  const Option motion = app.option("--motion", o.motion, "Apply this BVH motion as a clip").type("FILE");
  app.option("--map", o.map,
             R"(JSON {"motion joint": "rig joint"} (default: equal names, or those of known name sets))")
      .needs(motion)
      .type("FILE");
  app.option("--picture", o.picture, "Draw both skeletons, at rest and in the motion (.png)")
      .needs(motion)
      .type("FILE");
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

Result<Outcome> run(const ConvertCommand& o, Session& session) {
  const auto made = workflow::convert_file(o, session);
  if (!made) return made.error();
  const Character& c = made->model.character();
  Outcome outcome;
  outcome.text =
      fmt::format("{}: {} parts, {} joints, {} clips\n", o.output, c.parts.size(), c.skeleton.size(), c.clips.size());
  outcome.json = {
      {"file", o.output}, {"parts", c.parts.size()}, {"joints", c.skeleton.size()}, {"clips", c.clips.size()}};
  for (const auto& [joint, parent] : made->reparented) {
    outcome.text += fmt::format("  {} hangs on {} now\n", joint, parent.empty() ? "nothing" : parent);
    outcome.json["reparented"][joint] = parent;
  }
  if (!made->motion) return outcome;
  const JointMatch& match = made->motion->match;
  outcome.json["matched_joints"] = match.matched();
  outcome.text += fmt::format("  the motion moves {} joints", match.matched());
  if (!match.source_names.empty()) {
    outcome.text += fmt::format(", from {} names to {} names", match.source_names, match.target_names);
    outcome.json["names"] = {match.source_names, match.target_names};
  }
  outcome.text += "\n";
  if (const auto& judged = made->motion->judged) {
    outcome.text += judged->worse.empty()
                        ? fmt::format("  in none of {} frames the skin is worse than by linear blend\n",
                                      judged->compared.poses.size())
                        : fmt::format("  in {} of {} frames the skin is worse than by linear blend: see the warnings\n",
                                      judged->worse.size(), judged->compared.poses.size());
    outcome.json["frames"] = judged->compared.poses.size();
    outcome.json["worse_frames"] = Json::array();
    for (const std::size_t frame : judged->worse)
      outcome.json["worse_frames"].push_back(judged->compared.poses[frame].name);
  }
  if (o.picture.empty()) return outcome;
  const auto picture = workflow::draw_motion(*made, session);
  if (!picture) return picture.error();
  const auto png = render::encode_png(*picture);
  if (!png) return png.error();
  if (auto written = write_file(o.picture, *png); !written) return written.error();
  outcome.text += "  " + o.picture + "\n";
  outcome.json["picture"] = o.picture;
  return outcome;
}

}  // namespace

void add_convert(Command& app, Session& session) {
  add_command<ConvertCommand>(app, session, "convert",
                              "Convert between formats; apply a motion; reduce influences; mend a flat skeleton",
                              "supple convert body.glb --motion walk.bvh --motion-scale 0.01 -o walking.glb\n"
                              "  supple convert flat.glb --reparent -o tree.glb",
                              declare, run);
}

}  // namespace supple::cli
