// Base colour textures of a document's materials: the picture files as they are, and how they lie on a surface.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "supple/files/gltf/read.h"

namespace supple::gltf {

enum class TextureWrap { repeat, mirror, clamp };
enum class AlphaMode { opaque, mask, blend };

struct BaseColourTexture {
  std::size_t image = 0;  // number in the document
  std::string item;       // "images[2]", for messages
  TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
  bool smooth = true;          // when it is seen larger than it is
  std::uint32_t texcoord = 0;  // set of texture coordinates
  /// KHR_texture_transform: a coordinate is scaled, turned (radians) and moved.
  std::array<float, 2> offset{0, 0}, scale{1, 1};
  float rotation = 0;

  std::array<float, 2> place(std::array<float, 2> texcoord) const;
};

struct MaterialColour {
  std::optional<BaseColourTexture> texture;
  AlphaMode alpha = AlphaMode::opaque;
  float alpha_cutoff = 0.5f;
};

/// One for each material. What cannot be read is left out, with a warning.
std::vector<MaterialColour> material_colours(const Document& document, Warnings* warnings = nullptr);

/// The bytes of a picture file: from a buffer, a data URI or a file beside the document. The error names the image.
Result<Bytes> image_bytes(const Document& document, std::size_t image);

/// A part's texture coordinates of one set; empty where it has none.
std::vector<std::array<float, 2>> texcoords_of(const Document& document, const PartSource& source, std::uint32_t set);

}  // namespace supple::gltf
