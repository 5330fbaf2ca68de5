// Putting the geometry, skin weights and morph targets of a part into a primitive.
#include <algorithm>
#include <cmath>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

std::span<const float> flat(std::span<const Vec3f> v) { return {v.empty() ? nullptr : &v[0].x, v.size() * 3}; }

template <std::size_t N>
std::vector<float> flat(const std::vector<std::array<float, N>>& v) {
  std::vector<float> values;
  values.reserve(v.size() * N);
  for (const auto& a : v) values.insert(values.end(), a.begin(), a.end());
  return values;
}

/// The standard demands unit vectors; those that are already within rounding stay as they are.
std::vector<Vec3f> unit_vectors(std::span<const Vec3f> vectors) {
  std::vector<Vec3f> result(vectors.begin(), vectors.end());
  for (Vec3f& v : result) {
    if (!(std::abs(squared_length(Vec3d(v)) - 1) < 1e-5)) v = Vec3f(normalized(Vec3d(v), {0, 1, 0}));
  }
  return result;
}

std::vector<std::array<float, 4>> unit_tangents(std::span<const std::array<float, 4>> tangents) {
  std::vector<std::array<float, 4>> result(tangents.begin(), tangents.end());
  for (auto& t : result) {
    const Vec3f v = unit_vectors(std::array{Vec3f{t[0], t[1], t[2]}})[0];
    t = {v.x, v.y, v.z, t[3] < 0 ? -1.0f : 1.0f};
  }
  return result;
}

struct WeightSets {
  std::vector<std::vector<std::uint32_t>> joints;  // #sets, each #V * 4
  std::vector<std::vector<float>> weights;
};

/// Sets of four influences. Sums that rounding left off one by more than a reader may tolerate (2e-7 per influence) are
/// settled by the heaviest influence. Unused places name joint 0 with weight 0.
WeightSets weight_sets(const SkinWeights& all) {
  const std::size_t vertices = all.vertices(), sets = std::max<std::size_t>(1, (all.max_influences() + 3) / 4);
  WeightSets result;
  result.joints.assign(sets, std::vector<std::uint32_t>(vertices * 4));
  result.weights.assign(sets, std::vector<float>(vertices * 4));
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto influences = all.of(v);
    double sum = 0;
    for (const Influence& i : influences) sum += i.weight;
    for (std::size_t k = 0; k < influences.size(); ++k) {
      result.joints[k / 4][4 * v + k % 4] = influences[k].weight > 0 ? influences[k].joint : 0;
      result.weights[k / 4][4 * v + k % 4] = influences[k].weight;
    }
    if (!influences.empty() && std::abs(sum - 1) > 1e-7 * static_cast<double>(influences.size())) {
      float& heaviest = result.weights[0][4 * v];
      heaviest = static_cast<float>(heaviest + (1 - sum));
    }
  }
  return result;
}

/// Offsets of one attribute of a morph target; zeros where the target has none.
PackedAccessor pack_offsets(const MorphTarget& morph, std::span<const Vec3f> offsets, std::size_t vertices,
                            bool bounds) {
  if (offsets.empty() || !morph.vertices.empty()) {
    const std::span<const std::uint32_t> moved = offsets.empty() ? std::span<const std::uint32_t>() : morph.vertices;
    return pack_sparse(flat(offsets), moved, 3, vertices, bounds);
  }
  return pack_floats(flat(offsets), 3, vertex_attributes, bounds);
}

bool is_put_by_part(const std::string& semantic, const Part& part) {
  if (semantic == "POSITION" || semantic == "NORMAL" || semantic == "TANGENT") return true;
  if (semantic == "TEXCOORD_0") return !part.texcoords.empty();
  return part.skin && (semantic.substr(0, 7) == "JOINTS_" || semantic.substr(0, 8) == "WEIGHTS_");
}

