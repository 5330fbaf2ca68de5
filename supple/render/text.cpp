// Letters become distances to pen strokes, so their edges are smooth at every size.
#include "supple/render/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "supple/render/stroke_font.h"

namespace supple::render {
namespace {

constexpr float units_per_size = 20;  // grid units of the font in one line height
constexpr float letter_gap = 3.2f;    // grid units between letters
constexpr float stroke = 1.45f;       // grid units of the pen

struct Point {
  float x, y;
};
struct Segment {
  Point a, b;
};

/// Straight pieces of one glyph's strokes in grid units.
void append_segments(std::string_view strokes, std::vector<Segment>& out) {
  constexpr int pieces = 8;  // per curve: at caption sizes a piece is about a pixel
  struct Node {
    Point p;
    bool control;
  };
  std::vector<Node> nodes;
  const auto flush = [&] {
    Point pen = nodes.empty() ? Point{} : nodes.front().p;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (!nodes[i].control) {
        if (!nodes[i - 1].control) out.push_back({pen, nodes[i].p});
        pen = nodes[i].p;
        continue;
      }
      const Point c = nodes[i].p, next = nodes[i + 1].p;
      const Point end = nodes[i + 1].control ? Point{(c.x + next.x) / 2, (c.y + next.y) / 2} : next;
      Point from = pen;
      for (int k = 1; k <= pieces; ++k) {
        const float t = static_cast<float>(k) / pieces, u = 1 - t;
        const Point to{u * u * pen.x + 2 * u * t * c.x + t * t * end.x,
                       u * u * pen.y + 2 * u * t * c.y + t * t * end.y};
        out.push_back({from, to});
        from = to;
      }
      pen = end;
    }
    nodes.clear();
  };
  for (std::size_t i = 0; i < strokes.size();) {
    if (strokes[i] == ' ') {
      flush();
      ++i;
      continue;
    }
    const char row = strokes[i + 1];
    const bool control = row >= 'A' && row <= 'Z';
    nodes.push_back({{static_cast<float>(strokes[i] - '0'), static_cast<float>(row - (control ? 'E' : 'e'))}, control});
    i += 2;
  }
  flush();
}

float distance(Point p, const Segment& s) {
  const float dx = s.b.x - s.a.x, dy = s.b.y - s.a.y, squared = dx * dx + dy * dy;
  const float t = squared > 0 ? std::clamp(((p.x - s.a.x) * dx + (p.y - s.a.y) * dy) / squared, 0.0f, 1.0f) : 0.0f;
  return std::hypot(p.x - s.a.x - t * dx, p.y - s.a.y - t * dy);
}

/// Blends one glyph. Coverage is the largest over its segments, so overlapping strokes do not darken.
void draw_glyph(Image& target, const std::vector<Segment>& segments, float radius, Rgba8 colour) {
  if (segments.empty()) return;
  float low_x = 1e9f, low_y = 1e9f, high_x = -1e9f, high_y = -1e9f;
  for (const Segment& s : segments) {
    low_x = std::min({low_x, s.a.x, s.b.x});
    high_x = std::max({high_x, s.a.x, s.b.x});
    low_y = std::min({low_y, s.a.y, s.b.y});
    high_y = std::max({high_y, s.a.y, s.b.y});
  }
  const float reach = radius + 1;
  const auto pixel = [](float v, std::uint32_t limit) {
    return static_cast<std::uint32_t>(std::clamp(std::floor(v), 0.0f, static_cast<float>(limit)));
  };
  for (std::uint32_t y = pixel(low_y - reach, target.height); y < pixel(high_y + reach + 1, target.height); ++y) {
    for (std::uint32_t x = pixel(low_x - reach, target.width); x < pixel(high_x + reach + 1, target.width); ++x) {
      float nearest = reach;
      for (const Segment& s : segments) {
        nearest = std::min(nearest, distance({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}, s));
      }
      if (nearest < radius + 0.5f) blend(target.at(x, y), colour, radius + 0.5f - nearest);
    }
  }
}

}  // namespace

float text_width(std::string_view utf8, float size) {
  float units = 0;
  for (bool first = true; !utf8.empty(); first = false) {
    units += glyph_of(take_character(utf8)).width + (first ? 0 : letter_gap);
  }
  return units * size / units_per_size;
}

void draw_text(Image& target, float x, float baseline, std::string_view utf8, const TextStyle& style) {
  const float unit = style.size / units_per_size;
  if (style.align == Align::center) x -= text_width(utf8, style.size) / 2;
  if (style.align == Align::right) x -= text_width(utf8, style.size);
  const float radius = std::max(stroke * style.weight * unit / 2, 0.45f);  // thinner would be grey, not thin
  baseline = std::floor(baseline) + 0.5f;  // horizontal strokes on one row of pixels stay crisp
  std::vector<Segment> segments;
  while (!utf8.empty()) {
    const Glyph glyph = glyph_of(take_character(utf8));
    segments.clear();
    append_segments(glyph.strokes, segments);
    const auto place = [&](Point p) { return Point{x + p.x * unit, baseline - p.y * unit}; };
    for (Segment& s : segments) s = {place(s.a), place(s.b)};
    draw_glyph(target, segments, radius, style.colour);
    x += (glyph.width + letter_gap) * unit;
  }
}

std::string shortened(std::string_view utf8, float size, float width) {
  if (text_width(utf8, size) <= width) return std::string(utf8);
  std::vector<std::string_view> characters;
  for (std::string_view rest = utf8; !rest.empty();) {
    const std::string_view before = rest;
    take_character(rest);
    characters.push_back(before.substr(0, before.size() - rest.size()));
  }
  for (std::size_t kept = characters.size(); kept-- > 2;) {
    std::string text;
    for (std::size_t i = 0; i < kept - kept / 2; ++i) text += characters[i];
    text += "..";
    for (std::size_t i = characters.size() - kept / 2; i < characters.size(); ++i) text += characters[i];
    if (text_width(text, size) <= width) return text;
  }
  return "..";
}

}  // namespace supple::render
