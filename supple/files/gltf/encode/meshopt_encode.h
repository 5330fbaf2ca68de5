// Streams of EXT_meshopt_compression, written. The library behind it is optional and shows in meshopt_encode.cpp alone.
#pragma once

#include "supple/base/file.h"
#include "supple/files/gltf/decode/meshopt.h"
#include "supple/files/gltf/encode/rounding.h"

namespace supple::gltf {

/// Whether this build writes compressed files (configured with SUPPLE_MESHOPT).
bool writes_meshopt();

/// Elements ready for the codec: `count` of `stride` bytes, as they are before the filter of the reader.
struct FilteredElements {
  Bytes bytes;
  std::size_t count = 0, stride = 0;
  meshopt::Filter filter = meshopt::Filter::none;
};

/// `values`: #count * `components` floats. `rounding` is of a kind other than exact.
FilteredElements filtered(std::span<const float> values, std::size_t components, const Rounding& rounding);

/// The stream of elements, or of indices as a sequence, which unlike a stream of triangles keeps the order of corners.
Bytes encode_attributes(const FilteredElements& elements);
Bytes encode_indices(std::span<const std::uint32_t> indices);

}  // namespace supple::gltf
