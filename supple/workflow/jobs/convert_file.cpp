#include "supple/workflow/jobs/convert_file.h"

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/files/json_file.h"
#include "supple/rig/bind_pose.h"
#include "supple/rig/deformers.h"
#include "supple/rig/flat_rig.h"
#include "supple/rig/reparent.h"
#include "supple/workflow/jobs/unit.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

/// `example`: of a key and a value.
Result<std::map<std::string, std::string>> read_joint_map(const std::string& path, const char* example) {
  const auto json = read_json(path);
  if (!json) return json.error();
  std::map<std::string, std::string> map;
  const Error malformed{path, "is not a joint map", std::string("write ") + example};
  if (!json->is_object()) return malformed;
  for (const auto& [from, to] : json->members()) {
    if (!to.is_string()) return malformed;
    map[from] = to.get<std::string>();
  }
  return map;
}

Result<AppliedMotion> apply_motion(Model& model, const ConvertFileOptions& o, Work& work) {
  auto motion = read_bvh(o.motion, {.scale = o.motion_scale});
  if (!motion) return motion.error();
  RetargetOptions options;
  options.standing = bind_pose(model.character());
  if (!o.map.empty()) {
    auto map = read_joint_map(o.map, R"({"motion joint": "rig joint"})");
    if (!map) return map.error();
    options.joints = std::move(*map);
  }
  auto match = match_joints(motion->skeleton, model.character().skeleton, options);
  if (!match) return Error{o.motion, match.error().problem, match.error().remedy};
  auto clip = retarget(motion->skeleton, motion->clip, model.character().skeleton, *match, options, &work.warnings);
  if (!clip) return clip.error();
  const std::string name = clip->name;
  for (int n = 2; model.character().find_clip(clip->name) != nullptr; ++n) clip->name = name + " " + std::to_string(n);
  if (!model.character().flesh.empty() && clip->duration() > 0) {
    if (auto baked = bake_flesh(model.character(), *clip, {}, &work.warnings); !baked) return baked.error();
  }
  bake_drivers(model.character(), *clip);  // a skin that follows the joints follows this motion too
  if (auto put = gltf::put_clip(model.document, *clip, gltf::places_of(model.imported)); !put) return put.error();
  model.character().clips.push_back(std::move(*clip));
  return AppliedMotion{std::move(*motion), std::move(*match)};
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

/// By the file that names parents, or by name and place where the skeleton is flat.
Result<std::vector<JointIndex>> wanted_parents(const Character& c, const ConvertFileOptions& o) {
  const Skeleton& skeleton = c.skeleton;
  std::vector<JointIndex> parents(skeleton.parents().begin(), skeleton.parents().end());
  if (const auto flat = flat_rig(c); flat && o.reparent) {
    parents = proposed_parents(c, *flat);
  } else if (o.reparent && std::ranges::none_of(skinned_joints(c), [](bool skinned) { return skinned; })) {
    return Error{o.input, "has no joints that a skin follows", "use a rigged file"};
  } else if (o.reparent) {
    return Error{o.input, "has joints that form a tree already", "name single parents with --parents FILE"};
  }
  if (o.parents.empty()) return parents;
  const auto map = read_joint_map(o.parents, R"({"joint": "its parent"})");
  if (!map) return map.error();
  for (const auto& [name, above] : *map) {
    const auto joint = skeleton.require(name), parent = skeleton.require(above);
    if (!joint) return joint.error();
    if (!parent) return parent.error();
    parents[*joint] = *parent;
  }
  return parents;
}

Result<std::vector<std::pair<std::string, std::string>>> put_tree(Model& model, const ConvertFileOptions& o) {
  const Character& c = model.character();
  for (const DeformerKind* kind : deformers())
    if (kind->count(c) > 0)
      return Error{o.input, std::string("has ") + kind->name + ", which go by the tree of joints that there is",
                   "take them out first: supple remove all"};
  const auto parents = wanted_parents(c, o);
  if (!parents) return parents.error();
  const auto moved = reparent(c, *parents);
  if (!moved) return Error{o.input + ", " + moved.error().item, moved.error().problem, moved.error().remedy};
  std::vector<std::pair<std::string, std::string>> told;
  for (JointIndex j = 0; j < parents->size(); ++j)
    if ((*parents)[j] != c.skeleton.parent(j))
      told.emplace_back(c.skeleton.name(j), (*parents)[j] == no_joint ? "" : c.skeleton.name((*parents)[j]));
  const gltf::Places places = gltf::places_of(model.imported);
  gltf::put_parents(model.document, c.skeleton, *parents, moved->rest, places);
  for (std::size_t number = 0; number < moved->clips.size(); ++number)
    if (auto put = gltf::put_clip(model.document, moved->clips[number], places, number); !put) return put.error();
  auto again = gltf::to_character(model.document);
  if (!again) return again.error();
  model.imported = std::move(*again);
  return told;
}

}  // namespace

Result<ConvertedFile> convert_file(const ConvertFileOptions& o, Work& work) {
  auto model = load_model(o.input, work, o.strict);
  if (!model) return model.error();
  if (o.unit) settle_unit(*model, o.unit, work);
  ConvertedFile converted;
  if (o.reparent || !o.parents.empty()) {
    auto told = put_tree(*model, o);
    if (!told) return told.error();
    converted.reparented = std::move(*told);
  }
  if (!o.motion.empty()) {
    auto applied = apply_motion(*model, o, work);
    if (!applied) return applied.error();
    converted.motion = std::move(*applied);
    auto judged = judge_motion(model->character(), model->character().clips.size() - 1, work);
    if (!judged) return judged.error();
    converted.motion->judged = std::move(*judged);
  }
  if (o.influences > 0) fit_into_influences(*model, o.influences, work);
  if (auto saved = save_model(o.output, *model, work, o.embed); !saved) return saved.error();
  converted.model = std::move(*model);
  return converted;
}

}  // namespace supple::workflow
