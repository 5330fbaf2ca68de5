#include "supple/files/gltf/write.h"

#include <algorithm>
#include <set>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/deformers.h"

namespace supple::gltf {
namespace {

Json dofs_json(std::span<const Dof> dofs) {
  Json list = Json::array();
  for (const Dof& dof : dofs) {
    list.push_back({{"name", dof.name},
                    {"axis", {short_decimal(dof.axis.x), short_decimal(dof.axis.y), short_decimal(dof.axis.z)}},
                    {"min", short_decimal(dof.min)},
                    {"max", short_decimal(dof.max)}});
  }
  return list;
}

/// Parts that become the primitives of one mesh.
struct MeshGroup {
  std::uint32_t node = 0;
  std::vector<std::size_t> parts;
};

class DocumentWriter {
 public:
  explicit DocumentWriter(const Character& character)
      : character_(character), sources_(character.parts.size(), PartSource{no_joint, 0, 0}) {}

  Result<Document> write() {
    root()["asset"] = {{"version", "2.0"}, {"generator", "supple 0.1"}};
    if (character_.unit) put_unit(document_, *character_.unit);
    root()["scene"] = 0;
    root()["scenes"] = Json::array({Json::object()});
    if (!character_.name.empty()) root()["scenes"][0]["name"] = character_.name;
    write_nodes();
    write_materials();
    for (std::size_t p = 0; p < character_.parts.size(); ++p) place_part(p);
    for (const MeshGroup& group : groups_) write_mesh(group);
    for (std::size_t s = 0; s < character_.skins.size(); ++s) write_skin(s);
    for (const Clip& clip : character_.clips) {
      if (auto put = put_clip(document_, clip, places_); !put) return put.error();
    }
    if (auto put = put_deformers(document_, character_, sources_, places_); !put) return put.error();
    finish_tree();
    return std::move(document_);
  }

 private:
  Json& root() { return document_.root; }

  std::uint32_t add_node(const std::string& name, std::uint32_t parent) {
    Json node = Json::object();
    if (!name.empty()) node["name"] = name;
    root()["nodes"].push_back(std::move(node));
    parents_.push_back(parent);
    return static_cast<std::uint32_t>(parents_.size() - 1);
  }

  void write_nodes() {
    const Skeleton& skeleton = character_.skeleton;
    for (JointIndex j = 0; j < skeleton.size(); ++j) {
      places_.node_of_joint.push_back(add_node(skeleton.given_name(j), skeleton.parent(j)));
      Json& node = root()["nodes"].back();
      put_transform(node, skeleton.rest(j));
      if (!skeleton.dofs(j).empty()) node["extras"]["supple"]["dofs"] = dofs_json(skeleton.dofs(j));
    }
  }

  void write_materials() {
    for (const Material& material : character_.materials) {
      Json json = Json::object();
      if (!material.name.empty()) json["name"] = material.name;
      Json color = Json::array();
      for (const float c : material.base_color) color.push_back(short_decimal(c));
      json["pbrMetallicRoughness"] = {{"baseColorFactor", std::move(color)},
                                      {"metallicFactor", short_decimal(material.metallic)},
                                      {"roughnessFactor", short_decimal(material.roughness)}};
      if (material.base_color[3] < 1) json["alphaMode"] = "BLEND";
      if (material.double_sided) json["doubleSided"] = true;
      root()["materials"].push_back(std::move(json));
    }
  }

  bool joins(const MeshGroup& group, const Part& part) const {
    const Part& first = character_.parts[group.parts.front()];
    return part.node != no_joint && first.node == part.node && first.skin == part.skin &&
           first.morphs.size() == part.morphs.size() &&
           (part.morphs.empty() || first.first_morph_weight == part.first_morph_weight);
  }

  bool is_taken(std::uint32_t node) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const MeshGroup& g) { return g.node == node; });
  }

  /// Skinned meshes ignore the transforms of their node and of those above: only a plain root does not mislead.
  bool suits_skin(JointIndex j) const {
    return character_.skeleton.parent(j) == no_joint && character_.skeleton.rest(j) == Transformf{};
  }

  void place_part(std::size_t p) {
    const Part& part = character_.parts[p];
    if (part.mesh.positions.empty() || part.mesh.triangles.empty()) return;
    for (MeshGroup& group : groups_) {
      if (joins(group, part)) return group.parts.push_back(p);
    }
    const bool own_node = part.node == no_joint || is_taken(part.node) || (part.skin && !suits_skin(part.node));
    const std::uint32_t parent = part.skin ? no_joint : part.node;
    groups_.push_back({own_node ? add_node(part.name, parent) : part.node, {p}});
  }

  void write_mesh(const MeshGroup& group) {
    const Part& first = character_.parts[group.parts.front()];
    const std::size_t mesh = count(root(), "meshes");
    std::string name = first.name;
    if (group.parts.size() > 1 && name.size() > 2 && name.substr(name.size() - 2) == ".0") name.resize(name.size() - 2);
    root()["meshes"].push_back(Json::object());
    if (!name.empty()) root()["meshes"][mesh]["name"] = name;
    root()["meshes"][mesh]["primitives"] = Json::array();
    Json& node = root()["nodes"][group.node];
    node["mesh"] = mesh;
    if (first.skin) node["skin"] = *first.skin;
    if (!first.morphs.empty()) {
      places_.morphs.push_back({group.node, first.first_morph_weight, static_cast<std::uint32_t>(first.morphs.size())});
    }
    for (std::uint32_t k = 0; k < group.parts.size(); ++k) {
      const Part& part = character_.parts[group.parts[k]];
      Json primitive = {{"attributes", Json::object()}};
      if (part.material) primitive["material"] = *part.material;
      root()["meshes"][mesh]["primitives"].push_back(std::move(primitive));
      const std::span<const float> weights =
          std::span(character_.morph_weights)
              .subspan(part.morphs.empty() ? 0 : part.first_morph_weight, part.morphs.size());
      sources_[group.parts[k]] = {group.node, static_cast<std::uint32_t>(mesh), k};
      put_part(document_, sources_[group.parts[k]], part, weights);
    }
  }

  std::uint32_t top_of(std::uint32_t node) const {
    while (parents_[node] != no_joint) node = parents_[node];
    return node;
  }

  void write_skin(std::size_t s) {
    put_skin(document_, s, character_.skins[s], places_);
    std::set<std::uint32_t> tops;
    for (const JointIndex j : character_.skins[s].joints) tops.insert(top_of(places_.node_of_joint[j]));
    if (tops.size() < 2) return;
    const std::uint32_t common = add_node("root", no_joint);
    for (const std::uint32_t top : tops) parents_[top] = common;
  }

  void finish_tree() {
    for (std::uint32_t n = 0; n < parents_.size(); ++n) {
      Json& list = parents_[n] == no_joint ? root()["scenes"][0]["nodes"] : root()["nodes"][parents_[n]]["children"];
      list.push_back(n);
    }
  }

  const Character& character_;
  Document document_;
  Places places_;
  std::vector<std::uint32_t> parents_;  // #nodes
  std::vector<MeshGroup> groups_;
  std::vector<PartSource> sources_;  // #parts; no node: left out
};

}  // namespace

Result<Document> to_document(const Character& character) {
  if (auto valid = validate(character); !valid) return valid.error();
  for (const SkinBinding& skin : character.skins) {
    if (skin.joints.size() > 65536)
      return Error{"skin '" + skin.name + "'", "has more joints than glTF can number", ""};
  }
  return guarded(character.name, [&] { return DocumentWriter(character).write(); });
}

}  // namespace supple::gltf
