#include "supple/workflow/jobs/bind_file.h"

#include <algorithm>

#include "supple/deform/posed_surfaces.h"

namespace supple::workflow {
namespace {

Error in_part(const Error& error, const std::string& part) {
  return {"part '" + part + "', " + error.item, error.problem, error.remedy};
}

/// Joints that take part: those of the skins there are, or every node that does not carry a mesh.
std::vector<JointIndex> joints_to_bind(const Character& character) {
  std::vector<bool> used = skinned_joints(character);
  if (std::find(used.begin(), used.end(), true) == used.end()) {
    used.assign(used.size(), true);
    for (const Part& part : character.parts) {
      if (part.node != no_joint) used[part.node] = false;
    }
  }
  std::vector<JointIndex> joints;
  for (JointIndex j = 0; j < used.size(); ++j) {
    if (used[j]) joints.push_back(j);
  }
  return joints;
}

SkinBinding rest_binding(const Character& character, std::span<const Bone> bones) {
  const std::vector<Affinef> world = to_world(character.skeleton, character.rest());
  SkinBinding binding{"bound", {}, {}};
  for (const Bone& bone : bones) {
    binding.joints.push_back(bone.joint);
    binding.inverse_bind.push_back(inverse(world[bone.joint]));
  }
  return binding;
}

/// The rig of one file with the surfaces of another, as their own rig places them at rest, all in one skin.
Result<Character> assemble_bound(const Character& rig, const Character& meshes, const BindOptions& options,
                                 Work& work) {
  auto result = posed_surfaces(meshes, meshes.rest());
  if (!result) return result.error();
  result->skeleton = rig.skeleton;
  result->clips = rig.clips;
  for (Clip& clip : result->clips) {
    std::erase_if(clip.tracks, [](const Track& t) { return t.channel == Channel::morph_weights; });
  }
  if (!meshes.morph_weights.empty()) work.warnings.push_back("morph targets are left behind");
  const std::vector<Bone> bones = bones_of(rig.skeleton, joints_to_bind(rig));
  if (bones.empty()) return Error{rig.name, "has no joints to bind to", "name a rig with --skeleton"};
  result->skins.push_back(rest_binding(rig, bones));
  for (Part& part : result->parts) {
    part.skin = 0;
    auto weights = bind_skin(part.mesh, bones, options, work.progress);
    if (!weights) return in_part(weights.error(), part.name);
    part.weights = std::move(*weights);
  }
  return result;
}

/// The bones of a skin where it binds its mesh, with surfaces where the file has a part "bones" for them.
std::vector<Bone> bones_for(const Character& c, std::uint32_t skin) {
  const std::vector<Bone> bones = bones_of(c.skeleton, c.skins[skin]);
  for (const Part& part : c.parts) {
    if (part.name != "bones" || part.skin != skin) continue;
    std::vector<Bone> dressed = with_surfaces(bones, part, c.skins[skin]);
    if (!dressed.empty()) return dressed;
  }
  return bones;
}

/// New weights for the skinned parts of a file; everything else in it stays.
Result<std::size_t> rebind(Model& model, const BindOptions& options, Work& work) {
  Character& c = model.character();
  std::size_t bound = 0;
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    Part& part = c.parts[p];
    if (!part.skin || part.name == "bones") continue;
    const std::vector<Bone> bones = bones_for(c, *part.skin);
    auto weights = bind_skin(part.mesh, bones, options, work.progress);
    if (!weights) return in_part(weights.error(), part.name);
    const std::vector<JointIndex>& joints = c.skins[*part.skin].joints;
    for (Influence& i : weights->entries) {  // from places among the bones to places in the skin
      i.joint =
          static_cast<std::uint32_t>(std::find(joints.begin(), joints.end(), bones[i.joint].joint) - joints.begin());
    }
    part.weights = std::move(*weights);
    clean(part.weights, joints.size());
    gltf::put_part(model.document, model.imported.sources[p], part, model.morph_weights(p), &work.warnings);
    ++bound;
  }
  return bound;
}

}  // namespace

Result<BoundFile> bind_file(const BindFileOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  if (!model->character().flesh.empty())
    return Error{o.input, "has flesh, whose weights would be lost", "take it out first: supple remove flesh"};
  BoundFile bound;
  if (o.skeleton.empty() && !model->character().skins.empty()) {
    const auto count = rebind(*model, o.weights, work);
    if (!count) return count.error();
    bound.parts = *count;
  } else {
    const auto rig = o.skeleton.empty() ? Result<Model>(*model) : load_model(o.skeleton, work);
    if (!rig) return rig.error();
    auto assembled = assemble_bound(rig->character(), model->character(), o.weights, work);
    warn_of_lost_textures(*model, work);
    if (!assembled) return assembled.error();
    bound.parts = assembled->parts.size();
    auto made = to_model(*assembled);
    if (!made) return made.error();
    model = std::move(*made);
  }
  if (bound.parts == 0) return Error{o.input, "has no mesh to bind", ""};
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  for (const Part& part : model->character().parts) {
    if (part.name == "bones" && bound.parts < model->character().parts.size()) continue;
    bound.vertices += part.mesh.positions.size();
    bound.max_influences = std::max(bound.max_influences, part.weights.max_influences());
  }
  return bound;
}

}  // namespace supple::workflow
