// The checks that let all later code trust a document.
#include <algorithm>
#include <array>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/document.h"

namespace supple::gltf {
namespace {

struct Counts {
  std::size_t buffers, views, accessors, meshes, nodes, skins, materials, images, textures, samplers, scenes, cameras;
};

void check_version(const Item& root) {
  const Item asset = root.required_object("asset");
  const std::string version = asset.required_text("version");
  if (version.substr(0, 2) != "2.") {
    fail("asset.version", "glTF " + version + " is not supported", "convert it to glTF 2.0");
  }
  const std::string least = asset.text("minVersion", "2.0");
  if (least != "2.0") fail("asset.minVersion", "asks for a reader of glTF " + least, "export it as glTF 2.0");
}

void check_extensions(const Item& root) {
  constexpr std::array understood_or_harmless{"KHR_mesh_quantization", "KHR_lights_punctual", "KHR_animation_pointer",
                                              "KHR_node_visibility",   "KHR_xmp_json_ld",     "MSFT_texture_dds"};
  constexpr std::array harmless_families{"KHR_materials_", "KHR_texture_", "EXT_texture_", "SUPPLE_"};
  for (const Item& item : root.list("extensionsRequired")) {
    if (!item.json().is_string()) fail(item.path(), "must be a string");
    const auto name = item.json().get<std::string>();
    const bool known =
        std::find(understood_or_harmless.begin(), understood_or_harmless.end(), name) != understood_or_harmless.end() ||
        std::any_of(harmless_families.begin(), harmless_families.end(),
                    [&](const std::string family) { return name.substr(0, family.size()) == family; });
    if (!known)
      fail("extensionsRequired", "the file cannot be shown without " + name, "export it without this extension");
  }
}

void check_views(const Item& root, const Document& document) {
  for (const Item& view : root.list("bufferViews")) {
    const std::size_t buffer = view.required_index("buffer", document.buffers.size());
    const std::uint64_t offset = view.unsigned_integer("byteOffset", 0), length = view.unsigned_integer("byteLength");
    const std::uint64_t size = document.buffers[buffer].size();
    if (length == 0) fail(view.path("byteLength"), "must not be 0");
    if (offset + length > size) {
      fail(view.path(), "reaches to byte " + std::to_string(offset + length) + " of buffers[" + std::to_string(buffer) +
                            "], which has " + std::to_string(size));
    }
    const std::uint64_t stride = view.unsigned_integer("byteStride", 4);
    if (stride < 4 || stride > 252 || stride % 4 != 0)
      fail(view.path("byteStride"), "must be a multiple of 4 from 4 to 252");
  }
}

/// `count` elements of `layout`, from `offset` in the view, must lie inside it.
void check_extent(const Item& item, const Json& root, std::size_t view_index, std::uint64_t offset, std::uint64_t count,
                  const Layout& layout, bool may_stride) {
  const Item view = element(root, "bufferViews", view_index);
  const std::uint64_t length = view.unsigned_integer("byteLength");
  const bool strided = may_stride && view.has("byteStride");
  const std::uint64_t stride = strided ? view.unsigned_integer("byteStride") : layout.default_stride();
  const std::string at = "bufferViews[" + std::to_string(view_index) + "]";
  if (stride < layout.element_bytes()) fail(item.path(), "its elements overlap: the stride of " + at + " is too small");
  if (count > length || offset + stride * (count - 1) + layout.element_bytes() > length) {
    fail(item.path(), std::to_string(count) + " elements do not fit into " + at + ", which has " +
                          std::to_string(length) + " bytes");
  }
  if (offset % layout.component_size != 0 ||
      (offset + view.unsigned_integer("byteOffset", 0)) % layout.component_size != 0) {
    fail(item.path("byteOffset"), "is not a multiple of the component size");
  }
}

void check_sparse(const Item& accessor, const Layout& layout, const Document& document, std::size_t view_count) {
  const Item sparse = accessor.required_object("sparse");
  const std::uint64_t replaced = sparse.unsigned_integer("count");
  if (replaced == 0 || replaced > layout.count) fail(sparse.path("count"), "must be from 1 to the accessor's count");
  const Item indices = sparse.required_object("indices"), values = sparse.required_object("values");
  const std::uint64_t type = indices.unsigned_integer("componentType");
  if (type != uint8 && type != uint16 && type != uint32)
    fail(indices.path("componentType"), "must be an unsigned integer type");
  Layout index_layout;
  index_layout.component_type = static_cast<std::uint32_t>(type);
  index_layout.component_size = index_layout.column_bytes = component_size(type);
  check_extent(indices, document.root, indices.required_index("bufferView", view_count),
               indices.unsigned_integer("byteOffset", 0), replaced, index_layout, false);
  check_extent(values, document.root, values.required_index("bufferView", view_count),
               values.unsigned_integer("byteOffset", 0), replaced, layout, false);
}

void check_accessors(const Item& root, const Document& document, const Counts& counts) {
  // Zeros cost no bytes in the file but memory here. An accessor of zeros stands beside others with as many elements.
  std::uint64_t most_without_data = 1 << 20;
  for (const Bytes& buffer : document.buffers) most_without_data += buffer.size();
  const std::vector<Item> accessors = root.list("accessors");
  for (std::size_t i = 0; i < accessors.size(); ++i) {
    const Item& accessor = accessors[i];
    const Layout layout = layout_of(accessor);
    if (layout.count == 0) fail(accessor.path("count"), "must not be 0");
    if (const auto view = accessor.index("bufferView", counts.views)) {
      check_extent(accessor, document.root, *view, accessor.unsigned_integer("byteOffset", 0), layout.count, layout,
                   true);
    } else if (layout.count > most_without_data) {
      fail(accessor.path("count"), std::to_string(layout.count) + " elements without data are too many");
    }
    if (!accessor.has("sparse")) continue;
    check_sparse(accessor, layout, document, counts.views);
    const auto elements = sparse_elements(document, i).value_or(std::vector<std::uint32_t>{});
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (elements[k] >= layout.count || (k > 0 && elements[k] <= elements[k - 1])) {
        fail(accessor.path("sparse.indices"), "entry " + std::to_string(k) + " is " + std::to_string(elements[k]) +
                                                  "; entries must increase and stay below " +
                                                  std::to_string(layout.count));
      }
    }
  }
}

void check_attributes(const Item& attributes, std::size_t accessor_count) {
  for (const auto& [semantic, value] : attributes.json().members()) {
    Item(value, attributes.path(semantic)).as_index(accessor_count);
  }
}

void check_meshes(const Item& root, const Counts& counts) {
  for (const Item& mesh : root.list("meshes")) {
    const std::vector<Item> primitives = mesh.list("primitives");
    if (primitives.empty()) fail(mesh.path("primitives"), "is missing or empty");
    for (const Item& primitive : primitives) {
      check_attributes(primitive.required_object("attributes"), counts.accessors);
      primitive.index("indices", counts.accessors);
      primitive.index("material", counts.materials);
      if (primitive.unsigned_integer("mode", 4) > 6) fail(primitive.path("mode"), "must be from 0 to 6");
      for (const Item& target : primitive.list("targets")) check_attributes(target, counts.accessors);
    }
  }
}

/// Whoever walks up from every node, or indents by its depth, takes time and memory by the square of it.
void check_depth(std::span<const std::size_t> parent) {
  constexpr std::size_t max_depth = 1000;
  std::vector<std::size_t> depth(parent.size(), 0), chain;  // 0: not known yet
  for (std::size_t i = 0; i < parent.size(); ++i) {
    chain.clear();
    std::size_t at = i;
    for (; at != parent.size() && depth[at] == 0; at = parent[at]) chain.push_back(at);
    std::size_t above = at == parent.size() ? 0 : depth[at];
    for (auto node = chain.rbegin(); node != chain.rend(); ++node) depth[*node] = ++above;
    if (above > max_depth) {
      fail("nodes[" + std::to_string(i) + "]", "lies below " + std::to_string(above - 1) + " others",
           "at most " + std::to_string(max_depth) + " nodes may hang below each other");
    }
  }
}

void check_nodes(const Item& root, const Counts& counts) {
  const std::vector<Item> nodes = root.list("nodes");
  std::vector<std::size_t> parent(nodes.size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].index("mesh", counts.meshes);
    nodes[i].index("skin", counts.skins);
    nodes[i].index("camera", counts.cameras);
    for (const std::size_t child : nodes[i].indices("children", nodes.size())) {
      if (parent[child] != nodes.size()) {
        fail("nodes[" + std::to_string(child) + "]",
             "is a child of both nodes[" + std::to_string(parent[child]) + "] and nodes[" + std::to_string(i) + "]");
      }
      parent[child] = i;
    }
  }
  // Following parents from a node either ends at a root or returns to it: walks from all nodes share what they have
  // seen.
  std::vector<std::size_t> seen_by(nodes.size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t at = i; at != nodes.size() && seen_by[at] != i; at = parent[at]) {
      if (seen_by[at] != nodes.size()) break;
      seen_by[at] = i;
      if (parent[at] != nodes.size() && seen_by[parent[at]] == i) {
        fail("nodes[" + std::to_string(at) + "]", "is its own ancestor: the nodes form a cycle");
      }
    }
  }
  check_depth(parent);
}

