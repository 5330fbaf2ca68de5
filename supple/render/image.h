// A picture in memory, and its PNG encoding.
#pragma once

#include <cstdint>
#include <vector>

#include "supple/base/file.h"
#include "supple/render/colour.h"

namespace supple::render {

struct Size {
  std::uint32_t width = 0, height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// Rows from the top, pixels from the left.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<Rgba8> pixels;  // width * height

  Image() = default;
  Image(Size size, Rgba8 fill) : width(size.width), height(size.height), pixels(std::size_t{width} * height, fill) {}

  Size size() const { return {width, height}; }
  Rgba8& at(std::uint32_t x, std::uint32_t y) { return pixels[std::size_t{y} * width + x]; }
  const Rgba8& at(std::uint32_t x, std::uint32_t y) const { return pixels[std::size_t{y} * width + x]; }
};

/// Lays `colour` over a pixel with the given coverage in [0, 1].
void blend(Rgba8& pixel, Rgba8 colour, float coverage);
/// Copies `source` with its top left corner at (x, y); what lies outside is cut off.
void blit(Image& target, const Image& source, std::int64_t x, std::int64_t y);
/// Blends a rectangle with fractional edges and rounded corners; what lies outside is cut off.
void fill_rectangle(Image& target, float x, float y, float width, float height, Rgba8 colour, float radius = 0);

/// The same picture always gives the same bytes. Pictures without transparency are written as RGB.
Result<Bytes> encode_png(const Image& image);

}  // namespace supple::render
