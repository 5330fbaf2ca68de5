// Triangle primitives become parts.
#include <algorithm>
#include <cmath>
#include <map>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

enum Mode : std::uint64_t { triangles = 4, triangle_strip = 5, triangle_fan = 6 };

/// Corner numbers -> triangles, by the standard's winding rules. Strips use repeated corners to jump; those are no
/// triangles of the surface.
std::vector<Triangle> assemble(std::span<const std::uint32_t> corners, std::uint64_t mode, const std::string& item) {
  std::vector<Triangle> result;
  if (mode == triangles) {
    if (corners.size() % 3 != 0)
      fail(item, "has " + std::to_string(corners.size()) + " corners, which is not a multiple of 3");
    for (std::size_t i = 0; i < corners.size(); i += 3) result.push_back({corners[i], corners[i + 1], corners[i + 2]});
    return result;
  }
  for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
    const Triangle t = mode == triangle_fan ? Triangle{corners[i + 1], corners[i + 2], corners[0]}
                                            : Triangle{corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) result.push_back(t);
  }
  return result;
}

std::vector<Triangle> read_triangles(const Reader& reader, const Item& primitive, std::size_t vertices) {
  std::vector<std::uint32_t> corners;
  std::string item = primitive.path();
  if (const auto accessor = primitive.index("indices", count(reader.document.root, "accessors"))) {
    item = "accessors[" + std::to_string(*accessor) + "]";
    if (accessor_layout(reader.document, *accessor).components() != 1)
      fail(item, "must be SCALAR: it holds triangle corners");
    corners = read_indices(reader, *accessor);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (corners[i] >= vertices) {
        fail(item, "entry " + std::to_string(i) + " names vertex " + std::to_string(corners[i]) + " but " +
                       primitive.path() + " has " + std::to_string(vertices));
      }
    }
  } else {
    corners.resize(vertices);
    for (std::size_t i = 0; i < vertices; ++i) corners[i] = static_cast<std::uint32_t>(i);
  }
  return assemble(corners, primitive.unsigned_integer("mode", triangles), item);
}

std::vector<Vec3f> to_vectors(std::span<const float> values) {
  std::vector<Vec3f> vectors(values.size() / 3);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return vectors;
}

/// An attribute that can be done without: left out, with a warning, where it holds numbers that are not finite.
std::vector<float> read_optional(const Reader& reader, const Item& attributes, const char* semantic,
                                 std::size_t components, std::size_t vertices) {
  if (!attributes.has(semantic)) return {};
  const Item reference(attributes.json()[semantic], attributes.path(semantic));
  std::vector<float> values = read_attribute(reader, reference, components, vertices);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    reader.mend(reference.path(), "vertex " + std::to_string(i / components) + " is not finite",
                "the attribute was left out");
    return {};
  }
  return values;
}

void warn_degenerate(const Reader& reader, const Mesh& mesh, const std::string& item) {
  std::size_t degenerate = 0, first = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3d p(mesh.positions[a]), u = Vec3d(mesh.positions[b]) - p, v = Vec3d(mesh.positions[c]) - p;
    if (squared_length(cross(u, v)) > 0) continue;
    if (degenerate++ == 0) first = t;
  }
  if (degenerate > 0) {
    reader.warn(item + ": " + std::to_string(degenerate) + " of " + std::to_string(mesh.triangles.size()) +
                " triangles have no area, first triangle " + std::to_string(first) + "; kept");
  }
}

