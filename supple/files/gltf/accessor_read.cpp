// Typed reading of accessors: all component types, strides, normalised integers and sparse replacements.
#include <cmath>
#include <cstring>

#include "supple/files/gltf/accessor.h"

namespace supple::gltf {
namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// glTF's rule for normalised integers: c / max, and for signed ones never below -1.
float to_float(const std::byte* at, std::uint32_t type, bool normalized) {
  switch (type) {
    case int8: {
      const auto v = static_cast<float>(load<std::int8_t>(at));
      return normalized ? std::max(v / 127.0f, -1.0f) : v;
    }
    case uint8: {
      const auto v = static_cast<float>(load<std::uint8_t>(at));
      return normalized ? v / 255.0f : v;
    }
    case int16: {
      const auto v = static_cast<float>(load<std::int16_t>(at));
      return normalized ? std::max(v / 32767.0f, -1.0f) : v;
    }
    case uint16: {
      const auto v = static_cast<float>(load<std::uint16_t>(at));
      return normalized ? v / 65535.0f : v;
    }
    case uint32: {
      const auto v = load<std::uint32_t>(at);
      return normalized ? static_cast<float>(v / 4294967295.0) : static_cast<float>(v);
    }
    default:
      return load<float>(at);
  }
}

std::uint32_t to_integer(const std::byte* at, std::uint32_t type, bool) {
  if (type == uint8) return load<std::uint8_t>(at);
  if (type == uint16) return load<std::uint16_t>(at);
  return load<std::uint32_t>(at);
}

struct Place {
  const std::byte* data;
  std::size_t stride;
};

Place place_of(const Document& document, const Item& owner, const Layout& layout, bool may_stride) {
  const Item view = element(document.root, "bufferViews", owner.unsigned_integer("bufferView"));
  const Bytes& buffer = document.buffers[view.unsigned_integer("buffer")];
  const std::size_t offset = view.unsigned_integer("byteOffset", 0) + owner.unsigned_integer("byteOffset", 0);
  const std::size_t stride =
      may_stride ? view.unsigned_integer("byteStride", layout.default_stride()) : layout.default_stride();
  return {buffer.data() + offset, stride};
}

template <class T, class Convert>
void read_element(const std::byte* from, const Layout& layout, T* to, Convert convert) {
  for (std::size_t c = 0; c < layout.columns; ++c) {
    for (std::size_t r = 0; r < layout.rows; ++r) {
      *to++ =
          convert(from + c * layout.column_bytes + r * layout.component_size, layout.component_type, layout.normalized);
    }
  }
}

template <class T, class Convert>
std::vector<T> read_all(const Document& document, std::size_t index, Convert convert) {
  const Item accessor = element(document.root, "accessors", index);
  const Layout layout = layout_of(accessor);
  const std::size_t width = layout.components();
  std::vector<T> values(layout.count * width, T{});
  if (accessor.has("bufferView")) {
    const Place place = place_of(document, accessor, layout, true);
    for (std::size_t i = 0; i < layout.count; ++i) {
      read_element(place.data + i * place.stride, layout, &values[i * width], convert);
    }
  }
  if (const auto sparse = accessor.object("sparse")) {
    const auto elements = sparse_elements(document, index);
    const Place place = place_of(document, sparse->required_object("values"), layout, false);
    for (std::size_t k = 0; elements && k < elements->size(); ++k) {
      read_element(place.data + k * place.stride, layout, &values[(*elements)[k] * width], convert);
    }
  }
  return values;
}

}  // namespace

std::size_t component_size(std::uint64_t component_type) {
  switch (component_type) {
    case int8:
    case uint8:
      return 1;
    case int16:
    case uint16:
      return 2;
    case uint32:
    case float32:
      return 4;
    default:
      return 0;
  }
}

Layout layout_of(const Item& accessor) {
  Layout layout;
  const std::uint64_t component_type = accessor.unsigned_integer("componentType");
  layout.component_size = component_size(component_type);
  if (layout.component_size == 0)
    fail(accessor.path("componentType"), std::to_string(component_type) + " is not a component type");
  layout.component_type = static_cast<std::uint32_t>(component_type);
  layout.count = static_cast<std::size_t>(accessor.unsigned_integer("count"));
  layout.normalized = accessor.flag("normalized", false);
  const std::string type = accessor.required_text("type");
  if (type == "SCALAR") {
    layout.rows = 1;
  } else if (type.size() == 4 && type.substr(0, 3) == "VEC" && type[3] >= '2' && type[3] <= '4') {
    layout.rows = static_cast<std::size_t>(type[3] - '0');
  } else if (type.size() == 4 && type.substr(0, 3) == "MAT" && type[3] >= '2' && type[3] <= '4') {
    layout.rows = layout.columns = static_cast<std::size_t>(type[3] - '0');
  } else {
    fail(accessor.path("type"), type + " is none of SCALAR, VEC2..4 and MAT2..4");
  }
  layout.column_bytes = layout.rows * layout.component_size;
  if (layout.columns > 1) layout.column_bytes = (layout.column_bytes + 3) / 4 * 4;
  return layout;
}

Layout accessor_layout(const Document& document, std::size_t index) {
  return layout_of(element(document.root, "accessors", index));
}

std::vector<float> read_floats(const Document& document, std::size_t index) {
  return read_all<float>(document, index, to_float);
}

std::vector<std::uint32_t> read_indices(const Document& document, std::size_t index) {
  const Layout layout = accessor_layout(document, index);
  if (layout.component_type != uint8 && layout.component_type != uint16 && layout.component_type != uint32) {
    fail("accessors[" + std::to_string(index) + "].componentType", "must be an unsigned integer type");
  }
  return read_all<std::uint32_t>(document, index, to_integer);
}

std::optional<std::vector<std::uint32_t>> sparse_elements(const Document& document, std::size_t index) {
  const Item accessor = element(document.root, "accessors", index);
  const auto sparse = accessor.object("sparse");
  if (!sparse) return std::nullopt;
  const Item indices = sparse->required_object("indices");
  Layout layout;
  layout.component_type = static_cast<std::uint32_t>(indices.unsigned_integer("componentType"));
  layout.component_size = layout.column_bytes = component_size(layout.component_type);
  const Place place = place_of(document, indices, layout, false);
  std::vector<std::uint32_t> elements(sparse->unsigned_integer("count"));
  for (std::size_t k = 0; k < elements.size(); ++k) {
    elements[k] = to_integer(place.data + k * place.stride, layout.component_type, false);
  }
  return elements;
}

}  // namespace supple::gltf
