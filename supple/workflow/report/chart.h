// Curves in SVG, for pages: marked points joined by lines over a grid.
#pragma once

#include <string>
#include <vector>

#include "supple/render/colour_map.h"

namespace supple::workflow {

struct ChartPoint {
  double x = 0, y = 0;
  bool filled = true;  // the mark; hollow otherwise
};

struct ChartSeries {
  std::string name, colour;  // CSS; without a name the legend leaves it out
  std::vector<ChartPoint> points;
  bool dashed = false;
};

struct Chart {
  double width = 520, height = 300;  // units of 1/11 of the lettering's size
  std::string x_title, y_title;
  double x_low = 0, x_high = 1;
  double y_low = 0, y_high = 1;
  bool logarithmic = false;  // y; its lower end must be above 0
  std::vector<ChartSeries> series;
};

/// Values outside the range are drawn at its edge.
std::string to_svg(const Chart& chart);

/// What the colours of a map mean: a bar from 0 to `high` with ticks and a title.
std::string colour_bar(render::ColourMap map, double high, const std::string& title);

}  // namespace supple::workflow
