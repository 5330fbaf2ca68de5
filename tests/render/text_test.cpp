// Lettering: every character has ink where it should, and none elsewhere.
#include "supple/render/text.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <vector>

#include "supple/render/stroke_font.h"

namespace supple::render {
namespace {

double ink(const Image& image) {
  double sum = 0;
  for (const Rgba8 p : image.pixels) sum += 1 - p.r / 255.0;
  return sum;
}

const TextStyle black{20, {0, 0, 0, 255}};

TEST(Text, EveryPrintableCharacterIsDistinctAndStaysInItsBox) {
  std::set<std::string> shapes;
  for (char c = '!'; c <= '~'; ++c) {
    Image image({40, 40}, {255, 255, 255, 255});
    const std::string text(1, c);
    draw_text(image, 10, 28, text, black);
    EXPECT_GT(ink(image), 1.5) << c;
    std::string shape;
    for (std::uint32_t y = 0; y < 40; ++y) {
      for (std::uint32_t x = 0; x < 40; ++x) {
        shape.push_back(static_cast<char>(image.at(x, y).r));
        const bool outside =
            static_cast<float>(x) < 8 || static_cast<float>(x) > 12 + text_width(text, 20) || y < 12 || y > 34;
        EXPECT_TRUE(!outside || image.at(x, y).r == 255) << c << " at " << x << ", " << y;
      }
    }
    EXPECT_TRUE(shapes.insert(shape).second) << c << " looks like another character";
  }
}

TEST(Text, StrokesAreWellFormed) {
  const std::u32string extra = U"\u00b0\u00b1\u00b2\u00b3\u00b5\u03bc\u00b7\u00d7\u2013\u2014\u2212\u4e2d";
  std::vector<char32_t> characters(extra.begin(), extra.end());
  for (char32_t c = U' '; c <= U'~'; ++c) characters.push_back(c);
  for (const char32_t c : characters) {
    const std::string_view strokes = glyph_of(c).strokes;
    for (std::size_t i = 0; i < strokes.size();) {
      std::size_t points = 0;
      char first = 0, last = 0;
      for (; i < strokes.size() && strokes[i] != ' '; i += 2, ++points) {
        ASSERT_LT(i + 1, strokes.size());
        EXPECT_TRUE(strokes[i] >= '0' && strokes[i] <= '9');
        EXPECT_LE(static_cast<float>(strokes[i] - '0'), glyph_of(c).width + 1);
        if (points == 0) first = strokes[i + 1];
        last = strokes[i + 1];
      }
      EXPECT_GE(points, 2u);
      EXPECT_TRUE(std::islower(first) && std::islower(last)) << "a stroke begins and ends on the path";
      if (i < strokes.size()) ++i;
    }
  }
}

TEST(Text, WidthScalesAndAlignmentMoves) {
  EXPECT_FLOAT_EQ(text_width("Hand 12", 40), 2 * text_width("Hand 12", 20));
  EXPECT_EQ(text_width("", 20), 0);
  Image left({120, 30}, {255, 255, 255, 255}), right = left;
  TextStyle style = black;
  draw_text(left, 10, 20, "mm", style);
  style.align = Align::right;
  draw_text(right, 10 + text_width("mm", 20), 20, "mm", style);
  EXPECT_EQ(left.pixels, right.pixels);
}

TEST(Text, CutsAtTheEdges) {
  Image image({10, 10}, {255, 255, 255, 255});
  draw_text(image, -50, 200, "outside", black);
  EXPECT_EQ(ink(image), 0);
  draw_text(image, -5, 8, "WWWWWWW", black);
  EXPECT_GT(ink(image), 0);
}

TEST(Text, DecodesUtf8AndSurvivesGarbage) {
  std::string_view text =
      "\xc2\xb0\xe2\x88\x92"
      "a\xff\xc2";
  EXPECT_EQ(take_character(text), 0xb0u);
  EXPECT_EQ(take_character(text), 0x2212u);
  EXPECT_EQ(take_character(text), U'a');
  EXPECT_EQ(take_character(text), 0xfffdu);
  EXPECT_EQ(take_character(text), 0xfffdu);
  EXPECT_TRUE(text.empty());
}

TEST(Text, ShortensInTheMiddle) {
  EXPECT_EQ(shortened("thumb", 16, 1000), "thumb");
  const std::string name = "index-finger-phalanx-proximal", text = shortened(name, 16, 120);
  EXPECT_LE(text_width(text, 16), 120);
  EXPECT_EQ(text.front(), 'i');
  EXPECT_EQ(text.back(), 'l');
  EXPECT_NE(text.find(".."), std::string::npos);
  EXPECT_EQ(shortened(name, 16, 0), "..");
}

}  // namespace
}  // namespace supple::render
