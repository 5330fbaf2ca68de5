// Storing accessors: packing, bounds, views, and giving up what an edit replaced.
#include <algorithm>
#include <cstring>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/deformers_member.h"

namespace supple::gltf {
namespace {

template <class To>
Bytes packed_as(std::span<const std::uint32_t> values) {
  Bytes bytes(values.size() * sizeof(To));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const To narrow = static_cast<To>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(To), &narrow, sizeof(To));
  }
  return bytes;
}

Bytes packed(std::span<const std::uint32_t> values, std::uint32_t type) {
  if (type == uint8) return packed_as<std::uint8_t>(values);
  if (type == uint16) return packed_as<std::uint16_t>(values);
  return packed_as<std::uint32_t>(values);
}

/// Bounds of all elements; `from_zero` where elements that are not listed are zero.
void set_bounds(PackedAccessor& accessor, std::span<const float> values, bool from_zero) {
  const std::size_t width = accessor.components;
  for (std::size_t c = 0; c < width; ++c) {
    float low = from_zero || values.empty() ? 0.0f : values[c], high = low;
    for (std::size_t i = c; i < values.size(); i += width) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    accessor.min.push_back(low);
    accessor.max.push_back(high);
  }
}

std::size_t add_view(Document& document, std::span<const std::byte> bytes, ViewTarget target) {
  Json& root = document.root;
  if (document.buffers.empty()) {
    document.buffers.emplace_back();
    root["buffers"] = Json::array({Json::object({{"byteLength", 0}})});
  }
  Bytes& buffer = document.buffers.back();
  buffer.resize((buffer.size() + 3) / 4 * 4);
  Json view = {{"buffer", document.buffers.size() - 1}, {"byteOffset", buffer.size()}, {"byteLength", bytes.size()}};
  if (target != no_target) view["target"] = static_cast<std::uint32_t>(target);
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  root["buffers"].back()["byteLength"] = buffer.size();
  root["bufferViews"].push_back(std::move(view));
  return root["bufferViews"].size() - 1;
}

const char* type_name(std::size_t components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      return "MAT4";
  }
}

void mark_numbers(const Json& json, std::vector<bool>& used) {
  const auto number = to_unsigned(json);
  if (number && *number < used.size()) used[*number] = true;
  if (!json.is_structured()) return;
  for (const Json& inner : json) mark_numbers(inner, used);
}

/// Extensions that are known to name no accessors.
bool names_no_accessors(std::string_view extension) {
  return extension == deformers_extension || extension == "KHR_lights_punctual" ||
         extension.starts_with("KHR_materials_") || extension.starts_with("KHR_texture_");
}

/// Everything inside extensions and extras anywhere below, but nothing else. What Supple keeps in extras.supple names
/// no accessors: limits of joints are small numbers that would pass for them.
void mark_extensions(const Json& json, std::vector<bool>& used) {
  if (!json.is_structured()) return;
  if (json.is_object()) {
    if (const auto extras = json.find("extras"); extras != nullptr && extras->is_object()) {
      for (const auto& [name, extra] : extras->members())
        if (name != "supple") mark_numbers(extra, used);
    } else if (extras != nullptr) {
      mark_numbers(*extras, used);
    }
    if (const auto extensions = json.find("extensions"); extensions != nullptr && extensions->is_object()) {
      for (const auto& [name, extension] : extensions->members())
        if (!names_no_accessors(name)) mark_numbers(extension, used);
    }
  }
  for (const Json& inner : json) mark_extensions(inner, used);
}

/// What stands for an accessor that an edit gave up, so that the others keep their numbers.
Json placeholder() {
  return {{"componentType", static_cast<std::uint32_t>(float32)}, {"count", 1}, {"type", "SCALAR"}};
}

void renumber(Json& json, std::span<const std::size_t> place) {
  if (const auto number = to_unsigned(json); number && *number < place.size()) {
    json = place[*number];
  } else if (json.is_structured()) {
    for (Json& inner : json) renumber(inner, place);
  }
}

/// Calls visit(reference or structure of references) for all that the standard lets refer to accessors.
template <class Tree, class Visit>
void for_each_accessor_reference(Tree& root, const Visit& visit) {
  const auto member = [&](auto& owner, const char* key) {
    if (owner.contains(key)) visit(owner[key]);
  };
  for (std::size_t m = 0; m < count(root, "meshes"); ++m) {
    for (auto& primitive : root["meshes"][m]["primitives"]) {
      member(primitive, "indices");
      member(primitive, "attributes");
      member(primitive, "targets");
    }
  }
  for (std::size_t s = 0; s < count(root, "skins"); ++s) member(root["skins"][s], "inverseBindMatrices");
  for (std::size_t a = 0; a < count(root, "animations"); ++a) {
    if (!root["animations"][a].contains("samplers")) continue;
    for (auto& sampler : root["animations"][a]["samplers"]) {
      member(sampler, "input");
      member(sampler, "output");
    }
  }
}

}  // namespace

PackedAccessor pack_floats(std::span<const float> values, std::size_t components, ViewTarget target, bool bounds) {
  PackedAccessor accessor;
  accessor.components = components;
  accessor.count = values.size() / components;
  accessor.target = target;
  const auto bytes = std::as_bytes(values);
  accessor.values.assign(bytes.begin(), bytes.end());
  if (bounds) set_bounds(accessor, values, false);
  return accessor;
}

