#include "supple/files/gltf/encode/compress.h"

#include <algorithm>
#include <cstring>

#include "supple/files/gltf/encode/meshopt_encode.h"
#include "supple/files/gltf/save.h"

namespace supple::gltf {
namespace {

constexpr const char* extension_name = "EXT_meshopt_compression";

/// The elements of an accessor, or of the replaced ones of a sparse accessor, one after another without gaps.
Bytes tight_elements(const Document& document, const Item& owner, const Layout& layout, std::size_t count,
                     bool may_stride) {
  const Item view = element(document.root, "bufferViews", owner.unsigned_integer("bufferView"));
  const Bytes& buffer = document.buffers[view.unsigned_integer("buffer")];
  const std::size_t offset = view.unsigned_integer("byteOffset", 0) + owner.unsigned_integer("byteOffset", 0);
  const std::size_t size = layout.element_bytes();
  const std::size_t stride =
      may_stride ? view.unsigned_integer("byteStride", layout.default_stride()) : layout.default_stride();
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + i * size, buffer.data() + offset + i * stride, size);
  return bytes;
}

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

class Compressor {
 public:
  explicit Compressor(const Document& compact) : source_(compact), plan_(plan_rounding(compact)), result_(compact) {
    result_.buffers.emplace_back();
  }

  Document run() {
    std::vector<bool> holds_corners(plan_.accessors.size());
    for (const Item& mesh : Item(source_.root, "").list("meshes")) {
      for (const Item& primitive : mesh.list("primitives")) {
        if (const auto a = primitive.index("indices", holds_corners.size())) holds_corners[*a] = true;
      }
    }
    for (std::size_t a = 0; a < plan_.accessors.size(); ++a) {
      const Item accessor = element(source_.root, "accessors", a);
      if (holds_corners[a] && !accessor.has("sparse")) {
        pack_corners(a);
      } else {
        pack_accessor(a, accessor);
      }
    }
    return finished();
  }

 private:
  Json& accessor_json(std::size_t a) { return result_.root["accessors"][a]; }

  void pack_corners(std::size_t a) {
    const std::vector<std::uint32_t> corners = read_indices(source_, a);
    const Layout layout = accessor_layout(source_, a);
    if (layout.components() != 1 || layout.component_size < 2) return;
    if (const auto view = add_indices(corners, layout.component_size, triangle_indices))
      point_to(accessor_json(a), *view);
  }

  void pack_accessor(std::size_t a, const Item& accessor) {
    const Layout layout = layout_of(accessor);
    const Rounding rounding = plan_.accessors[a];
    Json& json = accessor_json(a);
    if (accessor.has("bufferView")) {
      Bytes bytes = tight_elements(source_, accessor, layout, layout.count, true);
      const Item view = element(source_.root, "bufferViews", accessor.unsigned_integer("bufferView"));
      if (const auto packed = add_elements(a, std::move(bytes), layout, rounding, view.json())) point_to(json, *packed);
    }
    if (const auto sparse = accessor.object("sparse")) pack_sparse(a, *sparse, layout, rounding);
    if (rounding.kind == Rounding::Kind::steps) {
      set_bounds_of(json, a, layout.components(), rounding.exponent);
    } else if (rounding.kind != Rounding::Kind::exact) {
      json["componentType"] = int16;
      json["normalized"] = true;
      json.erase("min");
      json.erase("max");
      quantized_ = quantized_ || rounding.kind == Rounding::Kind::directions;
    }
  }

  void pack_sparse(std::size_t a, const Item& sparse, const Layout& layout, const Rounding& rounding) {
    Json& json = accessor_json(a)["sparse"];
    const std::vector<std::uint32_t> elements = sparse_elements(source_, a).value();
    const std::size_t index_size = component_size(sparse.required_object("indices").unsigned_integer("componentType"));
    if (index_size >= 2) {
      if (const auto view = add_indices(elements, index_size, no_target)) point_to(json["indices"], *view);
    }
    Bytes bytes = tight_elements(source_, sparse.required_object("values"), layout, elements.size(), false);
    if (const auto view = add_elements(a, std::move(bytes), layout, rounding, Json::object())) {
      point_to(json["values"], *view);
    }
  }

  static void point_to(Json& owner, std::size_t view) {
    owner["bufferView"] = view;
    owner.erase("byteOffset");
  }

  /// Bounds of numbers that were rounded, where the file told them.
  void set_bounds_of(Json& json, std::size_t a, std::size_t width, int exponent) {
    if (!json.contains("min") && !json.contains("max")) return;
    std::vector<float> values = read_floats(source_, a);
    for (float& value : values) value = to_step(value, exponent);
    Json low = Json::array(), high = Json::array();
    for (std::size_t c = 0; c < width; ++c) {
      float least = values[c], most = values[c];
      for (std::size_t i = c; i < values.size(); i += width) {
        least = std::min(least, values[i]);
        most = std::max(most, values[i]);
      }
      low.push_back(least);
      high.push_back(most);
    }
    json["min"] = std::move(low);
    json["max"] = std::move(high);
  }

