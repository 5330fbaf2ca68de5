#include "supple/files/gltf/decode/meshopt.h"

#include <algorithm>

namespace supple::gltf::meshopt {

std::optional<Mode> mode_named(std::string_view name) {
  if (name == "ATTRIBUTES") return Mode::attributes;
  if (name == "TRIANGLES") return Mode::triangles;
  if (name == "INDICES") return Mode::indices;
  return std::nullopt;
}

std::optional<Filter> filter_named(std::string_view name) {
  if (name == "NONE") return Filter::none;
  if (name == "OCTAHEDRAL") return Filter::octahedral;
  if (name == "QUATERNION") return Filter::quaternion;
  if (name == "EXPONENTIAL") return Filter::exponential;
  if (name == "COLOR") return Filter::color;
  return std::nullopt;
}

bool is_stride(Mode mode, Filter filter, std::size_t stride) {
  if (mode != Mode::attributes) return filter == Filter::none && (stride == 2 || stride == 4);
  if (filter == Filter::octahedral || filter == Filter::color) return stride == 4 || stride == 8;
  if (filter == Filter::quaternion) return stride == 8;
  return stride >= 4 && stride <= 256 && stride % 4 == 0;
}

std::uint64_t least_bytes(Mode mode, std::uint64_t count, std::size_t stride) {
  if (mode == Mode::triangles) return 1 + count / 3 + 16;
  if (mode == Mode::indices) return 1 + count + 4;
  // Version 1 can say in two bits that a byte does not change in a block of at most 256 elements.
  const std::uint64_t per_block = std::min<std::uint64_t>(8192 / stride / 16 * 16, 256);
  return 1 + (count + per_block - 1) / per_block * (stride / 4) + stride;
}

bool Stream::take_number(std::uint32_t& number) {
  number = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const std::uint8_t* byte = take(1);
    if (byte == nullptr) return false;
    number |= static_cast<std::uint32_t>(*byte & 127u) << shift;
    if (*byte < 128) return true;
  }
  return false;
}

bool decode(std::span<const std::byte> stream, Mode mode, Filter filter, std::size_t count, std::size_t stride,
            std::span<std::byte> out) {
  if (!is_stride(mode, filter, stride) || out.size() != count * stride) return false;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(stream.data()), stream.size());
  auto* const to = reinterpret_cast<std::uint8_t*>(out.data());
  if (mode == Mode::triangles) return decode_triangles(bytes, count, stride, to);
  if (mode == Mode::indices) return decode_indices(bytes, count, stride, to);
  if (!decode_attributes(bytes, count, stride, to)) return false;
  apply_filter(filter, count, stride, to);
  return true;
}

}  // namespace supple::gltf::meshopt
