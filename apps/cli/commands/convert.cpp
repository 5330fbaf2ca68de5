// supple convert: another format, another packing, a motion applied; everything else in the file stays.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/files/json_file.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct ConvertCommand {
  std::string input, output, motion, map;
  double motion_scale = 1;
  std::size_t influences = 0;
  bool embed = false, strict = false;
};

void declare(Command& app, ConvertCommand& o) {
  app.option("input", o.input, "File to read (.glb, .gltf, .obj, .bvh)").required().type("FILE");
  app.option("output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE");
  app.option("--influences", o.influences, "Reduce skin weights to this many joints per vertex").range(1, 64).type("N");
  const Option motion = app.option("--motion", o.motion, "Apply this BVH motion as a clip").type("FILE");
  app.option("--map", o.map, R"(JSON {"motion joint": "rig joint"} (default: equal names))").needs(motion).type("FILE");
  app.option("--motion-scale", o.motion_scale, "Metres per unit of the motion").positive().show_default().type("F");
  app.flag("--embed", o.embed, "Put buffers into the .gltf itself");
  app.flag("--strict", o.strict, "Refuse what would otherwise be repaired");
}

Result<std::map<std::string, std::string>> read_map(const std::string& path) {
  const auto json = read_json(path);
  if (!json) return json.error();
  std::map<std::string, std::string> map;
  const Error malformed{path, "is not a joint map", R"(write {"motion joint": "rig joint"})"};
  if (!json->is_object()) return malformed;
  for (const auto& [from, to] : json->members()) {
    if (!to.is_string()) return malformed;
    map[from] = to.get<std::string>();
  }
  return map;
}

Result<void> apply_motion(Model& model, const ConvertCommand& o, Session& session) {
  const auto motion = read_bvh(o.motion, {.scale = o.motion_scale});
  if (!motion) return motion.error();
  RetargetOptions options;
  if (!o.map.empty()) {
    auto map = read_map(o.map);
    if (!map) return map.error();
    options.joints = std::move(*map);
  }
  auto clip = retarget(motion->skeleton, motion->clip, model.character().skeleton, options, &session.warnings);
  if (!clip) return clip.error();
  const std::string name = clip->name;
  for (int n = 2; model.character().find_clip(clip->name) != nullptr; ++n) clip->name = name + " " + std::to_string(n);
  if (!model.character().flesh.empty() && clip->duration() > 0) {
    if (auto baked = bake_flesh(model.character(), *clip, {}, &session.warnings); !baked) return baked;
  }
  bake_drivers(model.character(), *clip);  // a skin that follows the joints follows this motion too
  if (auto put = gltf::put_clip(model.document, *clip, gltf::places_of(model.imported)); !put) return put;
  model.character().clips.push_back(std::move(*clip));
  return {};
}

void reduce_influences(Model& model, std::size_t influences, Session& session) {
  Character& c = model.character();
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (c.parts[p].weights.max_influences() <= influences) continue;
    c.parts[p].weights = top_influences(c.parts[p].weights, influences);
    gltf::put_part(model.document, model.imported.sources[p], c.parts[p], model.morph_weights(p), &session.warnings);
  }
}

Result<Outcome> run(const ConvertCommand& o, Session& session) {
  auto model = load_model(o.input, session, o.strict);
  if (!model) return model.error();
  if (!o.motion.empty()) {
    if (auto ok = apply_motion(*model, o, session); !ok) return ok.error();
  }
  if (o.influences > 0) reduce_influences(*model, o.influences, session);
  if (auto saved = save_model(o.output, *model, session, o.embed); !saved) return saved.error();
  const Character& c = model->character();
  Outcome outcome;
  outcome.text =
      fmt::format("{}: {} parts, {} joints, {} clips\n", o.output, c.parts.size(), c.skeleton.size(), c.clips.size());
  outcome.json = {
      {"file", o.output}, {"parts", c.parts.size()}, {"joints", c.skeleton.size()}, {"clips", c.clips.size()}};
  return outcome;
}

}  // namespace

void add_convert(Command& app, Session& session) {
  add_command<ConvertCommand>(app, session, "convert", "Convert between formats; apply a motion; reduce influences",
                              "supple convert body.glb walking.glb --motion walk.bvh --motion-scale 0.01", declare,
                              run);
}

}  // namespace supple::cli
