#include "supple/files/gltf/edit.h"

#include <algorithm>
#include <map>

#include "supple/files/gltf/accessor.h"

namespace supple::gltf {
namespace {

Json decimals(std::span<const float> values) {
  Json array = Json::array();
  for (const float v : values) array.push_back(short_decimal(v));
  return array;
}

void set_or_erase(Json& object, const char* key, std::span<const float> values, std::span<const float> standard) {
  if (std::equal(values.begin(), values.end(), standard.begin(), standard.end())) {
    object.erase(key);
  } else {
    object[key] = decimals(values);
  }
}

const char* path_name(Channel channel) {
  switch (channel) {
    case Channel::translation:
      return "translation";
    case Channel::rotation:
      return "rotation";
    case Channel::scale:
      return "scale";
    default:
      return "weights";
  }
}

const char* interpolation_name(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::step:
      return "STEP";
    case Interpolation::cubic_spline:
      return "CUBICSPLINE";
    default:
      return "LINEAR";
  }
}

/// Nodes that a track moves; several where nodes share morph weights.
std::vector<std::uint32_t> nodes_of(const Track& track, const Places& places) {
  std::vector<std::uint32_t> nodes;
  if (track.channel != Channel::morph_weights) {
    if (track.target < places.node_of_joint.size()) nodes.push_back(places.node_of_joint[track.target]);
    return nodes;
  }
  for (const MorphBlock& block : places.morphs) {
    if (block.first == track.target && block.count == track.width) nodes.push_back(block.node);
  }
  return nodes;
}

}  // namespace

Places places_of(const Imported& imported) { return {imported.nodes.to_source, imported.morphs}; }

void put_skin(Document& document, std::size_t skin, const SkinBinding& binding, const Places& places) {
  Json& skins = document.root["skins"];
  if (skin >= count(document.root, "skins")) {
    skin = count(document.root, "skins");
    skins.push_back(Json::object());
  }
  std::vector<std::size_t> given_up;
  if (skins[skin].contains("inverseBindMatrices")) {
    given_up.push_back(skins[skin]["inverseBindMatrices"].get<std::size_t>());
    skins[skin].erase("inverseBindMatrices");
  }
  skins[skin].erase("skeleton");  // a hint that may no longer be an ancestor of all joints
  if (!binding.name.empty()) skins[skin]["name"] = binding.name;
  std::vector<float> matrices;
  for (const Affinef& m : binding.inverse_bind) {
    for (std::size_t c = 0; c < 3; ++c)
      matrices.insert(matrices.end(), {m.linear[c].x, m.linear[c].y, m.linear[c].z, 0.0f});
    matrices.insert(matrices.end(), {m.translation.x, m.translation.y, m.translation.z, 1.0f});
  }
  Replacement replacement(document, given_up);
  Json& stored = document.root["skins"][skin];
  stored["inverseBindMatrices"] = replacement.put(pack_floats(matrices, 16, no_target));
  stored["joints"] = Json::array();
  for (const JointIndex j : binding.joints) stored["joints"].push_back(places.node_of_joint[j]);
}

