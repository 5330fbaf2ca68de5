// A character in words: what the page needs to know before the first frame.

#include "bindings/open_character.h"
#include "supple/deform/part_binding.h"
#include "supple/files/json.h"
#include "supple/rig/flesh_recipe.h"

namespace supple::browser {
namespace {

Json joints_of(const gltf::Imported& imported) {
  const Skeleton& skeleton = imported.character.skeleton;
  const std::vector<bool> skinned = skinned_joints(imported.character);
  const std::vector<bool> twins = twin_joints(imported.character.flesh, skeleton.size());
  Json list = Json::array();
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    Json dofs = Json::array();
    for (const Dof& dof : skeleton.dofs(j)) {
      dofs.push_back(
          {{"name", dof.name}, {"axis", {dof.axis.x, dof.axis.y, dof.axis.z}}, {"min", dof.min}, {"max", dof.max}});
    }
    list.push_back({{"name", skeleton.name(j)},
                    {"parent", skeleton.parent(j) == no_joint ? -1 : static_cast<int>(skeleton.parent(j))},
                    {"dofs", std::move(dofs)},
                    {"skinned", skinned[j] && !twins[j]},
                    {"node", imported.nodes.to_source[j]}});
  }
  return list;
}

Json parts_of(const gltf::Imported& imported) {
  Json list = Json::array();
  for (std::size_t p = 0; p < imported.sources.size(); ++p) {
    const Part& part = imported.character.parts[p];
    const gltf::PartSource& source = imported.sources[p];
    list.push_back({{"name", part.name},
                    {"mesh", source.mesh},
                    {"primitive", source.primitive},
                    {"node", source.node},
                    {"rigid", !part.skin},
                    {"smoothed", is_smoothed(imported.character, p)},
                    {"joints", binding_of(imported.character, part).joints},
                    {"firstMorphWeight", part.first_morph_weight}});
  }
  return list;
}

Json pose_space_of(const Character& character) {
  if (!character.pose_space) return nullptr;
  const PoseSpace& space = *character.pose_space;
  return {{"part", space.part}, {"examples", space.examples()}, {"influence", name_of(space.influence)}};
}

Json flesh_of(const Character& character) {
  Json elements = Json::array(), presets = Json::array();
  for (const FleshElement& element : character.flesh.elements)
    elements.push_back({{"name", element.name}, {"driver", element.driver}});
  for (const SpringPreset& preset : spring_presets()) {
    presets.push_back({{"name", preset.name},
                       {"summary", preset.summary},
                       {"frequency", preset.frequency},
                       {"dampingRatio", preset.damping_ratio}});
  }
  return {{"elements", std::move(elements)}, {"presets", std::move(presets)}};
}

}  // namespace

std::string OpenCharacter::description() const {
  Json clips = Json::array(), drivers = Json::array();
  for (const Clip& clip : character().clips)
    clips.push_back({{"name", clip.name}, {"start", clip.start()}, {"end", clip.end()}});
  for (const MorphDriver& driver : character().drivers) {
    drivers.push_back({{"name", driver.name},
                       {"joints", driver.joints},
                       {"firstWeight", driver.first_weight},
                       {"targets", driver.targets()}});
  }
  const Json all{{"name", character().name},       {"joints", joints_of(imported_)},
                 {"clips", std::move(clips)},      {"drivers", std::move(drivers)},
                 {"parts", parts_of(imported_)},   {"poseSpace", pose_space_of(character())},
                 {"flesh", flesh_of(character())}, {"wrinkles", character().wrinkles.size()},
                 {"warnings", warnings_}};
  return all.dump();  // names that are not UTF-8 are mended
}

}  // namespace supple::browser
