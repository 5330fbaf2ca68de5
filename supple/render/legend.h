// What the colours of a picture mean, in a strip at its right.
#pragma once

#include <string>
#include <vector>

#include "supple/render/colour_map.h"
#include "supple/render/image.h"

namespace supple::render {

/// A bar with ticks at round numbers between low and high.
struct ScaleLegend {
  std::string title, unit;
  float low = 0, high = 1;
  ColourMap map = ColourMap::sea;
};

/// A list of names beside their colours; those that do not fit are counted in the last line.
struct CategoryLegend {
  struct Entry {
    std::string name;
    Vec3f colour;  // linear RGB
  };
  std::string title;
  std::vector<Entry> entries;
};

/// The picture with the legend in a strip appended at the right, sized to the picture's height.
Image with_legend(const Image& picture, const ScaleLegend& legend);
Image with_legend(const Image& picture, const CategoryLegend& legend);

/// Round numbers (1, 2 or 5 times a power of ten apart) in [low, high], about `wanted` of them; {low} where low = high.
std::vector<double> round_ticks(double low, double high, std::size_t wanted);
/// The shortest decimal that shows a tick of this step.
std::string tick_label(double value, double step);

}  // namespace supple::render
