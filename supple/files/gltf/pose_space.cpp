#include "supple/files/gltf/pose_space.h"

#include <algorithm>

#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"
#include "supple/rig/deformers.h"
#include "supple/rig/influence_names.h"

namespace supple::gltf {
namespace {

constexpr const char* pose_space_member = "poseSpace";

// ---- writing ----

Json space_json(const PoseSpace& space, const PartSource& source, const MorphBlock& block, const Places& places) {
  Json json = Json::object();
  json["node"] = source.node;
  json["primitive"] = source.primitive;
  json["firstTarget"] = space.first_weight - block.first;
  json["influence"] = name_of(space.influence);
  json["floor"] = short_decimal(space.floor);
  json["radius"] = short_decimal(space.radius);
  if (space.ridge > 0) json["ridge"] = short_decimal(space.ridge);
  json["joints"] = Json::array();
  for (const JointIndex j : space.joints) json["joints"].push_back(places.node_of_joint[j]);
  json["reference"] = Json::array();
  for (const Quatf& q : space.reference) {
    json["reference"].push_back(Json::array());
    append(json["reference"].back(), q);
  }
  json["settings"] = Json::array();  // of the examples after the rest shape
  for (std::size_t i = space.joints.size(); i < space.settings.size(); ++i) {
    if (i % space.joints.size() == 0) json["settings"].push_back(Json::array());
    append(json["settings"].back(), space.settings[i]);
  }
  return json;
}

// ---- reading ----

JointInfluence influence_of(const Item& item) {
  const std::string name = item.required_text("influence");
  for (const auto& [known, influence] : joint_influences)
    if (name == known) return influence;
  fail(item.path("influence"), "'" + name + "' is not known", "write equal, weights or subtree");
}

void append_rotations(const Item& element, std::size_t number, std::vector<Quatf>& to) {
  const std::vector<float> v = element.as_floats(4 * number);
  for (std::size_t i = 0; i < v.size(); i += 4) to.push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
}

void read_rotations(const Item& item, PoseSpace& space) {
  for (const char* key : {"joints", "reference", "settings"})
    if (!item.has(key)) fail(item.path(key), "is missing");
  if (space.joints.empty()) fail(item.path("joints"), "must name one node or more");
  for (const Item& element : item.list("reference")) append_rotations(element, 1, space.reference);
  if (space.reference.size() != space.joints.size())
    fail(item.path("reference"),
         "must hold one rotation per joint, " + std::to_string(space.joints.size()) + " in all");
  space.settings.resize(space.joints.size());
  for (const Item& element : item.list("settings")) append_rotations(element, space.joints.size(), space.settings);
  if (space.targets() == 0) fail(item.path("settings"), "must hold one example or more");
}

}  // namespace

std::optional<PoseSpace> read_pose_space(const Reader& reader, const Item& extension) {
  const auto item = extension.object(pose_space_member);
  if (!item) return std::nullopt;
  const Character& character = reader.result.character;
  PoseSpace space;
  space.part = part_of(reader, *item);
  space.influence = influence_of(*item);
  if (item->has("floor")) space.floor = item->required_float("floor");
  space.radius = item->required_float("radius");
  if (item->has("ridge")) space.ridge = item->required_float("ridge");
  for (const std::size_t node : item->indices("joints", count(reader.document.root, "nodes")))
    space.joints.push_back(reader.result.nodes.to_joint[node]);
  read_rotations(*item, space);
  const Part& part = character.parts[space.part];
  if (part.morphs.empty()) fail(item->path("node"), "has no morph targets");
  const std::size_t first = item->required_index("firstTarget", part.morphs.size());
  if (first + space.targets() > part.morphs.size())
    fail(item->path("settings"), "reaches morph target " + std::to_string(first + space.targets() - 1) + " of " +
                                     std::to_string(part.morphs.size()));
  space.first_weight = part.first_morph_weight + static_cast<std::uint32_t>(first);
  if (auto ok = validate(space, character); !ok) fail(item->path(), ok.error().problem, ok.error().remedy);
  const std::vector<bool> driven = moved_weights(character);
  for (std::size_t t = 0; t < space.targets(); ++t)
    if (driven[space.first_weight + t])
      fail(item->path("firstTarget"), "has targets that another deformer moves already");
  return space;
}

Result<void> put_pose_space(Document& document, const std::optional<PoseSpace>& space,
                            std::span<const PartSource> sources, const Places& places) {
  if (!space) {
    drop_deformers_member(document.root, pose_space_member);
    return {};
  }
  for (const JointIndex j : space->joints)
    if (j >= places.node_of_joint.size()) return Error{"pose space", "follows a joint that the file does not have", ""};
  const auto block = std::find_if(places.morphs.begin(), places.morphs.end(), [&](const MorphBlock& b) {
    return space->part < sources.size() && b.node == sources[space->part].node && b.first <= space->first_weight &&
           space->first_weight + space->targets() <= b.first + b.count;
  });
  if (block == places.morphs.end()) return Error{"pose space", "has morph targets that its mesh in the file lacks", ""};
  put_deformers_member(document.root, pose_space_member, space_json(*space, sources[space->part], *block, places));
  return {};
}

}  // namespace supple::gltf
