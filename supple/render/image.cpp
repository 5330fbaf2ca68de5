// Pixels are blended as stored (sRGB), which keeps dark lettering on light paper crisp; PNG by stb_image_write.
#include "supple/render/image.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <string>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace supple::render {

void blend(Rgba8& pixel, Rgba8 colour, float coverage) {
  const float over = std::clamp(coverage, 0.0f, 1.0f) * static_cast<float>(colour.a) / 255;
  const float below = static_cast<float>(pixel.a) / 255 * (1 - over);
  const float alpha = over + below;
  if (alpha <= 0) return;
  const auto mix = [&](std::uint8_t under, std::uint8_t top) {
    return static_cast<std::uint8_t>((static_cast<float>(under) * below + static_cast<float>(top) * over) / alpha +
                                     0.5f);
  };
  pixel = {mix(pixel.r, colour.r), mix(pixel.g, colour.g), mix(pixel.b, colour.b),
           static_cast<std::uint8_t>(std::min(alpha, 1.0f) * 255 + 0.5f)};
}

void blit(Image& target, const Image& source, std::int64_t x, std::int64_t y) {
  const std::int64_t left = std::max<std::int64_t>(0, -x);
  const std::int64_t right = std::min<std::int64_t>(source.width, target.width - x);
  if (right <= left) return;
  for (std::int64_t row = std::max<std::int64_t>(0, -y); row < source.height && row + y < target.height; ++row) {
    const auto from = source.pixels.begin() + row * source.width;
    std::copy(from + left, from + right, target.pixels.begin() + (row + y) * target.width + x + left);
  }
}

void fill_rectangle(Image& target, float x, float y, float width, float height, Rgba8 colour, float radius) {
  const float half_width = width / 2, half_height = height / 2;
  const float center_x = x + half_width, center_y = y + half_height;
  radius = std::min({radius, half_width, half_height});
  const auto first = [](float v) { return static_cast<std::uint32_t>(std::max(0.0f, std::floor(v))); };
  const auto last = [](float v, std::uint32_t limit) {
    return static_cast<std::uint32_t>(std::clamp(std::ceil(v), 0.0f, static_cast<float>(limit)));
  };
  for (std::uint32_t row = first(y); row < last(y + height, target.height); ++row) {
    for (std::uint32_t column = first(x); column < last(x + width, target.width); ++column) {
      // Signed distance of the pixel's centre to a box with rounded corners.
      const float dx = std::abs(static_cast<float>(column) + 0.5f - center_x) - half_width + radius;
      const float dy = std::abs(static_cast<float>(row) + 0.5f - center_y) - half_height + radius;
      const float outside = std::hypot(std::max(dx, 0.0f), std::max(dy, 0.0f));
      const float distance = outside + std::min(std::max(dx, dy), 0.0f) - radius;
      blend(target.at(column, row), colour, 0.5f - distance);
    }
  }
}

Result<Bytes> encode_png(const Image& image) {
  if (image.width == 0 || image.height == 0) return Error{"picture", "has no pixels", ""};
  const bool opaque = std::all_of(image.pixels.begin(), image.pixels.end(), [](Rgba8 p) { return p.a == 255; });
  const std::size_t channels = opaque ? 3 : 4, stride = image.width * channels;
  if (stride * image.height > INT_MAX / 2)
    return Error{"picture", "is too large for a PNG file", "ask for fewer pixels"};

  std::vector<std::uint8_t> packed;
  packed.reserve(stride * image.height);
  for (const Rgba8 p : image.pixels) {
    packed.insert(packed.end(), {p.r, p.g, p.b});
    if (!opaque) packed.push_back(p.a);
  }
  Bytes bytes;
  const auto append = [](void* context, void* data, int size) {
    const std::byte* begin = static_cast<const std::byte*>(data);
    static_cast<Bytes*>(context)->insert(static_cast<Bytes*>(context)->end(), begin, begin + size);
  };
  const int written =
      stbi_write_png_to_func(append, &bytes, static_cast<int>(image.width), static_cast<int>(image.height),
                             static_cast<int>(channels), packed.data(), static_cast<int>(stride));
  if (written == 0 || bytes.empty()) return Error{"picture", "could not be encoded as PNG: out of memory", ""};
  return bytes;
}

}  // namespace supple::render