/// Takes out of the primitive what the part replaces or outdates; returns the accessors that were named.
std::vector<std::size_t> strip(Json& primitive, const Part& part, bool same_count, const std::string& item,
                               Warnings* warnings) {
  std::vector<std::size_t> given_up;
  Json kept = Json::object();
  for (const auto& [semantic, index] : primitive["attributes"].members()) {
    const bool replaced = is_put_by_part(semantic, part);
    if (!replaced && same_count) {
      kept[semantic] = index;
      continue;
    }
    given_up.push_back(index.get<std::size_t>());
    if (!replaced && warnings != nullptr) {
      warnings->push_back(item + ": " + semantic + " was dropped because the number of vertices changed");
    }
  }
  primitive["attributes"] = std::move(kept);
  if (primitive.contains("indices")) given_up.push_back(primitive["indices"].get<std::size_t>());
  if (primitive.contains("targets")) {
    for (const Json& target : primitive["targets"]) {
      for (const Json& index : target) given_up.push_back(index.get<std::size_t>());
    }
  }
  for (const auto key : {"indices", "targets", "mode"}) primitive.erase(key);
  if (primitive.contains("extensions")) {  // a compressed copy would win over the new data
    primitive["extensions"].erase("KHR_draco_mesh_compression");
    if (primitive["extensions"].empty()) primitive.erase("extensions");
  }
  return given_up;
}

Json put_targets(Replacement& replacement, const Part& part) {
  const std::size_t vertices = part.mesh.positions.size();
  // Readers expect all targets of a primitive to have the same attributes.
  const auto any = [&](auto member) {
    return std::any_of(part.morphs.begin(), part.morphs.end(),
                       [&](const MorphTarget& m) { return !(m.*member).empty(); });
  };
  const bool normals = any(&MorphTarget::normals) && !part.mesh.normals.empty();
  const bool tangents = any(&MorphTarget::tangents) && !part.tangents.empty();
  Json targets = Json::array();
  for (const MorphTarget& morph : part.morphs) {
    Json target = {{"POSITION", replacement.put(pack_offsets(morph, morph.positions, vertices, true))}};
    if (normals) target["NORMAL"] = replacement.put(pack_offsets(morph, morph.normals, vertices, false));
    if (tangents) target["TANGENT"] = replacement.put(pack_offsets(morph, morph.tangents, vertices, false));
    targets.push_back(std::move(target));
  }
  return targets;
}

bool carries(const Json& root, const Json& node_index, std::uint32_t mesh) {
  const Json& node = root["nodes"][node_index.get<std::size_t>()];
  return node.contains("mesh") && node["mesh"] == mesh;
}

/// Weight tracks made for another number of morph targets would make the file invalid.
void drop_weight_tracks(Document& document, std::uint32_t mesh, Warnings* warnings) {
  Json& root = document.root;
  if (!root.contains("animations")) return;
  Json& animations = root["animations"];
  for (std::size_t a = animations.size(); a-- > 0;) {
    Json& channels = animations[a]["channels"];
    for (std::size_t c = channels.size(); c-- > 0;) {
      const Json& target = channels[c]["target"];
      if (target["path"] != "weights" || !target.contains("node") || !carries(root, target["node"], mesh)) continue;
      channels.erase(c);
      if (warnings != nullptr) {
        warnings->push_back("animations[" + std::to_string(a) +
                            "]: a weights track was dropped because the number of morph " + "targets of meshes[" +
                            std::to_string(mesh) + "] changed");
      }
    }
    if (channels.empty()) animations.erase(a);
  }
  if (animations.empty()) root.erase("animations");
}

void put_morph_properties(Document& document, const PartSource& source, const Part& part,
                          std::span<const float> weights) {
  Json& mesh = document.root["meshes"][source.mesh];
  Json names = Json::array(), numbers = Json::array();
  bool named = false;
  for (const MorphTarget& morph : part.morphs) {
    names.push_back(morph.name);
    named = named || !morph.name.empty();
  }
  for (const float w : weights) numbers.push_back(short_decimal(w));
  if (named) {
    if (!mesh.contains("extras") || !mesh["extras"].is_object()) mesh["extras"] = Json::object();
    mesh["extras"]["targetNames"] = std::move(names);
  } else if (mesh.contains("extras") && mesh["extras"].is_object()) {
    mesh["extras"].erase("targetNames");
    if (mesh["extras"].empty()) mesh.erase("extras");
  }
  std::vector<Json*> owners{&mesh};
  for (Json& node : document.root["nodes"]) {
    if (node.contains("mesh") && node["mesh"] == source.mesh) owners.push_back(&node);
  }
  for (Json* owner : owners) {
    const bool fits = owner->contains("weights") && (*owner)["weights"].size() == part.morphs.size();
    if (owner == &mesh && !weights.empty()) {
      mesh["weights"] = numbers;
    } else if (owner == &document.root["nodes"][source.node] && fits && !weights.empty()) {
      (*owner)["weights"] = numbers;
    } else if (!fits) {
      owner->erase("weights");
    }
  }
}

}  // namespace

