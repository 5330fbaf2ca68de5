// Parts and joints to surfaces and bone shapes.
#include "supple/render/character.h"

#include <algorithm>

#include "supple/render/colour_map.h"
#include "supple/render/occlusion.h"

namespace supple::render {
namespace {

Surface to_surface(const PosedPart& part, const CharacterLook& look) {
  Surface s;
  s.name = part.name;
  s.positions.assign(part.positions.begin(), part.positions.end());
  s.normals.assign(part.normals.begin(), part.normals.end());
  s.triangles.assign(part.triangles.begin(), part.triangles.end());
  s.colours.assign(part.colours.begin(), part.colours.end());
  s.colour = part.colour;
  s.opacity = look.bones ? std::min(part.opacity, look.skin_opacity_with_bones) : part.opacity;
  s.finish = part.colours.empty() ? part.finish : Finish::data;
  if (part.colours.empty() && part.texture != nullptr) {
    s.texture = part.texture;
    s.texcoords.assign(part.texcoords.begin(), part.texcoords.end());
    s.alpha = part.alpha;
    s.alpha_cutoff = part.alpha_cutoff;
  }
  return s;
}

Result<void> add_bones(const PosedJoints& joints, bool by_category, Scene& scene) {
  const std::size_t count = joints.parents.size();
  if (joints.positions.size() != count || (!joints.shown.empty() && joints.shown.size() != count)) {
    return Error{
        "bones",
        "there are " + std::to_string(count) + " joints but " + std::to_string(joints.positions.size()) + " positions",
        "give one for each joint"};
  }
  const auto shown = [&](std::size_t j) { return joints.shown.empty() || joints.shown[j]; };
  for (std::size_t j = 0; j < count; ++j) {
    if (!shown(j)) continue;
    scene.joints.push_back({joints.positions[j]});
    const JointIndex parent = joints.parents[j];
    if (parent == no_joint) continue;
    if (parent >= count) return Error{"joint " + std::to_string(j), "has a parent that does not exist", ""};
    if (!shown(parent)) continue;
    BoneShape bone{joints.positions[parent], joints.positions[j]};
    if (by_category) bone.colour = category_colour(parent);
    scene.bones.push_back(bone);
  }
  return {};
}

}  // namespace

Result<Scene> character_scene(std::span<const PosedPart> parts, const PosedJoints& joints, const CharacterLook& look) {
  Scene scene;
  scene.style = look.style;
  for (const PosedPart& part : parts) scene.surfaces.push_back(to_surface(part, look));
  if (look.bones) {
    if (auto added = add_bones(joints, look.bones_by_category, scene); !added) return added.error();
  }
  if (auto valid = validate(scene); !valid) return valid.error();
  if (look.occlusion) compute_occlusion(scene.surfaces);
  return scene;
}

}  // namespace supple::render
