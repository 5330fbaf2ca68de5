#include "supple/files/gltf/flesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/deform/flesh/split.h"
#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

constexpr const char* member = "flesh";

// ---- writing ----

Json decimals(std::initializer_list<float> values) {
  Json array = Json::array();
  for (const float v : values) array.push_back(short_decimal(v));
  return array;
}
Json vector_json(Vec3f v) { return decimals({v.x, v.y, v.z}); }

void put_unless(Json& json, const char* key, float value, float usual) {
  if (value != usual) json[key] = short_decimal(value);
}
void put_unless(Json& json, const char* key, Vec3f value, Vec3f usual) {
  if (value != usual) json[key] = vector_json(value);
}

Json element_json(const FleshElement& e, const Places& places) {
  const auto node = [&](JointIndex joint) { return places.node_of_joint[joint]; };
  Json json = Json::object();
  if (!e.name.empty()) json["name"] = e.name;
  json["driver"] = node(e.driver);
  json["ends"] = Json::array();
  for (const JointIndex end : e.ends) json["ends"].push_back(node(end));
  json["origin"] = vector_json(e.origin);
  json["orientation"] = decimals({e.orientation.x, e.orientation.y, e.orientation.z, e.orientation.w});
  json["halfLength"] = short_decimal(e.half_length);
  json["radius"] = short_decimal(e.radius);
  json["maxElongation"] = short_decimal(e.max_elongation);
  json["mass"] = short_decimal(e.mass);
  json["springs"] = Json::array();
  for (const FleshSpring& s : e.springs) {
    Json spring = {{"frequency", short_decimal(s.frequency)}, {"dampingRatio", short_decimal(s.damping_ratio)}};
    put_unless(spring, "axes", s.axes, {1, 1, 1});
    put_unless(spring, "share", s.share, 1);
    json["springs"].push_back(std::move(spring));
  }
  if (e.torsion) {
    json["torsion"] = {{"frequency", short_decimal(e.torsion->frequency)},
                       {"dampingRatio", short_decimal(e.torsion->damping_ratio)},
                       {"maxAngle", short_decimal(e.torsion->max_angle)}};
  }
  put_unless(json, "gravity", e.gravity, {});
  put_unless(json, "modelledGravity", e.modelled_gravity, {});
  put_unless(json, "airFriction", e.air_friction, 0);
  put_unless(json, "gain", e.gain, 1);
  put_unless(json, "reach", e.reach, 1);
  json["twins"] = Json::array();
  for (const FleshTwin& twin : e.twins) json["twins"].push_back(node(twin.joint));
  return json;
}

Json collider_json(const FleshCollider& c, const Places& places) {
  Json json = Json::object();
  if (!c.name.empty()) json["name"] = c.name;
  json["joint"] = places.node_of_joint[c.joint];
  json["a"] = vector_json(c.a);
  put_unless(json, "b", c.b, c.a);
  json["radius"] = short_decimal(c.radius);
  json["elements"] = c.elements;
  return json;
}

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

// ---- reading ----

float float_or(const Item& item, std::string_view key, float otherwise) {
  return item.has(key) ? item.required_float(key) : otherwise;
}
Vec3f vector_or(const Item& item, std::string_view key, Vec3f otherwise) {
  const auto v = item.floats(key, 3);
  return v ? Vec3f{(*v)[0], (*v)[1], (*v)[2]} : otherwise;
}
Vec3f required_vector(const Item& item, std::string_view key) {
  if (!item.has(key)) fail(item.path(key), "is missing");
  return vector_or(item, key, {});
}