void put_part(Document& document, const PartSource& source, const Part& part, std::span<const float> morph_weights,
              Warnings* warnings) {
  const auto primitive = [&]() -> Json& {
    return document.root["meshes"][source.mesh]["primitives"][source.primitive];
  };
  const std::string item =
      "meshes[" + std::to_string(source.mesh) + "].primitives[" + std::to_string(source.primitive) + "]";
  const std::size_t vertices = part.mesh.positions.size();
  const Json old = primitive()["attributes"];
  const auto old_index = [&](const std::string& semantic) {
    return old.contains(semantic) ? std::optional(old[semantic].get<std::size_t>()) : std::nullopt;
  };
  const auto old_positions = old_index("POSITION");
  const std::size_t old_targets = primitive().contains("targets") ? primitive()["targets"].size() : 0;
  if (old_targets > 0 && old_targets != part.morphs.size()) drop_weight_tracks(document, source.mesh, warnings);
  const bool same_count = old_positions && accessor_layout(document, *old_positions).count == vertices;
  Replacement replacement(document, strip(primitive(), part, same_count, item, warnings));
  const auto put = [&](const std::string& semantic, const PackedAccessor& accessor) {
    const std::size_t index = replacement.put(accessor, old_index(semantic));
    primitive()["attributes"][semantic] = index;
  };
  put("POSITION", pack_floats(flat(part.mesh.positions), 3, vertex_attributes, true));
  if (!part.mesh.normals.empty())
    put("NORMAL", pack_floats(flat(unit_vectors(part.mesh.normals)), 3, vertex_attributes));
  if (!part.tangents.empty()) put("TANGENT", pack_floats(flat(unit_tangents(part.tangents)), 4, vertex_attributes));
  if (!part.texcoords.empty()) put("TEXCOORD_0", pack_floats(flat(part.texcoords), 2, vertex_attributes));
  if (part.skin) {
    const WeightSets sets = weight_sets(part.weights);
    for (std::size_t s = 0; s < sets.joints.size(); ++s) {
      put("JOINTS_" + std::to_string(s), pack_joints(sets.joints[s]));
      put("WEIGHTS_" + std::to_string(s), pack_floats(sets.weights[s], 4, vertex_attributes));
    }
  }
  const std::span<const std::uint32_t> corners(part.mesh.triangles.empty() ? nullptr : part.mesh.triangles[0].data(),
                                               part.mesh.triangles.size() * 3);
  const std::size_t indices = replacement.put(pack_triangles(corners, vertices));
  primitive()["indices"] = indices;
  if (!part.morphs.empty()) {
    Json targets = put_targets(replacement, part);
    primitive()["targets"] = std::move(targets);
  }
  put_morph_properties(document, source, part, morph_weights);
}

std::size_t put_mended_weights(Document& document, const Imported& imported) {
  const Character& character = imported.character;
  std::size_t mended = 0;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skin) continue;
    const PartSource& source = imported.sources[p];
    const Item primitive = element(document.root, "meshes", source.mesh, "primitives", source.primitive);
    const std::size_t joints = character.skins[*part.skin].joints.size();
    const Reader reader{document, nullptr, false, {}};
    SkinWeights raw = read_weights(reader, primitive.required_object("attributes"), part.mesh.positions.size(), joints);
    if (raw.vertices() > 0 && clean(raw, joints).total() == 0) continue;
    const auto rest = std::span(character.morph_weights).subspan(part.first_morph_weight, part.morphs.size());
    put_part(document, source, part, rest);
    ++mended;
  }
  return mended;
}

}  // namespace supple::gltf
