// Picture files in memory: what is read, and what is refused before it takes memory.
#include "supple/render/decode_image.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace supple::render {
namespace {

/// 16 x 8 pixels, the left half (220, 30, 30), the right half (30, 40, 210); quality 90, without chroma subsampling.
constexpr std::string_view red_and_blue_jpeg =
    "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706"
    "080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffdb004301030404050405"
    "09050509140d0b0d141414141414141414141414141414141414141414141414141414141414141414141414141414141414"
    "1414141414141414ffc00011080008001003011100021101031101ffc40014000100000000000000000000000000000007ff"
    "c40014100100000000000000000000000000000000ffc400160101010100000000000000000000000000090708ffc4001411"
    "0100000000000000000000000000000000ffda000c03010002110311003f00124a9bf4584f467bffd9";

Bytes from_hex_digits(std::string_view digits) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

Bytes to_bytes(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

TEST(DecodeImage, PngComesBackAsItWasWritten) {
  Image image({5, 3}, {});
  for (std::uint32_t i = 0; i < 15; ++i)
    image.pixels[i] = {static_cast<std::uint8_t>(17 * i), static_cast<std::uint8_t>(255 - i), 40,
                       static_cast<std::uint8_t>(i < 7 ? 255 : 10 * i)};
  const auto png = encode_png(image);
  ASSERT_TRUE(png.ok());
  const auto decoded = decode_image(*png);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_EQ(decoded->size(), image.size());
  EXPECT_EQ(decoded->pixels, image.pixels);
}

TEST(DecodeImage, JpegHasItsColours) {
  const auto decoded = decode_image(from_hex_digits(red_and_blue_jpeg));
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  ASSERT_EQ(decoded->size(), (Size{16, 8}));
  // Even blocks lose nothing but the rounding of their mean at this quality.
  const auto near = [](Rgba8 p, int r, int g, int b) {
    EXPECT_NEAR(p.r, r, 4);
    EXPECT_NEAR(p.g, g, 4);
    EXPECT_NEAR(p.b, b, 4);
    EXPECT_EQ(p.a, 255);
  };
  near(decoded->at(2, 2), 220, 30, 30);
  near(decoded->at(13, 6), 30, 40, 210);
}

TEST(DecodeImage, RefusalsSayWhatTheBytesAre) {
  EXPECT_NE(decode_image(to_bytes("RIFF....WEBPVP8 ")).error().message().find("WebP"), std::string::npos);
  EXPECT_NE(decode_image(to_bytes("\xabKTX 20\xbb....")).error().message().find("KTX2"), std::string::npos);
  EXPECT_NE(decode_image(to_bytes("not a picture")).error().message().find("neither PNG nor JPEG"), std::string::npos);
  EXPECT_FALSE(decode_image({}).ok());
}

TEST(DecodeImage, CutOffAndBoastingFilesAreRefused) {
  Image image({64, 64}, {});
  for (std::uint32_t i = 0; i < 64 * 64; ++i) image.pixels[i].r = static_cast<std::uint8_t>(i * 7919 >> 3);
  Bytes png = *encode_png(image);
  EXPECT_FALSE(decode_image(std::span(png).first(png.size() / 2)).ok());
  // Width and height are the 16th to 23rd byte. 8000 x 8000 pixels cannot be in so few bytes.
  for (const std::size_t place : {18, 22}) {
    png[place] = std::byte{0x1f};
    png[place + 1] = std::byte{0x40};
  }
  EXPECT_NE(decode_image(png).error().message().find("cut off"), std::string::npos);
  png[17] = std::byte{0x01};
  EXPECT_NE(decode_image(png).error().message().find("damaged"), std::string::npos);
  png[22] = std::byte{0};  // 73536 x 64 pixels are not too many, but too wide
  EXPECT_NE(decode_image(png).error().message().find("8192"), std::string::npos);
}

}  // namespace
}  // namespace supple::render
