// Primitives that KHR_draco_mesh_compression packed: their accessors, which had no data, get some.
#include <algorithm>
#include <cstring>
#include <map>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/decode/decompress.h"
#include "supple/files/gltf/decode/draco.h"

namespace supple::gltf {
namespace {

constexpr const char* draco_name = "KHR_draco_mesh_compression";
enum DracoMode : std::uint64_t { triangle_list = 4, strip = 5 };

/// A primitive, and its accessors that the stream fills.
struct PackedPrimitive {
  std::string item;
  std::size_t view = 0;
  std::span<const std::byte> stream;
  std::vector<DracoAttribute> wanted;
  std::vector<std::size_t> accessors;  // #wanted
  std::optional<std::size_t> corners;  // accessor
  bool is_strip = false;
};

[[noreturn]] void refuse(const std::string& item, const Error& error) { fail(item, error.problem, error.remedy); }

PackedPrimitive packed_primitive(const Document& document, const Item& primitive, const Item& extension) {
  const std::size_t accessor_count = count(document.root, "accessors");
  PackedPrimitive packed;
  packed.item = extension.path();
  packed.view = extension.required_index("bufferView", count(document.root, "bufferViews"));
  packed.stream = bytes_of_range(document, element(document.root, "bufferViews", packed.view));
  const std::uint64_t mode = primitive.unsigned_integer("mode", triangle_list);
  if (mode != triangle_list && mode != strip) fail(primitive.path("mode"), "Draco compresses triangles only");
  packed.is_strip = mode == strip;
  packed.corners = primitive.index("indices", accessor_count);
  const Item attributes = primitive.required_object("attributes"), ids = extension.required_object("attributes");
  for (const auto& [semantic, id] : ids.json().members()) {
    const Item item(id, ids.path(semantic));
    const std::size_t accessor = attributes.required_index(semantic, accessor_count);
    const Layout layout = accessor_layout(document, accessor);
    if (layout.columns > 1) fail(item.path(), "vertices have no matrices");
    packed.wanted.push_back({static_cast<std::uint32_t>(item.as_index(0xffffffffu)), layout.component_type,
                             layout.components(), (layout.element_bytes() + 3) / 4 * 4});
    packed.accessors.push_back(accessor);
  }
  if (packed.wanted.empty()) fail(ids.path(), "names no attribute");
  return packed;
}

/// Whether the primitive can be read without Draco.
bool has_plain_data(const Document& document, const PackedPrimitive& packed) {
  const auto has_data = [&](std::size_t a) { return element(document.root, "accessors", a).has("bufferView"); };
  return packed.corners && has_data(*packed.corners) &&
         std::all_of(packed.accessors.begin(), packed.accessors.end(), has_data);
}

/// What the file says about sizes, before the memory for it is taken.
void check_claims(const Document& document, const PackedPrimitive& packed, DecodedBudget& budget) {
  const auto triangles = draco_triangles(packed.stream);
  if (!triangles) refuse(packed.item, triangles.error());
  if (packed.corners && !packed.is_strip) {
    const std::size_t corners = accessor_layout(document, *packed.corners).count;
    if (corners != 3 * *triangles) {
      fail("accessors[" + std::to_string(*packed.corners) + "].count", "is " + std::to_string(corners) + " but " +
                                                                           packed.item + " holds " +
                                                                           std::to_string(*triangles) + " triangles");
    }
  }
  budget.take(3 * 4 * *triangles, packed.item);
  for (std::size_t a = 0; a < packed.wanted.size(); ++a) {
    const std::uint64_t vertices = accessor_layout(document, packed.accessors[a]).count;
    if (vertices > 3 * *triangles) {
      fail("accessors[" + std::to_string(packed.accessors[a]) + "].count",
           "is " + std::to_string(vertices) + " but " + packed.item + " holds " + std::to_string(*triangles) +
               " triangles");
    }
    budget.take(vertices * packed.wanted[a].stride, packed.item);
  }
}

/// Data of a new view at the end of the last buffer.
std::size_t add_decoded_view(Document& document, std::span<const std::byte> bytes, std::size_t stride,
                             ViewTarget target) {
  Bytes& buffer = document.buffers.back();
  Json view = {{"buffer", document.buffers.size() - 1},
               {"byteOffset", buffer.size()},
               {"byteLength", bytes.size()},
               {"target", static_cast<std::uint32_t>(target)}};
  if (stride > 0) view["byteStride"] = stride;
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  buffer.resize((buffer.size() + 3) / 4 * 4);
  document.root["bufferViews"].push_back(std::move(view));
  return document.root["bufferViews"].size() - 1;
}

void give_data(Json& accessor, std::size_t view) {
  accessor["bufferView"] = view;
  accessor.erase("byteOffset");
}

void put_corners(Document& document, Json& primitive, const PackedPrimitive& packed, const DracoGeometry& geometry) {
  const PackedAccessor corners = pack_triangles(geometry.corners, geometry.vertices);
  const std::size_t view = add_decoded_view(document, corners.values, 0, triangle_indices);
  Json& accessors = document.root["accessors"];
  if (!packed.corners) {
    primitive["indices"] = accessors.size();
    accessors.push_back({{"type", "SCALAR"}});
  }
  Json& accessor = packed.corners ? accessors[*packed.corners] : accessors.back();
  accessor["componentType"] = corners.component_type;
  accessor["count"] = corners.count;
  if (packed.is_strip) primitive["mode"] = triangle_list;
  give_data(accessor, view);
}

void decompress_primitive(Document& document, Json& primitive, const PackedPrimitive& packed, DecodedBudget& budget) {
  check_claims(document, packed, budget);
  const auto geometry = decode_draco(packed.stream, packed.wanted);
  if (!geometry) refuse(packed.item, geometry.error());
  for (std::size_t a = 0; a < packed.wanted.size(); ++a) {
    const Layout layout = accessor_layout(document, packed.accessors[a]);
    if (layout.count != geometry->vertices) {
      fail("accessors[" + std::to_string(packed.accessors[a]) + "].count",
           "is " + std::to_string(layout.count) + " but " + packed.item + " holds " +
               std::to_string(geometry->vertices) + " vertices");
    }
    const std::size_t stride = packed.wanted[a].stride == layout.element_bytes() ? 0 : packed.wanted[a].stride;
    give_data(document.root["accessors"][packed.accessors[a]],
              add_decoded_view(document, geometry->attributes[a], stride, vertex_attributes));
  }
  put_corners(document, primitive, packed, *geometry);
}

}  // namespace

void decompress_draco(Document& document, DecodedBudget& budget) {
  const Item root(document.root, "");
  if (!uses_extension(root, draco_name)) return;
  const bool is_required = requires_extension(root, draco_name);
  if (is_required && !reads_draco()) refuse(draco_name, draco_triangles({}).error());
  document.buffers.emplace_back();
  document.root["buffers"].push_back({{"byteLength", 0}});
  std::map<std::size_t, std::size_t> filled;  // accessor -> the view of the stream that filled it
  for (std::size_t m = 0; m < count(document.root, "meshes"); ++m) {
    const std::vector<Item> primitives = element(document.root, "meshes", m).list("primitives");
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const auto extension = extension_of(primitives[p], draco_name);
      if (!extension) continue;
      const PackedPrimitive packed = packed_primitive(document, primitives[p], *extension);
      Json& json = document.root["meshes"][m]["primitives"][p];
      const auto is_filled = [&](std::size_t a) { return filled.contains(a) && filled[a] == packed.view; };
      const bool shared = packed.corners && is_filled(*packed.corners) &&
                          std::all_of(packed.accessors.begin(), packed.accessors.end(), is_filled);
      // Where it can be read without Draco, the plain data are the ones that nothing was rounded in.
      const bool plain = !is_required && has_plain_data(document, packed);
      if (!shared && !plain) decompress_primitive(document, json, packed, budget);
      for (const std::size_t a : packed.accessors) filled[a] = packed.view;
      if (packed.corners) filled[*packed.corners] = packed.view;
      if (shared && packed.is_strip) json["mode"] = triangle_list;
      remove_extension(json, draco_name);
    }
  }
  document.root["buffers"].back()["byteLength"] = document.buffers.back().size();
  unlist_extension(document.root, draco_name);
}

}  // namespace supple::gltf