void check_skins(const Item& root, const Counts& counts) {
  for (const Item& skin : root.list("skins")) {
    if (skin.indices("joints", counts.nodes).empty()) fail(skin.path("joints"), "is missing or empty");
    skin.index("skeleton", counts.nodes);
    skin.index("inverseBindMatrices", counts.accessors);
  }
}

void check_animations(const Item& root, const Counts& counts) {
  for (const Item& animation : root.list("animations")) {
    const std::vector<Item> samplers = animation.list("samplers");
    for (const Item& sampler : samplers) {
      sampler.required_index("input", counts.accessors);
      sampler.required_index("output", counts.accessors);
      const std::string kind = sampler.text("interpolation", "LINEAR");
      if (kind != "LINEAR" && kind != "STEP" && kind != "CUBICSPLINE") {
        fail(sampler.path("interpolation"), kind + " is none of LINEAR, STEP and CUBICSPLINE");
      }
    }
    for (const Item& channel : animation.list("channels")) {
      channel.required_index("sampler", samplers.size());
      const Item target = channel.required_object("target");
      target.index("node", counts.nodes);
      target.required_text("path");
    }
  }
}

void check_images(const Item& root, const Counts& counts) {
  for (const Item& image : root.list("images")) {
    image.index("bufferView", counts.views);
    image.text("uri", "");
  }
  for (const Item& texture : root.list("textures")) {
    texture.index("source", counts.images);
    texture.index("sampler", counts.samplers);
  }
  for (const Item& material : root.list("materials")) {
    const auto check_texture = [&](const Item& owner, std::string_view key) {
      if (const auto info = owner.object(key)) info->required_index("index", counts.textures);
    };
    for (const auto key : {"normalTexture", "occlusionTexture", "emissiveTexture"}) check_texture(material, key);
    if (const auto pbr = material.object("pbrMetallicRoughness")) {
      for (const auto key : {"baseColorTexture", "metallicRoughnessTexture"}) check_texture(*pbr, key);
    }
  }
}

void check_scenes(const Item& root, const Counts& counts) {
  root.index("scene", counts.scenes);
  for (const Item& scene : root.list("scenes")) scene.indices("nodes", counts.nodes);
}

}  // namespace

Result<void> check(const Document& document) {
  return guarded(document.name, [&]() -> Result<void> {
    const Item root(document.root, "");
    check_version(root);
    check_extensions(root);
    const Json& json = document.root;
    const Counts counts{count(json, "buffers"),   count(json, "bufferViews"), count(json, "accessors"),
                        count(json, "meshes"),    count(json, "nodes"),       count(json, "skins"),
                        count(json, "materials"), count(json, "images"),      count(json, "textures"),
                        count(json, "samplers"),  count(json, "scenes"),      count(json, "cameras")};
    if (document.buffers.size() != counts.buffers) fail("buffers", "do not match the data that was loaded");
    check_views(root, document);
    check_accessors(root, document, counts);
    check_meshes(root, counts);
    check_nodes(root, counts);
    check_skins(root, counts);
    check_animations(root, counts);
    check_images(root, counts);
    check_scenes(root, counts);
    return {};
  });
}

}  // namespace supple::gltf
