// Moving pictures, read back by a decoder that follows the specification of GIF89a.
#include "supple/render/gif.h"

#include <gtest/gtest.h>

#include <string_view>

#include "supple/base/rng.h"

namespace supple::render {
namespace {

struct ReadGif {
  std::vector<Image> frames;
  std::vector<unsigned> hundredths;  // each frame is shown for
};

/// Shows the frames on one screen, as a viewer does.
class GifReader {
 public:
  explicit GifReader(const Bytes& bytes) : bytes_(bytes) {}

  ReadGif read() {
    for (const char c : std::string_view("GIF89a")) EXPECT_EQ(byte(), static_cast<unsigned char>(c));
    const unsigned width = word(), height = word();
    EXPECT_EQ(byte() & 0x87, 0x87u);  // a palette of 256 entries
    byte(), byte();
    for (Rgba8& c : palette_) {
      c.r = static_cast<std::uint8_t>(byte());
      c.g = static_cast<std::uint8_t>(byte());
      c.b = static_cast<std::uint8_t>(byte());
    }
    ReadGif result;
    Image screen({width, height}, {});
    unsigned transparent = 256;
    for (unsigned kind = byte(); kind != 0x3b && at_ < bytes_.size(); kind = byte()) {
      if (kind == 0x21) {
        if (byte() == 0xf9) {
          EXPECT_EQ(byte(), 4u);
          const unsigned flags = byte();
          result.hundredths.push_back(word());
          const unsigned place = byte();
          transparent = (flags & 1) != 0 ? place : 256;
          EXPECT_EQ(byte(), 0u);
        } else {
          while (const unsigned size = byte()) at_ += size;
        }
        continue;
      }
      EXPECT_EQ(kind, 0x2cu);
      const unsigned x = word(), y = word(), w = word(), h = word();
      EXPECT_EQ(byte(), 0u);
      const std::vector<std::uint8_t> places = pixels();
      EXPECT_EQ(places.size(), std::size_t{w} * h);
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != transparent)
          screen.at(static_cast<std::uint32_t>(x + i % w), static_cast<std::uint32_t>(y + i / w)) = palette_[places[i]];
      result.frames.push_back(screen);
    }
    EXPECT_EQ(at_, bytes_.size());
    return result;
  }

 private:
  unsigned byte() { return at_ < bytes_.size() ? static_cast<unsigned>(bytes_[at_++]) : 0; }
  unsigned word() {
    const unsigned low = byte();
    return low | byte() << 8;
  }

  std::vector<std::uint8_t> pixels() {
    const unsigned root = byte(), clear = 1u << root;
    std::vector<std::uint8_t> packed, out;
    while (const unsigned size = byte())
      for (unsigned i = 0; i < size; ++i) packed.push_back(static_cast<std::uint8_t>(byte()));
    std::vector<std::vector<std::uint8_t>> table;
    std::vector<std::uint8_t> last;
    unsigned width = root + 1;
    std::size_t bit = 0;
    const auto restart = [&] {
      table.assign(clear + 2, {});
      for (unsigned i = 0; i < clear; ++i) table[i] = {static_cast<std::uint8_t>(i)};
      width = root + 1;
      last.clear();
    };
    restart();
    while (bit + width <= packed.size() * 8) {
      unsigned code = 0;
      for (unsigned i = 0; i < width; ++i, ++bit) code |= ((packed[bit / 8] >> (bit % 8)) & 1u) << i;
      if (code == clear) {
        restart();
        continue;
      }
      if (code == clear + 1) return out;
      EXPECT_LE(code, table.size());
      std::vector<std::uint8_t> now = code < table.size() ? table[code] : last;
      if (code >= table.size()) now.push_back(last.at(0));
      if (!last.empty() && table.size() < 4096) {
        last.push_back(now[0]);
        table.push_back(last);
      }
      if (table.size() == (1u << width) && width < 12) ++width;
      out.insert(out.end(), now.begin(), now.end());
      last = std::move(now);
    }
    ADD_FAILURE() << "no end of the pixels";
    return out;
  }

  const Bytes& bytes_;
  std::size_t at_ = 0;
  std::array<Rgba8, 256> palette_{};
};

TEST(Gif, FewColoursComeBackNearly) {
  // A square that moves over a background; the dither shifts a colour by less than half a step of 8 either way.
  std::vector<Image> frames;
  for (std::uint32_t f = 0; f < 4; ++f) {
    Image image({40, 30}, {200, 210, 220});
    for (std::uint32_t y = 5; y < 15; ++y)
      for (std::uint32_t x = 0; x < 10; ++x) image.at(x + 7 * f, y) = {180, 40, 30};
    frames.push_back(image);
  }
  const auto bytes = encode_gif(frames, 20);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message();
  const ReadGif read = GifReader(*bytes).read();
  ASSERT_EQ(read.frames.size(), 4u);
  EXPECT_EQ(read.hundredths, (std::vector<unsigned>{5, 5, 5, 5}));
  for (std::size_t f = 0; f < 4; ++f) {
    for (std::size_t i = 0; i < frames[f].pixels.size(); ++i) {
      ASSERT_NEAR(read.frames[f].pixels[i].r, frames[f].pixels[i].r, 4);
      ASSERT_NEAR(read.frames[f].pixels[i].g, frames[f].pixels[i].g, 4);
      ASSERT_NEAR(read.frames[f].pixels[i].b, frames[f].pixels[i].b, 4);
    }
  }
}

TEST(Gif, NoiseFillsTheTableOfStringsAndComesBack) {
  Rng rng(7);
  std::vector<Image> frames(2, Image({220, 200}, {}));
  for (Image& image : frames)
    for (Rgba8& p : image.pixels) {
      const auto grey = static_cast<std::uint8_t>(rng.uniform() * 255);
      p = {grey, grey, grey};
    }
  const auto bytes = encode_gif(frames, 30);
  ASSERT_TRUE(bytes.ok());
  const ReadGif read = GifReader(*bytes).read();
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.hundredths, (std::vector<unsigned>{3, 4}));  // thirtieths, rounded so that they add up
  // 64 greys fit the palette; the dither shifts by up to 5.
  for (std::size_t f = 0; f < 2; ++f)
    for (std::size_t i = 0; i < frames[f].pixels.size(); ++i)
      ASSERT_NEAR(read.frames[f].pixels[i].g, frames[f].pixels[i].g, 9) << i;
}

TEST(Gif, WhatStandsStillCostsNothing) {
  Image image({100, 100}, {});
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i].r = static_cast<std::uint8_t>(i * 37);
  const auto one = encode_gif(std::vector{image}, 10), ten = encode_gif(std::vector<Image>(10, image), 10);
  ASSERT_TRUE(one.ok() && ten.ok());
  EXPECT_LT(ten->size(), one->size() + 9 * 40);
}

TEST(Gif, Refusals) {
  EXPECT_FALSE(encode_gif({}, 10).ok());
  const std::vector<Image> sizes{Image({2, 2}, {}), Image({3, 2}, {})};
  EXPECT_FALSE(encode_gif(sizes, 10).ok());
  for (const double rate : {0.0, -1.0, 60.0}) EXPECT_FALSE(encode_gif(std::span(sizes).first(1), rate).ok());
}

}  // namespace
}  // namespace supple::render
