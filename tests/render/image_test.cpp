// Pictures in memory and their PNG bytes, read back without the encoder's help.
#include "supple/render/image.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace supple::render {
namespace {

std::uint32_t big_endian(const Bytes& b, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = v << 8 | std::to_integer<std::uint32_t>(b[at + i]);
  return v;
}

/// CRC-32 as the PNG standard defines it, bit by bit.
std::uint32_t crc(const Bytes& b, std::size_t begin, std::size_t end) {
  std::uint32_t c = 0xffffffffu;
  for (std::size_t i = begin; i < end; ++i) {
    c ^= std::to_integer<std::uint32_t>(b[i]);
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
  }
  return ~c;
}

/// A deflate reader for stored and fixed-code blocks, enough for what a PNG of this size holds (RFC 1951).
class Inflate {
 public:
  explicit Inflate(std::span<const std::byte> zlib) : data_(zlib.subspan(2)) {}
  std::vector<std::uint8_t> read() {
    while (true) {
      const bool last = bits(1) == 1;
      const std::uint32_t kind = bits(2);
      EXPECT_EQ(kind, 1u) << "only fixed codes are expected";
      if (kind != 1) return out_;
      for (std::uint32_t symbol = code(); symbol != 256; symbol = code()) {
        if (symbol < 256) {
          out_.push_back(static_cast<std::uint8_t>(symbol));
        } else {
          copy(symbol - 257);
        }
      }
      if (last) return out_;
    }
  }

 private:
  std::uint32_t bit() {
    const std::size_t at = position_ / 8;
    const std::uint32_t b = at < data_.size() ? std::to_integer<std::uint32_t>(data_[at]) >> position_ % 8 & 1 : 0;
    ++position_;
    return b;
  }
  std::uint32_t bits(std::uint32_t count) {
    std::uint32_t v = 0;
    for (std::uint32_t i = 0; i < count; ++i) v |= bit() << i;
    return v;
  }
  std::uint32_t code() {
    std::uint32_t c = 0;
    for (int i = 0; i < 7; ++i) c = c << 1 | bit();
    if (c <= 0x17) return 256 + c;
    c = c << 1 | bit();
    if (c >= 0x30 && c <= 0xbf) return c - 0x30;
    if (c >= 0xc0 && c <= 0xc7) return 280 + c - 0xc0;
    c = c << 1 | bit();
    return 144 + c - 0x190;
  }
  void copy(std::uint32_t length_code) {
    static constexpr std::array<std::uint16_t, 29> length_base{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                               15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                               67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::array<std::uint8_t, 29> length_bits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    const std::uint32_t length = length_base[length_code] + bits(length_bits[length_code]);
    std::uint32_t place = 0;
    for (int i = 0; i < 5; ++i) place = place << 1 | bit();
    std::uint32_t distance = place + 1;
    if (place >= 4) {
      const std::uint32_t extra = place / 2 - 1;
      distance = 1 + ((2 + place % 2) << extra) + bits(extra);
    }
    for (std::uint32_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
  }

  std::span<const std::byte> data_;
  std::size_t position_ = 0;
  std::vector<std::uint8_t> out_;
};

/// Rows of a PNG with filters undone (PNG standard, section 9).
std::vector<std::uint8_t> unfilter(const std::vector<std::uint8_t>& raw, std::size_t stride, std::size_t bpp) {
  std::vector<std::uint8_t> out;
  for (std::size_t row = 0; row * (stride + 1) < raw.size(); ++row) {
    const std::uint8_t filter = raw[row * (stride + 1)];
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i >= bpp ? out[row * stride + i - bpp] : 0, b = row > 0 ? out[(row - 1) * stride + i] : 0;
      const int c = i >= bpp && row > 0 ? out[(row - 1) * stride + i - bpp] : 0, p = a + b - c;
      const int paeth = std::abs(p - a) <= std::abs(p - b) && std::abs(p - a) <= std::abs(p - c) ? a
                        : std::abs(p - b) <= std::abs(p - c)                                     ? b
                                                                                                 : c;
      const std::array<int, 5> prediction{0, a, b, (a + b) / 2, paeth};
      out.push_back(static_cast<std::uint8_t>(raw[row * (stride + 1) + 1 + i] + prediction[filter]));
    }
  }
  return out;
}

Image pattern(bool transparent) {
  Image image({37, 23}, {});
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      image.at(x, y) = {static_cast<std::uint8_t>(x * 7), static_cast<std::uint8_t>(y * 11),
                        static_cast<std::uint8_t>(x * y), static_cast<std::uint8_t>(transparent ? 255 - x : 255)};
    }
  }
  return image;
}

