// Table-driven sRGB averaging.
#include "supple/render/downsample.h"

#include <array>

namespace supple::render {
namespace {

constexpr std::uint32_t steps = 16383;  // of linear light in one pixel; fine enough for the darkest sRGB values

struct Tables {
  std::array<std::uint16_t, 256> decode{};
  std::vector<std::uint8_t> encode;  // of the sum of four

  Tables() : encode(4 * steps + 1) {
    for (std::size_t i = 0; i < decode.size(); ++i) {
      decode[i] = static_cast<std::uint16_t>(from_srgb(static_cast<float>(i) / 255) * static_cast<float>(steps) + 0.5f);
    }
    for (std::size_t i = 0; i < encode.size(); ++i) {
      encode[i] = static_cast<std::uint8_t>(to_srgb(static_cast<float>(i) / (4.0f * steps)) * 255 + 0.5f);
    }
  }
};

}  // namespace

void average_2x2(std::span<const Rgba8> source, Size source_size, Image& target, std::uint32_t x, std::uint32_t y) {
  static const Tables tables;
  const std::uint32_t height = source_size.height / 2;
  for (std::uint32_t row = 0; row < height && y + row < target.height; ++row) {
    const Rgba8* low = &source[std::size_t{2 * (height - 1 - row)} * source_size.width];
    const Rgba8* high = low + source_size.width;
    for (std::uint32_t column = 0; column < source_size.width / 2 && x + column < target.width; ++column) {
      const std::size_t k = 2 * std::size_t{column};
      const auto mean = [&](std::uint8_t Rgba8::*channel) {
        const auto light = [&](const Rgba8& p) { return std::uint32_t{tables.decode[p.*channel]}; };
        return tables.encode[light(low[k]) + light(low[k + 1]) + light(high[k]) + light(high[k + 1])];
      };
      target.at(x + column, y + row) = {mean(&Rgba8::r), mean(&Rgba8::g), mean(&Rgba8::b), 255};
    }
  }
}

}  // namespace supple::render
