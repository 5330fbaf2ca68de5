// A few colours that stand for many: what GIF needs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/render/image.h"

namespace supple::render {

/// How often every colour occurs, to 6 bits a channel.
class ColourCount {
 public:
  ColourCount() : counts_(std::size_t{1} << 18) {}
  void add(const Image& image);
  std::span<const std::uint32_t> counts() const { return counts_; }

 private:
  std::vector<std::uint32_t> counts_;
};

/// The colours of a moving picture, and the nearest of them for every colour.
class Palette {
 public:
  /// At most `size` (1 to 256) colours, by median cut: the box of colours that spreads most is halved until there are
  /// enough, and each box is its mean.
  Palette(const ColourCount& count, std::size_t size);

  const std::vector<Rgba8>& colours() const { return colours_; }
  /// Places in the palette, one a pixel. Between two colours the picture alternates by a pattern that stands still, so
  /// that gradients do not show steps and what does not move stays the same from frame to frame.
  std::vector<std::uint8_t> places(const Image& image);

 private:
  std::uint8_t nearest(std::array<int, 3> colour);
  std::vector<Rgba8> colours_;
  std::vector<std::int16_t> nearest_;  // by 6 bits a channel; -1: not known yet
};

}  // namespace supple::render
