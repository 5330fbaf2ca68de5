// Layout of scale bars and name lists.
#include "supple/render/legend.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supple/render/text.h"

namespace supple::render {
namespace {

constexpr Rgba8 strip_colour{247, 248, 250}, ink{40, 44, 52}, faint{120, 127, 138}, line{205, 210, 218};

/// Sizes in pixels, all from the picture's height.
struct Layout {
  float text, pad, top, bottom;
  explicit Layout(const Image& picture) {
    const auto height = static_cast<float>(picture.height);
    text = std::clamp(height * 0.026f, 11.0f, 48.0f);
    pad = text * 1.1f;
    top = std::floor(pad + text * 2.6f);  // whole pixels, so that rows of the bar do not mix
    bottom = std::floor(height - pad - text * 0.6f);
  }
};

Image append_strip(const Image& picture, float width) {
  Image out({picture.width + static_cast<std::uint32_t>(std::ceil(width)), picture.height}, strip_colour);
  blit(out, picture, 0, 0);
  fill_rectangle(out, static_cast<float>(picture.width), 0, 1, static_cast<float>(picture.height), line);
  return out;
}

void draw_title(Image& out, float x, const Layout& layout, const std::string& title, const std::string& unit) {
  draw_text(out, x, layout.pad + layout.text * 0.7f, title, {layout.text, ink, Align::left, 1.25f});
  draw_text(out, x, layout.pad + layout.text * 1.9f, unit, {layout.text * 0.9f, faint});
}

}  // namespace

std::vector<double> round_ticks(double low, double high, std::size_t wanted) {
  if (!(high > low) || !std::isfinite(high - low) || wanted == 0) return {low};
  const double rough = (high - low) / static_cast<double>(wanted);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough * (1 - 1e-9)) step = power * factor;
  }
  std::vector<double> ticks;
  const double slack = step * 1e-6;
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) ticks.push_back(k * step + 0.0);
  return ticks;
}

std::string tick_label(double value, double step) {
  char text[48];
  const double largest = std::max(std::abs(value), step);
  if (largest >= 1e6 || (value != 0 && largest < 1e-4)) {
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  const int decimals = step >= 1 || !(step > 0) ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  std::snprintf(text, sizeof text, "%.*f", std::min(decimals, 9), std::abs(value) < step * 1e-6 ? 0.0 : value);
  return text;
}

Image with_legend(const Image& picture, const ScaleLegend& legend) {
  const Layout layout(picture);
  const float height = layout.bottom - layout.top, bar = layout.text * 1.2f;
  const auto wanted = static_cast<std::size_t>(std::clamp(height / (layout.text * 3), 2.0f, 8.0f));
  const std::vector<double> ticks = round_ticks(legend.low, legend.high, wanted);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::max(std::abs(double{legend.low}), 1e-3);
  float widest = 0;
  for (const double t : ticks) widest = std::max(widest, text_width(tick_label(t, step), layout.text));
  const float content = std::max(
      {bar * 1.7f + widest, text_width(legend.title, layout.text), text_width(legend.unit, layout.text * 0.9f)});

  Image out = append_strip(picture, content + 2 * layout.pad);
  const float x = static_cast<float>(picture.width) + layout.pad;
  draw_title(out, x, layout, legend.title, legend.unit);
  fill_rectangle(out, x - 1, layout.top - 1, bar + 2, height + 2, line);
  for (float y = layout.top; y < layout.bottom; ++y) {
    const float t = 1 - (y + 0.5f - layout.top) / height;
    fill_rectangle(out, x, y, bar, std::min(1.0f, layout.bottom - y), to_rgba8(colour_at(legend.map, t)));
  }
  const double range = double{legend.high} - legend.low;
  for (const double tick : ticks) {
    const double t = range > 0 ? (tick - legend.low) / range : 0;
    const float y = layout.bottom - static_cast<float>(t) * height;
    fill_rectangle(out, x + bar, y - 0.75f, bar * 0.35f, 1.5f, faint);
    draw_text(out, x + bar * 1.7f, y + layout.text * 0.3f, tick_label(tick, step), {layout.text, ink});
  }
  return out;
}

Image with_legend(const Image& picture, const CategoryLegend& legend) {
  const Layout layout(picture);
  const float row = layout.text * 1.55f, swatch = layout.text * 0.9f, top = layout.pad + layout.text * 1.4f;
  const auto fitting =
      static_cast<std::size_t>(std::max(1.0f, (static_cast<float>(picture.height) - layout.pad - top) / row));
  const std::size_t shown = legend.entries.size() <= fitting ? legend.entries.size() : fitting - 1;
  const std::string rest = "and " + std::to_string(legend.entries.size() - shown) + " more";
  const float longest = 16 * layout.text;
  float content = text_width(legend.title, layout.text);
  for (std::size_t i = 0; i < shown; ++i) {
    content = std::max(content, swatch * 1.7f + std::min(longest, text_width(legend.entries[i].name, layout.text)));
  }

  Image out = append_strip(picture, content + 2 * layout.pad);
  const float x = static_cast<float>(picture.width) + layout.pad;
  draw_title(out, x, layout, legend.title, "");
  for (std::size_t i = 0; i < shown; ++i) {
    const float y = top + row * static_cast<float>(i);
    fill_rectangle(out, x, y, swatch, swatch, to_rgba8(legend.entries[i].colour), swatch * 0.25f);
    draw_text(out, x + swatch * 1.7f, y + swatch * 0.82f, shortened(legend.entries[i].name, layout.text, longest),
              {layout.text, ink});
  }
  if (shown < legend.entries.size()) {
    draw_text(out, x, top + row * static_cast<float>(shown) + swatch * 0.82f, rest, {layout.text, faint});
  }
  return out;
}

}  // namespace supple::render