TEST(Image, PngHoldsEveryPixel) {
  for (const bool transparent : {false, true}) {
    const Image image = pattern(transparent);
    const Result<Bytes> png = encode_png(image);
    ASSERT_TRUE(png.ok());
    const Bytes& b = *png;
    const std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    ASSERT_EQ(std::memcmp(b.data(), signature.data(), 8), 0);
    EXPECT_EQ(big_endian(b, 16), 37u);
    EXPECT_EQ(big_endian(b, 20), 23u);
    EXPECT_EQ(std::to_integer<int>(b[25]), transparent ? 6 : 2);  // RGBA or RGB

    Bytes compressed;
    std::size_t chunks = 0;
    for (std::size_t at = 8; at < b.size(); ++chunks) {
      const std::size_t length = big_endian(b, at);
      ASSERT_LE(at + 12 + length, b.size());
      EXPECT_EQ(big_endian(b, at + 8 + length), crc(b, at + 4, at + 8 + length));
      if (std::memcmp(&b[at + 4], "IDAT", 4) == 0) {
        compressed.insert(compressed.end(), b.begin() + static_cast<std::ptrdiff_t>(at + 8),
                          b.begin() + static_cast<std::ptrdiff_t>(at + 8 + length));
      }
      at += 12 + length;
    }
    EXPECT_GE(chunks, 3u);
    const std::size_t channels = transparent ? 4 : 3;
    const std::vector<std::uint8_t> values = unfilter(Inflate(compressed).read(), 37 * channels, channels);
    ASSERT_EQ(values.size(), image.pixels.size() * channels);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const Rgba8 p = image.pixels[i];
      const std::array<std::uint8_t, 4> expected{p.r, p.g, p.b, p.a};
      for (std::size_t c = 0; c < channels; ++c) ASSERT_EQ(values[i * channels + c], expected[c]) << "pixel " << i;
    }
  }
}

TEST(Image, EmptyPictureIsAnError) { EXPECT_FALSE(encode_png(Image{}).ok()); }

TEST(Image, BlitCutsWhatLiesOutside) {
  const Image source({3, 2}, {9, 9, 9, 255});
  for (std::int64_t x = -5; x <= 6; ++x) {
    for (std::int64_t y = -4; y <= 6; ++y) {
      Image target({5, 4}, {0, 0, 0, 255});
      blit(target, source, x, y);
      for (std::int64_t row = 0; row < 4; ++row) {
        for (std::int64_t column = 0; column < 5; ++column) {
          const bool inside = column >= x && column < x + 3 && row >= y && row < y + 2;
          EXPECT_EQ(target.at(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row)).r, inside ? 9 : 0);
        }
      }
    }
  }
}

TEST(Image, BlendKeepsEndsAndAlpha) {
  Rgba8 pixel{10, 20, 30, 255};
  blend(pixel, {200, 100, 50, 255}, 0);
  EXPECT_EQ(pixel, (Rgba8{10, 20, 30, 255}));
  blend(pixel, {200, 100, 50, 255}, 1);
  EXPECT_EQ(pixel, (Rgba8{200, 100, 50, 255}));
  Rgba8 clear{0, 0, 0, 0};
  blend(clear, {200, 100, 50, 255}, 0.5f);
  EXPECT_EQ(clear, (Rgba8{200, 100, 50, 128}));  // no black creeps in from what is not there
}

TEST(Image, RectangleCoversItsArea) {
  Image image({20, 20}, {0, 0, 0, 255});
  fill_rectangle(image, 3.5f, 4, 8, 6, {255, 255, 255, 255});
  double area = 0;
  for (const Rgba8 p : image.pixels) area += p.r / 255.0;
  EXPECT_NEAR(area, 48, 0.1);
  fill_rectangle(image, -10, -10, 100, 100, {1, 2, 3, 255});
  EXPECT_EQ(image.at(19, 19), (Rgba8{1, 2, 3, 255}));
}

TEST(Image, SrgbRoundTrip) {
  for (int i = 0; i < 256; ++i) {
    const auto v = static_cast<std::uint8_t>(i);
    EXPECT_EQ(to_rgba8(to_linear({v, v, v, 255})).g, v);
  }
  EXPECT_NEAR(from_srgb(0.5f), 0.21404f, 1e-5f);  // IEC 61966-2-1
}

}  // namespace
}  // namespace supple::render
