// Colour maps keep their order in grey; legends and sheets have the sizes they promise.
#include "supple/render/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/render/legend.h"
#include "supple/render/sheet.h"

namespace supple::render {
namespace {

/// CIE L*: a measure of lightness other than the one the maps are built with.
double lightness(Vec3f c) {
  const double y = luminance(c);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(ColourMap, SequentialMapsGrowEvenlyLighter) {
  for (const ColourMap map : {ColourMap::sea, ColourMap::ember}) {
    const double first = lightness(colour_at(map, 0)), last = lightness(colour_at(map, 1));
    EXPECT_LT(first, 30);
    EXPECT_GT(last, 85);
    for (int i = 0; i < 100; ++i) {
      const double step = lightness(colour_at(map, static_cast<float>(i + 1) / 100)) -
                          lightness(colour_at(map, static_cast<float>(i) / 100));
      // Even would be 0.01 of the range; L* and OKLab differ for saturated colours.
      EXPECT_GT(step, 0.002 * (last - first)) << i;
      EXPECT_LT(step, 0.02 * (last - first)) << i;
    }
  }
}

TEST(ColourMap, NoEdgesThatAreNotInTheData) {
  for (const ColourMap map : {ColourMap::sea, ColourMap::ember, ColourMap::balance}) {
    for (int i = 0; i < 200; ++i) {
      const Rgba8 a = to_rgba8(colour_at(map, static_cast<float>(i) / 200)),
                  b = to_rgba8(colour_at(map, static_cast<float>(i + 1) / 200));
      EXPECT_LT(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b), 16) << i;
    }
  }
}

TEST(ColourMap, BalanceIsSymmetricAndGreyInTheMiddle) {
  const Vec3f middle = colour_at(ColourMap::balance, 0.5f);
  EXPECT_NEAR(middle.x, middle.z, 0.02f);
  const Vec3f low = colour_at(ColourMap::balance, 0), high = colour_at(ColourMap::balance, 1);
  EXPECT_GT(low.z, 2 * low.x);
  EXPECT_GT(high.x, 2 * high.z);
  EXPECT_NEAR(lightness(low), lightness(high), 8);
}

TEST(ColourMap, EndsClampAndNanIsGrey) {
  EXPECT_EQ(colour_at(ColourMap::sea, -3), colour_at(ColourMap::sea, 0));
  EXPECT_EQ(colour_at(ColourMap::sea, INFINITY), colour_at(ColourMap::sea, 1));
  const Vec3f missing = colour_at(ColourMap::sea, NAN);
  EXPECT_EQ(missing.x, missing.y);
  EXPECT_EQ(missing.y, missing.z);
  const std::vector<float> values{2, 2};
  EXPECT_EQ(map_colours(values, 2, 2, ColourMap::sea)[1], colour_at(ColourMap::sea, 0));
  EXPECT_EQ(map_colours(values, 0, 4, ColourMap::sea)[0], colour_at(ColourMap::sea, 0.5f));
}

TEST(ColourMap, CategoriesAreToldApart) {
  for (std::size_t i = 0; i < 26; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const Rgba8 a = to_rgba8(category_colour(i)), b = to_rgba8(category_colour(k));
      EXPECT_GT(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b), 20) << i << ' ' << k;
    }
  }
}

TEST(ColourMap, WeightsMixTheirJointsColours) {
  SkinWeights weights;
  weights.push_vertex(std::vector<Influence>{{3, 1}});
  weights.push_vertex(std::vector<Influence>{{0, 0.5f}, {1, 0.5f}});
  weights.push_vertex({});
  const std::vector<Vec3f> colours = weight_colours(weights);
  ASSERT_EQ(colours.size(), 3u);
  EXPECT_EQ(colours[0], category_colour(3));
  EXPECT_NEAR(colours[1].x, (category_colour(0).x + category_colour(1).x) / 2, 1e-6f);
  EXPECT_EQ(colours[2].x, colours[2].z);
  EXPECT_EQ(weights_of(weights, 1), (std::vector<float>{0, 0.5f, 0}));
}

