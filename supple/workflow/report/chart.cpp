// Layout of axes, curves and legends: the plot takes what titles and legend leave.
#include "supple/workflow/report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/render/legend.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {
namespace {

constexpr double letter = 6;  // mean width of a letter
constexpr double right = 12, bottom = 34, row = 16;

/// 1, 2, 5 times powers of ten where they are few, powers of ten otherwise.
std::vector<double> logarithmic_ticks(double low, double high) {
  const bool many = std::log10(high / low) > 2.2;
  std::vector<double> ticks;
  for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high * 1.0001; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (many && factor != 1) continue;
      const double tick = power * factor;
      if (tick >= low * 0.9999 && tick <= high * 1.0001) ticks.push_back(tick);
    }
  return ticks;
}

/// Where values lie in the picture.
class Plot {
 public:
  explicit Plot(const Chart& chart) : chart_(&chart) {
    const double legend = legend_rows() * row;
    left_ = chart.y_title.empty() ? 40 : 56;
    top_ = legend + 10;
    width_ = chart.width - left_ - right;
    height_ = chart.height - top_ - (chart.x_title.empty() ? bottom - 14 : bottom);
  }

  double x(double value) const {
    const double range = chart_->x_high - chart_->x_low;
    return left_ + width_ * std::clamp(range > 0 ? (value - chart_->x_low) / range : 0.5, 0.0, 1.0);
  }
  double y(double value) const {
    const auto scaled = [&](double v) { return chart_->logarithmic ? std::log10(std::max(v, chart_->y_low)) : v; };
    const double low = scaled(chart_->y_low), range = scaled(chart_->y_high) - low;
    return top_ + height_ * (1 - std::clamp(range > 0 ? (scaled(value) - low) / range : 0.5, 0.0, 1.0));
  }

  std::string axes() const {
    const Chart& c = *chart_;
    std::string svg;
    const auto y_ticks =
        c.logarithmic ? logarithmic_ticks(c.y_low, c.y_high) : render::round_ticks(c.y_low, c.y_high, 5);
    for (const double tick : y_ticks) {
      svg += fmt::format("<path d='M{:.1f} {:.1f}H{:.1f}' stroke='#dde2e8'/>", left_, y(tick), left_ + width_);
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:g}</text>", left_ - 6, y(tick) + 4, tick);
    }
    for (const double tick : render::round_ticks(c.x_low, c.x_high, static_cast<std::size_t>(width_ / 45))) {
      if (tick != std::round(tick)) continue;  // x counts modes
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:g}</text>", x(tick), top_ + height_ + 15,
                         tick);
    }
    svg += fmt::format("<path d='M{:.1f} {:.1f}V{:.1f}H{:.1f}' fill='none' stroke='#8b95a3'/>", left_, top_,
                       top_ + height_, left_ + width_);
    if (!c.x_title.empty())
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>", left_ + width_ / 2, c.height - 5,
                         html::escaped(c.x_title));
    if (!c.y_title.empty())
      svg += fmt::format("<text transform='translate(12 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>",
                         top_ + height_ / 2, html::escaped(c.y_title));
    return svg;
  }

  std::string curve(const ChartSeries& s) const {
    std::string line, marks;
    for (const ChartPoint& p : s.points) {
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(p.x), y(p.y));
      marks += fmt::format(
          "<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}' stroke='{}'><title>{}{:g}: {:.4g}</title></circle>", x(p.x),
          y(p.y), p.filled ? s.colour : "#fff", s.colour, s.name.empty() ? "" : html::escaped(s.name) + ", ", p.x, p.y);
    }
    if (line.empty()) return "";
    return fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.6'{}/>", line, s.colour,
                       s.dashed ? " stroke-dasharray='5 4'" : "") +
           marks;
  }

  std::string legend() const {
    std::string svg;
    walk_legend([&](const ChartSeries& s, double at, double line) {
      svg += fmt::format(
          "<path d='M{:.1f} {:.1f}h18' stroke='{}' stroke-width='2'{}/><text x='{:.1f}' y='{:.1f}'>{}</text>", at,
          line - 4, s.colour, s.dashed ? " stroke-dasharray='5 4'" : "", at + 23, line, html::escaped(s.name));
    });
    return svg;
  }

 private:
  /// Entries from left to right, in as many rows as they need.
  template <class Visit>
  double walk_legend(Visit visit) const {
    const double start = 40;
    double at = start, line = 0;
    for (const ChartSeries& s : chart_->series) {
      if (s.name.empty() || s.points.empty()) continue;
      const double width = 23 + letter * static_cast<double>(s.name.size()) + 14;
      if (line == 0) line = row - 3;
      if (at > start && at + width > chart_->width) at = start, line += row;
      visit(s, at, line);
      at += width;
    }
    return line;
  }
  double legend_rows() const {
    return std::ceil(walk_legend([](const ChartSeries&, double, double) {}) / row);
  }

  const Chart* chart_;
  double left_ = 0, top_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string to_svg(const Chart& chart) {
  const Plot plot(chart);
  std::string svg = fmt::format("<svg class='chart' viewBox='0 0 {:g} {:g}' style='max-width:{:g}px'>", chart.width,
                                chart.height, chart.width * 1.25);
  svg += plot.axes();
  for (const ChartSeries& s : chart.series) svg += plot.curve(s);
  return svg + plot.legend() + "</svg>";
}

std::string colour_bar(render::ColourMap map, double high, const std::string& title) {
  constexpr double width = 360, left = 16, stops = 48;
  std::string svg =
      fmt::format("<svg class='chart' viewBox='0 0 {0:g} 48' style='max-width:{0:g}px'>", width + 2 * left);
  svg += fmt::format("<text x='{:g}' y='11'>{}</text>", left, html::escaped(title));
  for (double i = 0; i < stops; ++i) {
    const render::Rgba8 c = render::to_rgba8(render::colour_at(map, static_cast<float>((i + 0.5) / stops)));
    svg += fmt::format("<rect x='{:.2f}' y='17' width='{:.2f}' height='12' fill='#{:02x}{:02x}{:02x}'/>",
                       left + width * i / stops, width / stops + 0.5, c.r, c.g, c.b);
  }
  const std::vector<double> ticks = render::round_ticks(0, high, 6);
  for (const double tick : ticks)
    svg += fmt::format("<text x='{:.1f}' y='43' text-anchor='middle'>{}</text>",
                       left + (high > 0 ? width * tick / high : 0),
                       render::tick_label(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : 1));
  return svg + "</svg>\n";
}

}  // namespace supple::workflow
