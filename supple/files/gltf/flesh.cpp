#include "supple/files/gltf/flesh.h"

#include <algorithm>

#include "supple/deform/flesh/split.h"
#include "supple/files/gltf/deformers.h"
#include "supple/files/gltf/deformers_member.h"

namespace supple::gltf {
namespace {

/// Joints that the document does not have yet become nodes below their parents.
void put_new_joints(Document& document, Imported& imported) {
  const Skeleton& skeleton = imported.character.skeleton;
  JointRemap& nodes = imported.nodes;
  Json& list = document.root["nodes"];
  for (JointIndex j = static_cast<JointIndex>(nodes.to_source.size()); j < skeleton.size(); ++j) {
    const auto node = static_cast<std::uint32_t>(list.size());
    list.push_back({{"name", skeleton.name(j)}});
    list[nodes.to_source[skeleton.parent(j)]]["children"].push_back(node);
    nodes.to_source.push_back(node);
    nodes.to_joint.push_back(j);
  }
}

std::span<const float> own_weights(const Character& c, const Part& part) {
  return std::span(c.morph_weights).subspan(part.first_morph_weight, part.morphs.size());
}

/// Skins, weights and clips, as the character has them now. Primitives of one mesh may be parts of several nodes: each
/// is written once.
Result<void> put_skinning(Document& document, const Imported& imported, Warnings* warnings) {
  const Character& c = imported.character;
  const Places places = places_of(imported);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      const PartSource &a = imported.sources[p], &b = imported.sources[q];
      if (a.mesh == b.mesh && a.primitive == b.primitive && c.parts[p].skin != c.parts[q].skin)
        return Error{"part '" + c.parts[p].name + "'", "is drawn by two nodes of the file with different skins",
                     "give each node a mesh of its own"};
    }
  }
  for (std::size_t s = 0; s < c.skins.size(); ++s) put_skin(document, s, c.skins[s], places);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (c.parts[p].skin) put_part(document, imported.sources[p], c.parts[p], own_weights(c, c.parts[p]), warnings);
  }
  for (std::size_t number = 0; number < c.clips.size(); ++number) {
    if (auto put = put_clip(document, c.clips[number], places, number); !put) return put;
  }
  return {};
}

/// Twins that are the last nodes go; tools may have put others behind them, and then they stay, bare.
void drop_twin_nodes(Document& document, std::vector<std::uint32_t> twins, Warnings* warnings) {
  Json& nodes = document.root["nodes"];
  std::sort(twins.begin(), twins.end());
  while (!twins.empty() && twins.back() + 1 == nodes.size()) {
    for (Json& node : nodes) {
      if (!node.contains("children")) continue;
      Json kept = Json::array();
      for (const Json& child : node["children"])
        if (child != twins.back()) kept.push_back(child);
      if (kept.empty()) {
        node.erase("children");
      } else {
        node["children"] = std::move(kept);
      }
    }
    nodes.erase(twins.back());
    twins.pop_back();
  }
  if (!twins.empty() && warnings != nullptr)
    warnings->push_back(std::to_string(twins.size()) +
                        " former twin joints stay in the file as nodes that move nothing");
}

}  // namespace

Result<void> put_fleshed(Document& document, Imported& imported, Warnings* warnings) {
  put_new_joints(document, imported);
  if (auto put = put_skinning(document, imported, warnings); !put) return put;
  return put_deformer(document, flesh_kind, imported);
}

Result<void> take_out_flesh(Document& document, Imported& imported, Warnings* warnings) {
  Character& c = imported.character;
  const std::vector<bool> twins = twin_joints(c.flesh, c.skeleton.size());
  for (Part& part : c.parts)
    if (part.skin) part.weights = split_flesh(c, part).bones;
  for (SkinBinding& skin : c.skins) {
    std::vector<std::uint32_t> place(skin.joints.size());
    SkinBinding kept{skin.name, {}, {}};
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      place[k] = static_cast<std::uint32_t>(kept.joints.size());
      if (twins[skin.joints[k]]) continue;
      kept.joints.push_back(skin.joints[k]);
      kept.inverse_bind.push_back(skin.inverse_bind[k]);
    }
    for (Part& part : c.parts) {
      if (!part.skin || &c.skins[*part.skin] != &skin) continue;
      for (Influence& i : part.weights.entries) i.joint = place[i.joint];
    }
    skin = std::move(kept);
  }
  for (Clip& clip : c.clips)
    std::erase_if(clip.tracks, [&](const Track& t) { return t.channel != Channel::morph_weights && twins[t.target]; });
  std::vector<std::uint32_t> nodes;
  for (JointIndex j = 0; j < twins.size(); ++j)
    if (twins[j]) nodes.push_back(imported.nodes.to_source[j]);
  if (auto put = put_skinning(document, imported, warnings); !put) return put;
  drop_deformers_member(document.root, flesh_kind.member);
  drop_twin_nodes(document, std::move(nodes), warnings);
  return {};
}

}  // namespace supple::gltf