TEST(Legend, TicksAreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  for (const auto& [low, high] : {std::pair(0.0, 3.2), {-7.0, 13.0}, {1e-7, 9e-7}, {1e5, 3e6}, {-1e-3, 0.0}}) {
    const std::vector<double> ticks = round_ticks(low, high, 6);
    EXPECT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 8u);
    const double slack = 1e-6 * (high - low);
    EXPECT_GE(ticks.front(), low - slack);
    EXPECT_LE(ticks.back(), high + slack);
  }
  EXPECT_EQ(round_ticks(2, 2, 5), (std::vector<double>{2}));
  EXPECT_EQ(round_ticks(0, INFINITY, 5).size(), 1u);
  EXPECT_EQ(tick_label(0.6000000000000001, 0.2), "0.6");
  EXPECT_EQ(tick_label(-1e-20, 0.5), "0.0");
  EXPECT_EQ(tick_label(1500, 500), "1500");
  EXPECT_EQ(tick_label(2e-7, 1e-7), "2e-07");
}

TEST(Legend, BarShowsTheMapAndLeavesThePictureAlone) {
  const Image picture({200, 300}, {10, 200, 30, 255});
  const Image out = with_legend(picture, ScaleLegend{"error", "mm", 0, 2, ColourMap::ember});
  EXPECT_EQ(out.height, 300u);
  EXPECT_GT(out.width, 240u);
  EXPECT_EQ(out.at(199, 150), picture.at(0, 0));
  // Some pixel right of the picture has each end's colour.
  const Rgba8 low = to_rgba8(colour_at(ColourMap::ember, 0.0f)), high = to_rgba8(colour_at(ColourMap::ember, 1.0f));
  const auto near = [](Rgba8 a, Rgba8 b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) < 8;
  };
  bool found_low = false, found_high = false;
  std::uint32_t low_row = 0, high_row = 0;
  for (std::uint32_t y = 0; y < out.height; ++y) {
    for (std::uint32_t x = 204; x < out.width; ++x) {
      if (near(out.at(x, y), high) && !found_high) found_high = true, high_row = y;
      if (near(out.at(x, y), low)) found_low = true, low_row = y;
    }
  }
  EXPECT_TRUE(found_low && found_high);
  EXPECT_GT(low_row, high_row);
}

TEST(Legend, ManyCategoriesAreCounted) {
  CategoryLegend legend{"joints", {}};
  for (std::size_t i = 0; i < 200; ++i) legend.entries.push_back({"joint", category_colour(i)});
  EXPECT_EQ(with_legend(Image({100, 120}, {}), legend).height, 120u);
  EXPECT_EQ(with_legend(Image({100, 8}, {}), legend).height, 8u);
}

TEST(Sheet, LaysOutAGrid) {
  std::vector<SheetCell> cells(5, {Image({100, 80}, {200, 0, 0, 255}), "caption"});
  cells[3].picture = Image({60, 40}, {0, 0, 200, 255});
  const SheetOptions options{"title", "", 3};
  const Result<SheetLayout> layout = layout_of(cells, options);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->columns, 3u);
  EXPECT_EQ(layout->rows, 2u);
  EXPECT_EQ(layout->cell, (Size{100, 80}));
  EXPECT_EQ(layout->sheet.width, 3 * 100 + 4 * layout->gap);
  EXPECT_EQ(layout->sheet.height, layout->title_height + 2 * (80 + layout->caption_height) + 3 * layout->gap);

  const Result<Image> sheet = contact_sheet(cells, options);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(sheet->size(), layout->sheet);
  const auto count = [&](Rgba8 c) { return std::count(sheet->pixels.begin(), sheet->pixels.end(), c); };
  EXPECT_EQ(count({200, 0, 0, 255}), 4 * 100 * 80);
  EXPECT_EQ(count({0, 0, 200, 255}), 60 * 40);
}

TEST(Sheet, RefusesNothingAndTooMuch) {
  EXPECT_FALSE(contact_sheet({}).ok());
  const std::vector<SheetCell> cells(40, {Image({1000, 10}, {}), ""});
  SheetOptions options;
  options.columns = 40;
  EXPECT_FALSE(layout_of(cells, options).ok());
}

}  // namespace
}  // namespace supple::render
