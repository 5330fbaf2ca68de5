// A Draco stream to plain arrays. The library behind it is optional and shows in draco.cpp alone.
#pragma once

#include <span>
#include <vector>

#include "supple/base/file.h"

namespace supple::gltf {

/// How a vertex attribute is wanted, whatever type the stream has it in.
struct DracoAttribute {
  std::uint32_t id = 0;              // unique id in the stream
  std::uint32_t component_type = 0;  // of accessor.h
  std::size_t components = 0;
  std::size_t stride = 0;  // bytes from one vertex to the next
};

struct DracoGeometry {
  std::size_t vertices = 0;
  std::vector<std::uint32_t> corners;  // three for each triangle
  std::vector<Bytes> attributes;       // as wanted, #vertices * stride
};

/// The number of triangles that the stream says it has, before anything is decoded.
Result<std::uint64_t> draco_triangles(std::span<const std::byte> stream);
Result<DracoGeometry> decode_draco(std::span<const std::byte> stream, std::span<const DracoAttribute> wanted);

}  // namespace supple::gltf
