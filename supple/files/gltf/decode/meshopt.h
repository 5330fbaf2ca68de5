// The streams of EXT_meshopt_compression and KHR_meshopt_compression, by their specification. Every read is checked
// against the end of the stream, so that a damaged one is told from a whole one. This is all that reading such files
// takes: the library of that name is only needed to write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace supple::gltf::meshopt {

enum class Mode { attributes, triangles, indices };
enum class Filter { none, octahedral, quaternion, exponential, color };

/// By their names in files: "ATTRIBUTES", "OCTAHEDRAL"; nothing for any other name.
std::optional<Mode> mode_named(std::string_view name);
std::optional<Filter> filter_named(std::string_view name);

/// Whether elements of so many bytes exist in this mode with this filter.
bool is_stride(Mode mode, Filter filter, std::size_t stride);

/// The fewest bytes that a stream of `count` elements can have: more elements than that are a lie.
std::uint64_t least_bytes(Mode mode, std::uint64_t count, std::size_t stride);

/// Decodes `count` elements of `stride` bytes into `out`, which has room for exactly those. False: the stream is
/// damaged, and `out` holds anything.
[[nodiscard]] bool decode(std::span<const std::byte> stream, Mode mode, Filter filter, std::size_t count,
                          std::size_t stride, std::span<std::byte> out);

// The steps of decode().
bool decode_attributes(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out);
bool decode_triangles(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out);
bool decode_indices(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out);
void apply_filter(Filter filter, std::size_t count, std::size_t stride, std::uint8_t* data);

/// What is left of a stream.
class Stream {
 public:
  explicit Stream(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  /// Null where fewer than `count` bytes are left.
  const std::uint8_t* take(std::size_t count) {
    if (count > bytes_.size() - at_) return nullptr;
    at_ += count;
    return bytes_.data() + at_ - count;
  }
  /// A number of up to five bytes, seven bits each, lowest first (unsigned LEB128); false where it is cut off or
  /// longer.
  bool take_number(std::uint32_t& number);
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace supple::gltf::meshopt