Result<void> put_clip(Document& document, const Clip& clip, const Places& places,
                      std::optional<std::size_t> animation_number) {
  for (std::size_t t = 0; t < clip.tracks.size(); ++t) {
    if (nodes_of(clip.tracks[t], places).empty()) {
      return Error{
          "clip '" + clip.name + "', track " + std::to_string(t),
          std::string("moves the ") + path_name(clip.tracks[t].channel) + " of something the file does not have", ""};
    }
  }
  if (clip.tracks.empty()) return {};  // glTF has no animations without channels
  std::vector<std::size_t> given_up;
  Json& animations = document.root["animations"];
  std::size_t place = animation_number.value_or(0);
  if (!animation_number)
    while (place < animations.size() && animations[place].value("name", std::string()) != clip.name) ++place;
  if (place == animations.size()) {
    animations.push_back(clip.name.empty() ? Json::object() : Json{{"name", clip.name}});
  } else {
    for (const Json& sampler : animations[place]["samplers"]) {
      for (const auto key : {"input", "output"}) given_up.push_back(sampler[key].get<std::size_t>());
    }
  }
  animations[place]["channels"] = Json::array();
  animations[place]["samplers"] = Json::array();
  Replacement replacement(document, given_up);
  std::map<std::vector<float>, std::size_t> inputs;  // tracks that share their times share the accessor
  for (const Track& track : clip.tracks) {
    auto input = inputs.find(track.times);
    if (input == inputs.end()) {
      input = inputs.emplace(track.times, replacement.put(pack_floats(track.times, 1, no_target, true))).first;
    }
    const std::size_t components = track.channel == Channel::morph_weights ? 1 : track.width;
    const std::size_t output = replacement.put(pack_floats(track.values, components, no_target));
    Json& animation = document.root["animations"][place];
    const std::size_t sampler = animation["samplers"].size();
    animation["samplers"].push_back(
        {{"input", input->second}, {"output", output}, {"interpolation", interpolation_name(track.interpolation)}});
    for (const std::uint32_t node : nodes_of(track, places)) {
      animation["channels"].push_back(
          {{"sampler", sampler}, {"target", {{"node", node}, {"path", path_name(track.channel)}}}});
    }
  }
  return {};
}

void put_transform(Json& node, const Transformf& transform) {
  node.erase("matrix");
  const auto& [t, r, s] = transform;
  set_or_erase(node, "translation", std::array{t.x, t.y, t.z}, std::array{0.0f, 0.0f, 0.0f});
  set_or_erase(node, "rotation", std::array{r.x, r.y, r.z, r.w}, std::array{0.0f, 0.0f, 0.0f, 1.0f});
  set_or_erase(node, "scale", std::array{s.x, s.y, s.z}, std::array{1.0f, 1.0f, 1.0f});
}

void put_parents(Document& document, const Skeleton& before, std::span<const JointIndex> parents,
                 std::span<const Transformf> rest, const Places& places) {
  Json& nodes = document.root["nodes"];
  const auto take_out = [](Json& owner, const char* key, std::uint32_t node) {
    if (!owner.contains(key)) return;
    Json kept = Json::array();
    for (const Json& one : owner[key])
      if (one != node) kept.push_back(one);
    if (kept.empty()) {
      owner.erase(key);
    } else {
      owner[key] = std::move(kept);
    }
  };
  for (JointIndex j = 0; j < parents.size(); ++j) {
    if (parents[j] == before.parent(j)) continue;
    const std::uint32_t node = places.node_of_joint[j];
    if (before.parent(j) != no_joint) {
      take_out(nodes[places.node_of_joint[before.parent(j)]], "children", node);
    } else {
      for (std::size_t s = 0; s < count(document.root, "scenes"); ++s)
        take_out(document.root["scenes"][s], "nodes", node);
    }
    if (parents[j] != no_joint) {
      nodes[places.node_of_joint[parents[j]]]["children"].push_back(node);
    } else if (count(document.root, "scenes") > 0) {
      document.root["scenes"][document.root.value("scene", std::size_t{0})]["nodes"].push_back(node);
    }
    put_transform(nodes[node], rest[j]);
  }
}

void put_unit(Document& document, double metres) { document.root["asset"]["extras"]["supple"]["unit"] = metres; }

void put_rest_pose(Document& document, const Pose& pose, const Places& places) {
  for (std::size_t j = 0; j < pose.local.size() && j < places.node_of_joint.size(); ++j) {
    put_transform(document.root["nodes"][places.node_of_joint[j]], pose.local[j]);
  }
  for (const MorphBlock& block : places.morphs) {
    if (block.first + block.count > pose.morph_weights.size()) continue;
    document.root["nodes"][block.node]["weights"] =
        decimals(std::span(pose.morph_weights).subspan(block.first, block.count));
  }
}

}  // namespace supple::gltf