  /// Nothing where the elements stay as they are: what is no vertex attribute may have no gaps between its elements,
  /// and the codec wants multiples of four bytes.
  std::optional<std::size_t> add_elements(std::size_t a, Bytes bytes, const Layout& layout, const Rounding& rounding,
                                          const Json& old_view) {
    const bool is_vertex_data = old_view.value("target", std::uint32_t{0}) == vertex_attributes;
    FilteredElements elements;
    if (rounding.kind != Rounding::Kind::exact) {
      const auto weights = plan_.weights.find(a);
      elements =
          filtered(weights == plan_.weights.end() ? floats_of(bytes) : weights->second, layout.components(), rounding);
    } else {
      const std::size_t size = layout.element_bytes();
      elements.stride = is_vertex_data ? (size + 3) / 4 * 4 : size;
      elements.count = bytes.size() / size;
      if (elements.stride % 4 != 0 || elements.stride > 256) return std::nullopt;
      elements.bytes.resize(elements.count * elements.stride);
      for (std::size_t i = 0; i < elements.count; ++i)
        std::memcpy(elements.bytes.data() + i * elements.stride, bytes.data() + i * size, size);
    }
    if (elements.count == 0) return std::nullopt;
    const std::size_t size = rounding.kind == Rounding::Kind::directions  ? 2 * layout.components()
                             : rounding.kind == Rounding::Kind::rotations ? 8
                                                                          : layout.element_bytes();
    Json view = Json::object();
    if (elements.stride != size || (is_vertex_data && old_view.contains("byteStride")))
      view["byteStride"] = elements.stride;
    if (old_view.contains("target")) view["target"] = old_view["target"];
    return add_view(std::move(view), encode_attributes(elements), meshopt::Mode::attributes, elements.filter,
                    elements.count, elements.stride);
  }

  std::optional<std::size_t> add_indices(const std::vector<std::uint32_t>& indices, std::size_t index_size,
                                         ViewTarget target) {
    // The codec holds differences of 30 bits.
    if (std::any_of(indices.begin(), indices.end(), [](std::uint32_t i) { return i >= 1u << 29; })) return std::nullopt;
    Json view = Json::object();
    if (target != no_target) view["target"] = static_cast<std::uint32_t>(target);
    return add_view(std::move(view), encode_indices(indices), meshopt::Mode::indices, meshopt::Filter::none,
                    indices.size(), index_size);
  }

  /// The stream, or what a reader makes of it where that is smaller.
  std::size_t add_view(Json view, const Bytes& stream, meshopt::Mode mode, meshopt::Filter filter, std::size_t count,
                       std::size_t stride) {
    Bytes decoded(count * stride);
    if (!meshopt::decode(stream, mode, filter, count, stride, decoded)) fail("", "could not be compressed");
    Json& views = result_.root["bufferViews"];
    Bytes& buffer = result_.buffers.back();
    const std::size_t last = result_.buffers.size() - 1;
    const bool plain = decoded.size() <= stream.size();
    const Bytes& stored = plain ? decoded : stream;
    buffer.resize((buffer.size() + 3) / 4 * 4);
    Json range = {{"buffer", last}, {"byteOffset", buffer.size()}, {"byteLength", stored.size()}};
    if (plain) {
      view.update(range);
    } else {
      range["byteStride"] = stride;
      range["count"] = count;
      range["mode"] = mode == meshopt::Mode::attributes ? "ATTRIBUTES" : "INDICES";
      if (filter != meshopt::Filter::none) range["filter"] = filter_name(filter);
      view["buffer"] = last + 1;
      view["byteOffset"] = stand_in_bytes_;
      view["byteLength"] = decoded.size();
      view["extensions"] = Json::object({{extension_name, std::move(range)}});
      stand_in_bytes_ += (decoded.size() + 3) / 4 * 4;
    }
    buffer.insert(buffer.end(), stored.begin(), stored.end());
    views.push_back(std::move(view));
    return views.size() - 1;
  }

  static const char* filter_name(meshopt::Filter filter) {
    return filter == meshopt::Filter::octahedral   ? "OCTAHEDRAL"
           : filter == meshopt::Filter::quaternion ? "QUATERNION"
                                                   : "EXPONENTIAL";
  }

  Document finished() {
    result_.root["buffers"].push_back({{"byteLength", result_.buffers.back().size()}});
    Document document = compacted(result_);  // without the views that were packed
    Json& root = document.root;
    if (stand_in_bytes_ > 0) {
      for (Json& view : root["bufferViews"]) {
        if (view.contains("extensions") && view["extensions"].contains(extension_name)) view["buffer"] = 1;
      }
      root["buffers"].push_back({{"byteLength", stand_in_bytes_},
                                 {"extensions", Json::object({{extension_name, Json::object({{"fallback", true}})}})}});
      document.buffers.emplace_back();
      require(root, extension_name);
    }
    if (quantized_) require(root, "KHR_mesh_quantization");
    return document;
  }

  static void require(Json& root, const char* name) {
    for (const auto list : {"extensionsUsed", "extensionsRequired"}) {
      Json& names = root[list];
      if (!std::any_of(names.begin(), names.end(), [&](const Json& n) { return n == Json(name); }))
        names.push_back(name);
    }
  }

  const Document& source_;
  const RoundingPlan plan_;
  Document result_;
  std::size_t stand_in_bytes_ = 0;
  bool quantized_ = false;
};

}  // namespace

Document compressed(const Document& compact) {
  if (!writes_meshopt()) {
    fail("", "cannot be written compressed by this build", "build with -DSUPPLE_MESHOPT=ON, or write it uncompressed");
  }
  if (compact.buffers.empty()) return compact;
  return Compressor(compact).run();
}

}  // namespace supple::gltf
