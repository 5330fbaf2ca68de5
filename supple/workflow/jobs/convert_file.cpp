#include "supple/workflow/jobs/convert_file.h"

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/files/json_file.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

Result<std::map<std::string, std::string>> read_joint_map(const std::string& path) {
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

Result<void> apply_motion(Model& model, const ConvertFileOptions& o, Work& work) {
  const auto motion = read_bvh(o.motion, {.scale = o.motion_scale});
  if (!motion) return motion.error();
  RetargetOptions options;
  if (!o.map.empty()) {
    auto map = read_joint_map(o.map);
    if (!map) return map.error();
    options.joints = std::move(*map);
  }
  auto clip = retarget(motion->skeleton, motion->clip, model.character().skeleton, options, &work.warnings);
  if (!clip) return clip.error();
  const std::string name = clip->name;
  for (int n = 2; model.character().find_clip(clip->name) != nullptr; ++n) clip->name = name + " " + std::to_string(n);
  if (!model.character().flesh.empty() && clip->duration() > 0) {
    if (auto baked = bake_flesh(model.character(), *clip, {}, &work.warnings); !baked) return baked;
  }
  bake_drivers(model.character(), *clip);  // a skin that follows the joints follows this motion too
  if (auto put = gltf::put_clip(model.document, *clip, gltf::places_of(model.imported)); !put) return put;
  model.character().clips.push_back(std::move(*clip));
  return {};
}

void fit_into_influences(Model& model, std::size_t influences, Work& work) {
  Character& c = model.character();
  std::vector<bool> changed;
  for (const Part& part : c.parts) changed.push_back(part.weights.max_influences() > influences);
  warn_of_reduction(reduce_influences(c, influences), influences, c, work);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (changed[p])
      gltf::put_part(model.document, model.imported.sources[p], c.parts[p], model.morph_weights(p), &work.warnings);
  }
}

}  // namespace

Result<ConvertedFile> convert_file(const ConvertFileOptions& o, Work& work) {
  auto model = load_model(o.input, work, o.strict);
  if (!model) return model.error();
  if (!o.motion.empty()) {
    if (auto ok = apply_motion(*model, o, work); !ok) return ok.error();
  }
  if (o.influences > 0) fit_into_influences(*model, o.influences, work);
  if (auto saved = save_model(o.output, *model, work, o.embed); !saved) return saved.error();
  const Character& c = model->character();
  return ConvertedFile{c.parts.size(), c.skeleton.size(), c.clips.size()};
}

}  // namespace supple::workflow