PackedAccessor pack_sparse(std::span<const float> values, std::span<const std::uint32_t> elements,
                           std::size_t components, std::size_t count, bool bounds) {
  PackedAccessor accessor = pack_floats(values, components, no_target);
  accessor.count = count;
  accessor.sparse.emplace(elements.begin(), elements.end());
  if (bounds) set_bounds(accessor, values, elements.size() < count);
  return accessor;
}

PackedAccessor pack_joints(std::span<const std::uint32_t> values) {
  PackedAccessor accessor;
  const std::uint32_t largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  accessor.component_type = largest < 256 ? uint8 : uint16;
  accessor.components = 4;
  accessor.count = values.size() / 4;
  accessor.values = packed(values, accessor.component_type);
  accessor.target = vertex_attributes;
  return accessor;
}

PackedAccessor pack_triangles(std::span<const std::uint32_t> values, std::size_t vertex_count) {
  PackedAccessor accessor;
  accessor.component_type =
      vertex_count < 65535 ? uint16 : uint32;  // 65535 restarts strips in some graphics interfaces
  accessor.count = values.size();
  accessor.values = packed(values, accessor.component_type);
  accessor.target = triangle_indices;
  return accessor;
}

std::size_t put_accessor(Document& document, const PackedAccessor& packed_accessor,
                         std::optional<std::size_t> replaced) {
  Json json = Json::object();
  if (replaced) {
    const Json& old = document.root["accessors"][*replaced];
    for (const auto key : {"name", "extras"}) {
      if (old.contains(key)) json[key] = old[key];
    }
  }
  const bool is_sparse = packed_accessor.sparse.has_value();
  if (!is_sparse && packed_accessor.count > 0 && !packed_accessor.values.empty()) {
    json["bufferView"] = add_view(document, packed_accessor.values, packed_accessor.target);
  }
  json["componentType"] = packed_accessor.component_type;
  json["count"] = packed_accessor.count;
  json["type"] = type_name(packed_accessor.components);
  if (!packed_accessor.min.empty()) {
    json["min"] = packed_accessor.min;
    json["max"] = packed_accessor.max;
  }
  if (is_sparse && !packed_accessor.sparse->empty()) {
    const std::vector<std::uint32_t>& elements = *packed_accessor.sparse;
    const std::uint32_t type = elements.back() < 256 ? uint8 : elements.back() < 65536 ? uint16 : uint32;
    const std::size_t indices = add_view(document, packed(elements, type), no_target);
    const std::size_t values = add_view(document, packed_accessor.values, no_target);
    json["sparse"] = {{"count", elements.size()},
                      {"indices", {{"bufferView", indices}, {"componentType", type}}},
                      {"values", {{"bufferView", values}}}};
  }
  Json& accessors = document.root["accessors"];
  if (replaced) {
    accessors[*replaced] = std::move(json);
    return *replaced;
  }
  accessors.push_back(std::move(json));
  return accessors.size() - 1;
}

std::vector<bool> used_accessors(const Document& document) {
  std::vector<bool> used(count(document.root, "accessors"));
  for_each_accessor_reference(document.root, [&](const Json& json) { mark_numbers(json, used); });
  mark_extensions(document.root, used);
  return used;
}

void drop_placeholders(Json& root) {
  const std::size_t accessors = count(root, "accessors");
  std::vector<bool> used(accessors), elsewhere(accessors);
  mark_extensions(root, elsewhere);  // numbers whose meaning nobody knows: then nothing may be renumbered
  if (std::find(elsewhere.begin(), elsewhere.end(), true) != elsewhere.end()) return;
  for_each_accessor_reference(root, [&](const Json& json) { mark_numbers(json, used); });
  std::vector<std::size_t> place(accessors);
  Json kept = Json::array();
  for (std::size_t a = 0; a < accessors; ++a) {
    place[a] = kept.size();
    if (used[a] || root["accessors"][a] != placeholder()) kept.push_back(root["accessors"][a]);
  }
  if (kept.size() == accessors) return;
  for_each_accessor_reference(root, [&](Json& json) { renumber(json, place); });
  if (kept.empty()) {
    root.erase("accessors");
  } else {
    root["accessors"] = std::move(kept);
  }
}

Replacement::Replacement(Document& document, std::span<const std::size_t> given_up) : document_(document) {
  if (given_up.empty()) return;
  const std::vector<bool> used = used_accessors(document);
  for (const std::size_t index : given_up) {
    if (index < used.size() && !used[index]) free_.push_back(index);
  }
  std::sort(free_.begin(), free_.end());
  free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
}

std::size_t Replacement::put(const PackedAccessor& accessor, std::optional<std::size_t> preferred) {
  auto taken = free_.begin();
  if (preferred) {
    const auto found = std::find(free_.begin(), free_.end(), *preferred);
    if (found != free_.end()) taken = found;
  }
  if (taken == free_.end()) return put_accessor(document_, accessor);
  const std::size_t index = *taken;
  free_.erase(taken);
  return put_accessor(document_, accessor, index);
}

Replacement::~Replacement() {
  Json& root = document_.root;
  for (auto index = free_.rbegin(); index != free_.rend(); ++index) {
    Json& accessors = root["accessors"];
    if (*index + 1 == accessors.size()) {
      accessors.erase(*index);
    } else {
      accessors[*index] = placeholder();
    }
  }
  if (root.contains("accessors") && root["accessors"].empty()) root.erase("accessors");
}

}  // namespace supple::gltf
