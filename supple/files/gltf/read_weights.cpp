// Skin weights and morph targets of a primitive.
#include <algorithm>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

constexpr std::size_t max_sets = 64;  // of four influences of a vertex

bool is_zero(const float* v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

struct Offsets {
  std::vector<float> values;                         // #V * 3, or empty
  std::optional<std::vector<std::uint32_t>> listed;  // where the file itself is sparse from zero
};

Offsets read_offsets(const Reader& reader, const Item& target, const char* semantic, std::size_t vertices) {
  Offsets offsets;
  if (!target.has(semantic)) return offsets;
  const Item reference(target.json()[semantic], target.path(semantic));
  offsets.values = read_attribute(reader, reference, 3, vertices);
  const std::size_t accessor = reference.as_index(count(reader.document.root, "accessors"));
  if (!element(reader.document.root, "accessors", accessor).has("bufferView")) {
    offsets.listed = sparse_elements(reader.document, accessor);
  }
  return offsets;
}

std::vector<Vec3f> gather(const Offsets& offsets, std::span<const std::uint32_t> vertices) {
  std::vector<Vec3f> result;
  if (offsets.values.empty()) return result;
  for (const std::uint32_t v : vertices) {
    result.push_back({offsets.values[3 * v], offsets.values[3 * v + 1], offsets.values[3 * v + 2]});
  }
  return result;
}

MorphTarget read_morph(const Reader& reader, const Item& target, std::size_t vertices) {
  const Offsets positions = read_offsets(reader, target, "POSITION", vertices);
  const Offsets normals = read_offsets(reader, target, "NORMAL", vertices);
  const Offsets tangents = read_offsets(reader, target, "TANGENT", vertices);
  std::vector<bool> moves(vertices);
  bool sparse_in_file = false;
  for (const Offsets* offsets : {&positions, &normals, &tangents}) {
    if (offsets->listed) {
      sparse_in_file = true;
      for (const std::uint32_t v : *offsets->listed) moves[v] = true;
    } else {
      for (std::size_t v = 0; v * 3 < offsets->values.size(); ++v)
        moves[v] = moves[v] || !is_zero(&offsets->values[3 * v]);
    }
  }
  MorphTarget morph;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (moves[v]) morph.vertices.push_back(v);
  }
  if (morph.vertices.empty()) return morph;  // moves nothing
  const bool dense = !sparse_in_file && morph.vertices.size() * 2 > vertices;
  if (dense) {
    morph.vertices.resize(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v) morph.vertices[v] = v;
  }
  morph.positions = gather(positions, morph.vertices);
  morph.normals = gather(normals, morph.vertices);
  morph.tangents = gather(tangents, morph.vertices);
  if (dense) morph.vertices.clear();
  return morph;
}

}  // namespace

std::vector<MorphTarget> read_morphs(const Reader& reader, const Item& mesh, const Item& primitive,
                                     std::size_t vertices) {
  std::vector<MorphTarget> morphs;
  for (const Item& target : primitive.list("targets")) {
    morphs.push_back(read_morph(reader, target, vertices));
  }
  // extras are anyone's: names that do not look like names are no error.
  const auto extras = mesh.json().find("extras");
  if (extras == nullptr || !extras->is_object() || !extras->contains("targetNames")) return morphs;
  const Json& names = (*extras)["targetNames"];
  for (std::size_t m = 0; names.is_array() && m < std::min(names.size(), morphs.size()); ++m) {
    if (names[m].is_string()) morphs[m].name = names[m].get<std::string>();
  }
  return morphs;
}

SkinWeights read_weights(const Reader& reader, const Item& attributes, std::size_t vertices, std::size_t joint_count) {
  const std::size_t accessor_count = count(reader.document.root, "accessors");
  std::vector<std::vector<Influence>> influences(vertices);
  std::size_t set = 0;
  for (;; ++set) {
    const std::string joints_name = "JOINTS_" + std::to_string(set), weights_name = "WEIGHTS_" + std::to_string(set);
    if (!attributes.has(joints_name) || !attributes.has(weights_name)) break;
    if (set == max_sets) fail(attributes.path(joints_name), "is one set of joints too many", "reduce the influences");
    const std::size_t joints_accessor = attributes.required_index(joints_name, accessor_count);
    const std::string item = "accessors[" + std::to_string(joints_accessor) + "]";
    const Layout layout = accessor_layout(reader.document, joints_accessor);
    if (layout.components() != 4 || layout.count != vertices) {
      fail(item, "must be a VEC4 for each of the " + std::to_string(vertices) + " vertices of " + attributes.path());
    }
    const std::vector<std::uint32_t> joints = read_indices(reader, joints_accessor);
    const Item reference(attributes.json()[weights_name], attributes.path(weights_name));
    const std::vector<float> weights = read_attribute(reader, reference, 4, vertices);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      if (joints[i] >= joint_count) {
        fail(item,
             "vertex " + std::to_string(i / 4) + " is bound to joint " + std::to_string(joints[i]) +
                 " but the skin has " + std::to_string(joint_count),
             "bind the mesh again");
      }
      influences[i / 4].push_back({joints[i], weights[i]});
    }
  }
  SkinWeights result;
  if (set == 0) return result;
  for (const auto& of_vertex : influences) result.push_vertex(of_vertex);
  return result;
}

}  // namespace supple::gltf