FleshElement read_element(const Reader& reader, const Item& item) {
  const std::size_t node_count = count(reader.document.root, "nodes");
  const auto& joint_of = reader.result.nodes.to_joint;
  const Skeleton& skeleton = reader.result.character.skeleton;
  FleshElement e;
  e.name = item.text("name", "");
  e.driver = joint_of[item.required_index("driver", node_count)];
  for (const std::size_t node : item.indices("ends", node_count)) e.ends.push_back(joint_of[node]);
  e.origin = required_vector(item, "origin");
  const auto q = item.floats("orientation", 4);
  if (!q) fail(item.path("orientation"), "is missing");
  e.orientation = {(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
  e.half_length = item.required_float("halfLength");
  e.radius = item.required_float("radius");
  e.max_elongation = item.required_float("maxElongation");
  e.mass = item.required_float("mass");
  for (const Item& spring : item.list("springs")) {
    e.springs.push_back({spring.required_float("frequency"), spring.required_float("dampingRatio"),
                         vector_or(spring, "axes", {1, 1, 1}), float_or(spring, "share", 1)});
  }
  if (const auto torsion = item.object("torsion")) {
    e.torsion = FleshTorsion{torsion->required_float("frequency"), torsion->required_float("dampingRatio"),
                             torsion->required_float("maxAngle")};
  }
  e.gravity = vector_or(item, "gravity", {});
  e.modelled_gravity = vector_or(item, "modelledGravity", {});
  e.air_friction = float_or(item, "airFriction", 0);
  e.gain = float_or(item, "gain", 1);
  e.reach = float_or(item, "reach", 1);
  for (const std::size_t node : item.indices("twins", node_count)) {
    const JointIndex twin = joint_of[node];
    if (skeleton.parent(twin) == no_joint) fail(item.path("twins"), "names a node without a parent");
    e.twins.push_back({skeleton.parent(twin), twin});
  }
  return e;
}

FleshCollider read_collider(const Reader& reader, const Item& item, std::size_t elements) {
  FleshCollider c;
  c.name = item.text("name", "");
  c.joint = reader.result.nodes.to_joint[item.required_index("joint", count(reader.document.root, "nodes"))];
  c.a = required_vector(item, "a");
  c.b = vector_or(item, "b", c.a);
  c.radius = item.required_float("radius");
  for (const std::size_t e : item.indices("elements", elements)) c.elements.push_back(static_cast<std::uint32_t>(e));
  return c;
}

}  // namespace

Flesh read_flesh(const Reader& reader, const Item& extension) {
  Flesh flesh;
  const auto item = extension.object(member);
  if (!item) return flesh;
  for (const Item& element : item->list("elements")) flesh.elements.push_back(read_element(reader, element));
  const std::size_t elements = flesh.elements.size();
  for (const Item& c : item->list("colliders")) flesh.colliders.push_back(read_collider(reader, c, elements));
  for (const Item& pair : item->list("contacts")) {
    const std::vector<double> numbers = pair.as_numbers(2);
    for (const double n : numbers)
      if (!(n >= 0 && n < static_cast<double>(elements) && n == std::floor(n))) fail(pair.path(), "names no element");
    flesh.contacts.push_back({static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1])});
  }
  if (auto ok = validate(flesh, reader.result.character); !ok)
    fail(item->path(), ok.error().item + " " + ok.error().problem);
  return flesh;
}

void put_flesh(Document& document, const Flesh& flesh, const Places& places) {
  if (flesh.empty()) {
    drop_deformers_member(document.root, member);
    return;
  }
  Json json = {{"elements", Json::array()}};
  for (const FleshElement& e : flesh.elements) json["elements"].push_back(element_json(e, places));
  for (const FleshCollider& c : flesh.colliders) json["colliders"].push_back(collider_json(c, places));
  for (const auto& [a, b] : flesh.contacts) json["contacts"].push_back(Json::array({a, b}));
  put_deformers_member(document.root, member, std::move(json));
}

Result<void> put_fleshed(Document& document, Imported& imported, Warnings* warnings) {
  put_new_joints(document, imported);
  if (auto put = put_skinning(document, imported, warnings); !put) return put;
  put_flesh(document, imported.character.flesh, places_of(imported));
  return {};
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
  drop_deformers_member(document.root, member);
  drop_twin_nodes(document, std::move(nodes), warnings);
  return {};
}

}  // namespace supple::gltf
