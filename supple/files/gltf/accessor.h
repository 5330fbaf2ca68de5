// Accessors: typed arrays in the buffers of a glTF document, read into plain vectors and written back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/files/gltf/document.h"

namespace supple::gltf {

enum ComponentType : std::uint32_t {
  int8 = 5120,
  uint8 = 5121,
  int16 = 5122,
  uint16 = 5123,
  uint32 = 5125,
  float32 = 5126
};
enum ViewTarget : std::uint32_t { no_target = 0, vertex_attributes = 34962, triangle_indices = 34963 };

/// How the elements of an accessor lie in memory.
struct Layout {
  std::uint32_t component_type = float32;
  std::size_t component_size = 4;
  std::size_t rows = 1, columns = 1;  // of a matrix; vectors have one column
  std::size_t column_bytes = 4;       // columns of byte and short matrices start at multiples of 4 bytes
  std::size_t count = 0;
  bool normalized = false;

  std::size_t components() const { return rows * columns; }
  std::size_t element_bytes() const { return column_bytes * (columns - 1) + rows * component_size; }
  std::size_t default_stride() const { return columns > 1 ? column_bytes * columns : element_bytes(); }
};
/// Throws Malformed on unknown types.
Layout layout_of(const Item& accessor);
/// 0 for anything but the six types of the standard.
std::size_t component_size(std::uint64_t component_type);

// ---- reading; the document has passed check(), `index` exists ----

Layout accessor_layout(const Document& document, std::size_t index);
/// #count * #components, column by column for matrices; normalised integers become [0, 1] or [-1, 1].
std::vector<float> read_floats(const Document& document, std::size_t index);
/// The same for unsigned integers; throws Malformed for signed ones and floats.
std::vector<std::uint32_t> read_indices(const Document& document, std::size_t index);
/// The elements that a sparse accessor replaces; nothing for a dense one.
std::optional<std::vector<std::uint32_t>> sparse_elements(const Document& document, std::size_t index);

// ---- writing ----

/// An accessor ready to be stored.
struct PackedAccessor {
  std::uint32_t component_type = float32;
  std::size_t components = 1;  // 1..4, or 16 for MAT4
  std::size_t count = 0;
  Bytes values;                                      // of all elements, or of the sparse ones
  std::optional<std::vector<std::uint32_t>> sparse;  // increasing element numbers
  std::vector<double> min, max;                      // where the standard wants them
  ViewTarget target = no_target;
};
PackedAccessor pack_floats(std::span<const float> values, std::size_t components, ViewTarget target,
                           bool bounds = false);
/// Only the listed elements differ from zero.
PackedAccessor pack_sparse(std::span<const float> values, std::span<const std::uint32_t> elements,
                           std::size_t components, std::size_t count, bool bounds);
/// In the narrowest of the types allowed for joints (uint8, uint16) or for triangles (uint16, uint32).
PackedAccessor pack_joints(std::span<const std::uint32_t> values);
PackedAccessor pack_triangles(std::span<const std::uint32_t> values, std::size_t vertex_count);

/// Stores the accessor in place of number `replaced` (whose name and extras stay), or at the end; returns its number.
std::size_t put_accessor(Document& document, const PackedAccessor& accessor, std::optional<std::size_t> replaced = {});

/// Which accessors anything in the document may refer to. Numbers inside extensions and extras count as references:
/// nobody knows what they mean.
std::vector<bool> used_accessors(const Document& document);

/// Takes out what Replacement left in the place of accessors, where no extension or extra holds a number that could be
/// one of an accessor, and renumbers the others.
void drop_placeholders(Json& root);

/// Accessors that an edit gives up and the ones it stores instead. References to `given_up` have been removed from the
/// tree by the caller; numbers that nothing else uses are taken again. Those left over keep their number as an empty
/// accessor; their data goes away when the document is written, and they themselves where that breaks no extension.
class Replacement {
 public:
  Replacement(Document& document, std::span<const std::size_t> given_up);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  /// Takes the number `preferred`, and so keeps its name and extras, where it is free.
  std::size_t put(const PackedAccessor& accessor, std::optional<std::size_t> preferred = {});

 private:
  Document& document_;
  std::vector<std::size_t> free_;  // increasing
};

}  // namespace supple::gltf