/// Everything of a part that does not depend on the node; none where the primitive is no surface.
std::optional<Part> read_primitive(const Reader& reader, const Item& mesh, const Item& primitive) {
  const std::uint64_t mode = primitive.unsigned_integer("mode", triangles);
  if (mode < triangles) {
    reader.warn(primitive.path() + ": points and lines are not skinned; left out");
    return std::nullopt;
  }
  const Item attributes = primitive.required_object("attributes");
  if (!attributes.has("POSITION")) {
    reader.warn(primitive.path() + ": has no positions; left out");
    return std::nullopt;
  }
  Part part;
  const Item positions(attributes.json()["POSITION"], attributes.path("POSITION"));
  part.mesh.positions = to_vectors(read_attribute(reader, positions, 3, {}));
  const std::size_t vertices = part.mesh.positions.size();
  for (std::size_t v = 0; v < vertices; ++v) {
    if (!is_finite(part.mesh.positions[v])) fail(positions.path(), "vertex " + std::to_string(v) + " is not finite");
  }
  part.mesh.triangles = read_triangles(reader, primitive, vertices);
  part.mesh.normals = to_vectors(read_optional(reader, attributes, "NORMAL", 3, vertices));
  const std::vector<float> tangents = read_optional(reader, attributes, "TANGENT", 4, vertices);
  for (std::size_t i = 0; i < tangents.size(); i += 4) {
    part.tangents.push_back({tangents[i], tangents[i + 1], tangents[i + 2], tangents[i + 3]});
  }
  const std::vector<float> texcoords = read_optional(reader, attributes, "TEXCOORD_0", 2, vertices);
  for (std::size_t i = 0; i < texcoords.size(); i += 2) part.texcoords.push_back({texcoords[i], texcoords[i + 1]});
  part.morphs = read_morphs(reader, mesh, primitive, vertices);
  if (const auto material = primitive.index("material", count(reader.document.root, "materials"))) {
    part.material = static_cast<std::uint32_t>(*material);
  }
  warn_degenerate(reader, part.mesh, primitive.path());
  return part;
}

SkinWeights read_clean_weights(const Reader& reader, const Item& primitive, std::size_t vertices,
                               std::size_t joint_count) {
  SkinWeights weights = read_weights(reader, primitive.required_object("attributes"), vertices, joint_count);
  if (weights.vertices() == 0) return weights;
  const WeightRepairs repairs = clean(weights, joint_count);
  for (const std::string& line : repairs.describe()) {
    if (reader.strict) fail(primitive.path(), line, "read it without strict checking to have it mended");
    reader.warn(primitive.path() + ": " + line);
  }
  return weights;
}

/// Parts of one mesh, read once however many nodes carry it.
class MeshCache {
 public:
  explicit MeshCache(const Reader& reader) : reader_(reader), primitives_(count(reader.document.root, "meshes")) {}

  const std::vector<std::optional<Part>>& primitives(std::size_t mesh) {
    if (!primitives_[mesh]) {
      primitives_[mesh].emplace();
      const Item item = element(reader_.document.root, "meshes", mesh);
      for (const Item& primitive : item.list("primitives")) {
        primitives_[mesh]->push_back(read_primitive(reader_, item, primitive));
        const auto& parts = *primitives_[mesh];
        if (parts.back() && parts.front() && parts.back()->morphs.size() != parts.front()->morphs.size()) {
          fail(primitive.path("targets"), "all primitives of a mesh must have the same number of morph targets");
        }
      }
    }
    return *primitives_[mesh];
  }

  const SkinWeights& weights(std::size_t mesh, std::size_t primitive, std::size_t vertices, std::size_t joint_count) {
    const std::array<std::size_t, 3> key{mesh, primitive, joint_count};
    const auto found = weights_.find(key);
    if (found != weights_.end()) return found->second;
    const Item item = element(reader_.document.root, "meshes", mesh, "primitives", primitive);
    return weights_.emplace(key, read_clean_weights(reader_, item, vertices, joint_count)).first->second;
  }

 private:
  const Reader& reader_;
  std::vector<std::optional<std::vector<std::optional<Part>>>> primitives_;
  std::map<std::array<std::size_t, 3>, SkinWeights> weights_;
};

