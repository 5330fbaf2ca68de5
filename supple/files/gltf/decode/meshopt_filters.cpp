// Filters of attribute streams: what turns decoded integers into vectors, rotations, floats and colours.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "supple/files/gltf/decode/meshopt.h"

namespace supple::gltf::meshopt {
namespace {

/// Rounded half away from zero, and within the type whatever a damaged file says.
template <class Integer>
Integer rounded(float value) {
  constexpr auto low = static_cast<float>(std::numeric_limits<Integer>::min());
  constexpr auto high = static_cast<float>(std::numeric_limits<Integer>::max());
  return static_cast<Integer>(std::isnan(value) ? 0.0f : std::round(std::clamp(value, low, high)));
}

template <class Integer, class Decode>
void for_each_four(std::size_t count, std::uint8_t* data, Decode decode) {
  for (std::size_t i = 0; i < count; ++i) {
    Integer v[4];
    std::memcpy(v, data + i * sizeof v, sizeof v);
    decode(v);
    std::memcpy(data + i * sizeof v, v, sizeof v);
  }
}

/// Unit vectors on an octahedron; the third number is what stands for one, the fourth is left as it is.
template <class Integer>
void decode_octahedral(Integer* v) {
  const auto one = static_cast<float>(v[2]);
  float x = static_cast<float>(v[0]) / one, y = static_cast<float>(v[1]) / one;
  float z = 1 - std::abs(x) - std::abs(y);
  const float below = std::min(z, 0.0f);
  x -= std::copysign(below, x);
  y -= std::copysign(below, y);
  const float scale = static_cast<float>(std::numeric_limits<Integer>::max()) / std::sqrt(x * x + y * y + z * z);
  v[0] = rounded<Integer>(x * scale);
  v[1] = rounded<Integer>(y * scale);
  v[2] = rounded<Integer>(z * scale);
}

/// Rotations without their largest component, whose number is in the lowest two bits of the fourth.
void decode_quaternion(std::int16_t* v) {
  const int largest = v[3] & 3;
  const float scale = std::sqrt(0.5f) / static_cast<float>(v[3] | 3);
  const float x = static_cast<float>(v[0]) * scale, y = static_cast<float>(v[1]) * scale,
              z = static_cast<float>(v[2]) * scale;
  const float w = std::sqrt(std::max(0.0f, 1 - x * x - y * y - z * z));
  v[(largest + 1) % 4] = rounded<std::int16_t>(x * 32767);
  v[(largest + 2) % 4] = rounded<std::int16_t>(y * 32767);
  v[(largest + 3) % 4] = rounded<std::int16_t>(z * 32767);
  v[largest] = rounded<std::int16_t>(w * 32767);
}

/// Numbers of 24 bits, times a power of two that the upper 8 bits tell.
void decode_exponential(std::size_t numbers, std::uint8_t* data) {
  for (std::size_t i = 0; i < numbers; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + 4 * i, 4);
    const int exponent = static_cast<std::int8_t>(word >> 24);
    const int mantissa = static_cast<std::int32_t>(word << 8) >> 8;
    const float value = std::ldexp(static_cast<float>(mantissa), exponent);
    std::memcpy(data + 4 * i, &value, 4);
  }
}

/// Brightness and two differences of colour; the highest bit of the fourth number tells how many bits there are.
template <class Integer>
void decode_color(Integer* v) {
  using Signed = std::make_signed_t<Integer>;
  const int whole = (1 << std::bit_width(v[3])) - 1;
  const int y = v[0], co = static_cast<Signed>(v[1]), cg = static_cast<Signed>(v[2]);
  const int kept = v[3] & (whole >> 1), alpha = kept << 1 | (kept & 1);
  const float scale = static_cast<float>(std::numeric_limits<Integer>::max()) / static_cast<float>(whole);
  v[0] = rounded<Integer>(static_cast<float>(y + co - cg) * scale);
  v[1] = rounded<Integer>(static_cast<float>(y + cg) * scale);
  v[2] = rounded<Integer>(static_cast<float>(y - co - cg) * scale);
  v[3] = rounded<Integer>(static_cast<float>(alpha) * scale);
}

}  // namespace

void apply_filter(Filter filter, std::size_t count, std::size_t stride, std::uint8_t* data) {
  switch (filter) {
    case Filter::none:
      return;
    case Filter::octahedral:
      if (stride == 4) return for_each_four<std::int8_t>(count, data, decode_octahedral<std::int8_t>);
      return for_each_four<std::int16_t>(count, data, decode_octahedral<std::int16_t>);
    case Filter::quaternion:
      return for_each_four<std::int16_t>(count, data, decode_quaternion);
    case Filter::exponential:
      return decode_exponential(count * stride / 4, data);
    case Filter::color:
      if (stride == 4) return for_each_four<std::uint8_t>(count, data, decode_color<std::uint8_t>);
      return for_each_four<std::uint16_t>(count, data, decode_color<std::uint16_t>);
  }
}

}  // namespace supple::gltf::meshopt
