#include "supple/files/gltf/encode/meshopt_encode.h"

#include <cmath>
#include <cstring>

#ifdef SUPPLE_HAS_MESHOPT
#include <meshoptimizer.h>
#endif

namespace supple::gltf {

#ifdef SUPPLE_HAS_MESHOPT
namespace {

/// Four floats for each element, as the library's filters want them.
std::vector<float> in_fours(std::span<const float> values, std::size_t components) {
  std::vector<float> fours(values.size() / components * 4);
  for (std::size_t i = 0; i < values.size(); ++i) fours[i / components * 4 + i % components] = values[i];
  return fours;
}

/// A number of 24 bits below the exponent in 8 bits.
std::uint32_t exponential_word(float value, int exponent) {
  const auto mantissa = static_cast<std::int32_t>(std::round(std::ldexp(double{value}, -exponent)));
  return static_cast<std::uint32_t>(exponent) << 24 | (static_cast<std::uint32_t>(mantissa) & 0xffffff);
}

}  // namespace

bool writes_meshopt() { return true; }

FilteredElements filtered(std::span<const float> values, std::size_t components, const Rounding& rounding) {
  FilteredElements out;
  out.count = values.size() / components;
  if (rounding.kind == Rounding::Kind::steps) {
    out.filter = meshopt::Filter::exponential;
    out.stride = 4 * components;
    out.bytes.resize(values.size() * 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t word = exponential_word(values[i], rounding.exponent);
      std::memcpy(out.bytes.data() + 4 * i, &word, 4);
    }
    return out;
  }
  const std::vector<float> fours = in_fours(values, components);
  out.stride = 8;
  out.bytes.resize(out.count * out.stride);
  if (rounding.kind == Rounding::Kind::directions) {
    out.filter = meshopt::Filter::octahedral;
    meshopt_encodeFilterOct(out.bytes.data(), out.count, out.stride, 12, fours.data());
  } else {
    out.filter = meshopt::Filter::quaternion;
    meshopt_encodeFilterQuat(out.bytes.data(), out.count, out.stride, 16, fours.data());
  }
  return out;
}

Bytes encode_attributes(const FilteredElements& elements) {
  meshopt_encodeVertexVersion(0);  // the one that EXT_meshopt_compression knows
  Bytes stream(meshopt_encodeVertexBufferBound(elements.count, elements.stride));
  stream.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(stream.data()), stream.size(),
                                           elements.bytes.data(), elements.count, elements.stride));
  return stream;
}

Bytes encode_indices(std::span<const std::uint32_t> indices) {
  meshopt_encodeIndexVersion(1);
  Bytes stream(meshopt_encodeIndexSequenceBound(indices.size(), std::size_t{1} << 31));
  stream.resize(meshopt_encodeIndexSequence(reinterpret_cast<unsigned char*>(stream.data()), stream.size(),
                                            indices.data(), indices.size()));
  return stream;
}

#else

bool writes_meshopt() { return false; }
FilteredElements filtered(std::span<const float>, std::size_t, const Rounding&) { return {}; }
Bytes encode_attributes(const FilteredElements&) { return {}; }
Bytes encode_indices(std::span<const std::uint32_t>) { return {}; }

#endif

}  // namespace supple::gltf
