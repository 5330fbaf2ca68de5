#include "supple/workflow/jobs/bind_file.h"

#include <algorithm>
#include <numeric>

#include "supple/deform/posed_surfaces.h"

namespace supple::workflow {
namespace {

/// Surfaces that are bound as one body, in its space: clothes then know what they lie on.
Mesh one_body(const Character& c, std::span<const std::size_t> parts) {
  Mesh body;
  for (const std::size_t p : parts) {
    const auto first = static_cast<std::uint32_t>(body.positions.size());
    const Mesh& mesh = c.parts[p].mesh;
    body.positions.insert(body.positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles) body.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return body;
}

/// Binds the parts to the bones; `place`: of each bone in the skin.
Result<void> bind_parts(Character& c, std::span<const std::size_t> parts, std::span<const Bone> bones,
                        std::span<const std::uint32_t> place, std::size_t joint_count, const BindOptions& options,
                        BoundFile& bound, Work& work) {
  BindNotes notes;
  BindOptions inside = options;
  inside.distance = BoneDistance::inside;
  const auto weights = bind_skin(one_body(c, parts), bones, inside, work.progress, &notes);
  if (!weights)
    return Error{"part '" + c.parts[parts[0]].name + "', " + weights.error().item, weights.error().problem,
                 weights.error().remedy};
  std::size_t vertex = 0;
  std::vector<Influence> influences;
  for (const std::size_t p : parts) {
    Part& part = c.parts[p];
    part.weights = {};
    for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
      const auto of_bones = weights->of(vertex++);
      influences.assign(of_bones.begin(), of_bones.end());
      for (Influence& i : influences) i.joint = place[i.joint];
      part.weights.push_vertex(influences);
    }
    clean(part.weights, joint_count);
    bound.vertices += part.mesh.positions.size();
    bound.max_influences = std::max(bound.max_influences, part.weights.max_influences());
  }
  bound.parts += parts.size();
  bound.attached += notes.attached;
  for (const std::uint32_t b : notes.outside) bound.outside.push_back(c.skeleton.name(bones[b].joint));
  if (notes.none_inside)
    work.warnings.push_back("no joint lies in the body or near it: do rig and mesh have one unit and one place?");
  return {};
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
                                 BoundFile& bound, Work& work) {
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
  std::vector<std::size_t> parts;
  std::vector<std::uint32_t> place(bones.size());
  std::iota(place.begin(), place.end(), 0u);
  for (std::size_t p = 0; p < result->parts.size(); ++p) {
    result->parts[p].skin = 0;
    parts.push_back(p);
  }
  if (parts.empty()) return Error{meshes.name, "has no mesh to bind", ""};
  if (auto ok = bind_parts(*result, parts, bones, place, bones.size(), options, bound, work); !ok) return ok.error();
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

/// Parts whose skins bind the same joints in the same place, as exporters write one skin a mesh.
std::vector<std::vector<std::size_t>> bodies_of(const Character& c) {
  std::vector<std::vector<std::size_t>> bodies;
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (!c.parts[p].skin || c.parts[p].name == "bones") continue;
    const SkinBinding& skin = c.skins[*c.parts[p].skin];
    const auto same = std::find_if(bodies.begin(), bodies.end(), [&](const std::vector<std::size_t>& body) {
      const SkinBinding& other = c.skins[*c.parts[body[0]].skin];
      return other.joints == skin.joints && other.inverse_bind == skin.inverse_bind;
    });
    if (same == bodies.end())
      bodies.push_back({p});
    else
      same->push_back(p);
  }
  return bodies;
}

/// New weights for the skinned parts of a file; everything else in it stays.
Result<void> rebind(Model& model, const BindOptions& options, BoundFile& bound, Work& work) {
  Character& c = model.character();
  for (const std::vector<std::size_t>& body : bodies_of(c)) {
    const std::uint32_t skin = *c.parts[body[0]].skin;
    const std::vector<Bone> bones = bones_for(c, skin);
    const std::vector<JointIndex>& joints = c.skins[skin].joints;
    std::vector<std::uint32_t> place;
    for (const Bone& bone : bones)
      place.push_back(static_cast<std::uint32_t>(std::find(joints.begin(), joints.end(), bone.joint) - joints.begin()));
    if (auto ok = bind_parts(c, body, bones, place, joints.size(), options, bound, work); !ok) return ok;
    for (const std::size_t p : body)
      gltf::put_part(model.document, model.imported.sources[p], c.parts[p], model.morph_weights(p), &work.warnings);
  }
  return {};
}

/// Says where new weights are worse than those that the file had: whoever made these may have known why.
Result<void> judge_weights(const BindFileOptions& o, const Character& before, const Character& after, BoundFile& bound,
                           Work& work) {
  if (!o.compare || bound.parts == 0) return {};
  const auto poses = comparison_poses(before, after);
  if (!poses) return poses.error();
  if (poses->moments.empty()) return {};
  auto compared = compare_skins(before, after, *poses, {}, work);
  if (!compared) return compared.error();
  warn_of_worse(*compared, after.skeleton, "the new weights",
                "keep the file's own weights, or try another --power or --smoothing", work);
  bound.compared = std::move(*compared);
  return {};
}

}  // namespace

Result<BoundFile> bind_file(const BindFileOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  if (!model->character().flesh.empty())
    return Error{o.input, "has flesh, whose weights would be lost", "take it out first: supple remove flesh"};
  BoundFile bound;
  if (o.skeleton.empty() && !model->character().skins.empty()) {
    const Character before = model->character();
    if (auto ok = rebind(*model, o.weights, bound, work); !ok) return ok.error();
    if (auto ok = judge_weights(o, before, model->character(), bound, work); !ok) return ok.error();
  } else {
    const auto rig = o.skeleton.empty() ? Result<Model>(*model) : load_model(o.skeleton, work);
    if (!rig) return rig.error();
    auto assembled = assemble_bound(rig->character(), model->character(), o.weights, bound, work);
    warn_of_lost_textures(*model, work);
    if (!assembled) return assembled.error();
    auto made = to_model(*assembled);
    if (!made) return made.error();
    model = std::move(*made);
  }
  if (bound.parts == 0) return Error{o.input, "has no mesh to bind", ""};
  std::sort(bound.outside.begin(), bound.outside.end());
  bound.outside.erase(std::unique(bound.outside.begin(), bound.outside.end()), bound.outside.end());
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  bound.skeleton = model->character().skeleton;
  return bound;
}

}  // namespace supple::workflow