/// Rest weights of a node's morph targets: its own, or else its mesh's, or else zero.
std::uint32_t add_morph_block(Reader& reader, const Item& node, std::uint32_t node_index, const Item& mesh,
                              std::size_t targets) {
  std::vector<float>& all = reader.result.character.morph_weights;
  if (targets == 0) return 0;
  const auto first = static_cast<std::uint32_t>(all.size());
  const Item& owner = node.has("weights") ? node : mesh;
  const auto weights = owner.floats("weights");
  if (weights && weights->size() != targets) {
    fail(owner.path("weights"),
         "has " + std::to_string(weights->size()) + " weights for " + std::to_string(targets) + " morph targets");
  }
  all.resize(first + targets, 0.0f);
  if (weights) std::copy(weights->begin(), weights->end(), all.begin() + first);
  reader.result.morphs.push_back({node_index, first, static_cast<std::uint32_t>(targets)});
  return first;
}

template <class T>
std::size_t bytes_in(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}

std::size_t bytes_of(const Part& part) {
  std::size_t bytes = sizeof part + bytes_in(part.mesh.positions) + bytes_in(part.mesh.normals) +
                      bytes_in(part.mesh.triangles) + bytes_in(part.tangents) + bytes_in(part.texcoords) +
                      bytes_in(part.morphs);
  for (const MorphTarget& morph : part.morphs) {
    bytes += morph.name.size() + bytes_in(morph.vertices) + bytes_in(morph.positions) + bytes_in(morph.normals) +
             bytes_in(morph.tangents);
  }
  return bytes;
}

/// (mesh, node) of every node that carries a mesh, by mesh: parts keep the order in which their meshes were written,
/// wherever their nodes stand.
std::vector<std::pair<std::uint32_t, std::uint32_t>> carriers(const Reader& reader) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  const std::vector<Item> nodes = reader.root().list("nodes");
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto mesh = nodes[n].index("mesh", count(reader.document.root, "meshes"));
    if (mesh) result.emplace_back(static_cast<std::uint32_t>(*mesh), n);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

void read_parts(Reader& reader) {
  const Json& root = reader.document.root;
  MeshCache cache(reader);
  const std::vector<Item> nodes = reader.root().list("nodes");
  for (const auto& [mesh, n] : carriers(reader)) {
    const auto skin = nodes[n].index("skin", count(root, "skins"));
    const Item mesh_item = element(root, "meshes", mesh);
    const auto& primitives = cache.primitives(mesh);
    const std::string name = mesh_item.text("name", nodes[n].text("name", ""));
    const std::size_t targets = !primitives.empty() && primitives.front() ? primitives.front()->morphs.size() : 0;
    const std::uint32_t first_weight = add_morph_block(reader, nodes[n], n, mesh_item, targets);
    for (std::uint32_t p = 0; p < primitives.size(); ++p) {
      if (!primitives[p]) continue;
      reader.allowance.take(bytes_of(*primitives[p]), nodes[n].path());
      Part part = *primitives[p];
      part.name = primitives.size() > 1 ? name + "." + std::to_string(p) : name;
      part.node = reader.result.nodes.to_joint[n];
      part.first_morph_weight = first_weight;
      if (skin) {
        const std::size_t joint_count = reader.result.character.skins[*skin].joints.size();
        part.weights = cache.weights(mesh, p, part.mesh.positions.size(), joint_count);
        reader.allowance.take(part.weights.entries.size() * sizeof(Influence), nodes[n].path());
        if (part.weights.vertices() > 0) {
          part.skin = static_cast<std::uint32_t>(*skin);
        } else {
          reader.mend(mesh_item.path() + ".primitives[" + std::to_string(p) + "]",
                      "is skinned but has no JOINTS_0 and WEIGHTS_0", "it moves rigidly with " + nodes[n].path());
        }
      }
      reader.result.character.parts.push_back(std::move(part));
      reader.result.sources.push_back({n, mesh, p});
    }
  }
}

}  // namespace supple::gltf
