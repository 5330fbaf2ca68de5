// Maps as paths through OKLab, tabulated once.
#include "supple/render/colour_map.h"

#include <array>
#include <cmath>
#include <numbers>

namespace supple::render {
namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr Vec3f missing{0.35f, 0.35f, 0.35f};

bool in_gamut(Vec3f c) {
  constexpr float slack = 1e-4f;
  return std::min({c.x, c.y, c.z}) >= -slack && std::max({c.x, c.y, c.z}) <= 1 + slack;
}

/// Linear RGB of a lightness, chroma and hue (radians); chroma is reduced where sRGB has no such colour.
Vec3f from_polar(float lightness, float chroma, float hue) {
  const auto at = [&](float c) { return from_oklab({lightness, c * std::cos(hue), c * std::sin(hue)}); };
  Vec3f colour = at(chroma);
  if (!in_gamut(colour)) {
    float low = 0, high = chroma;
    for (int i = 0; i < 20; ++i) {
      const float middle = (low + high) / 2;
      (in_gamut(at(middle)) ? low : high) = middle;
    }
    colour = at(low);
  }
  return {std::clamp(colour.x, 0.0f, 1.0f), std::clamp(colour.y, 0.0f, 1.0f), std::clamp(colour.z, 0.0f, 1.0f)};
}

float degrees(float d) { return d * pi / 180; }
float mix(float a, float b, float t) { return a + (b - a) * t; }

Vec3f compute(ColourMap map, float t) {
  switch (map) {
    // Chroma stays inside sRGB all along: clipping would show as an edge that is not in the data.
    case ColourMap::sea:
      return from_polar(mix(0.32f, 0.92f, t), 0.135f - 0.035f * std::sin(pi * t) + 0.025f * t * t,
                        degrees(mix(300, 104, t)));
    case ColourMap::ember:
      return from_polar(mix(0.22f, 0.96f, t), 0.08f + 0.11f * std::sin(pi * std::pow(t, 0.8f)),
                        degrees(mix(285, 460, std::pow(t, 0.8f))));
    case ColourMap::balance:
      break;
  }
  const float away = std::abs(2 * t - 1);
  return from_polar(mix(0.94f, 0.48f, away), 0.20f * std::pow(away, 0.8f), degrees(t < 0.5f ? 258 : 27));
}

constexpr std::size_t table_size = 513;  // odd: the middle of balance is an entry
using Table = std::array<Vec3f, table_size>;

Table make_table(ColourMap map) {
  Table table;
  for (std::size_t i = 0; i < table_size; ++i) table[i] = compute(map, static_cast<float>(i) / (table_size - 1));
  return table;
}

const Table& table_of(ColourMap map) {
  static const std::array<Table, 3> tables{make_table(ColourMap::sea), make_table(ColourMap::ember),
                                           make_table(ColourMap::balance)};
  return tables[static_cast<std::size_t>(map)];
}

}  // namespace

Vec3f colour_at(ColourMap map, float t) {
  if (std::isnan(t)) return missing;
  const float place = std::clamp(t, 0.0f, 1.0f) * (table_size - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(place), table_size - 2);
  return lerp(table_of(map)[i], table_of(map)[i + 1], place - static_cast<float>(i));
}

std::vector<Vec3f> map_colours(std::span<const float> values, float low, float high, ColourMap map) {
  std::vector<Vec3f> colours;
  colours.reserve(values.size());
  const float scale = high > low ? 1 / (high - low) : 0.0f;
  for (const float v : values) colours.push_back(colour_at(map, (v - low) * scale));
  return colours;
}

Vec3f category_colour(std::size_t number) {
  // Steps of the golden angle never repeat a hue; lightness in four steps tells apart what comes near again.
  constexpr std::array<float, 4> lightness{0.72f, 0.56f, 0.84f, 0.64f};
  const float hue = std::fmod(25 + 137.50776f * static_cast<float>(number), 360.0f);
  return from_polar(lightness[number % 4], 0.15f, degrees(hue));
}

std::vector<Vec3f> weight_colours(const SkinWeights& weights) {
  std::vector<Vec3f> colours;
  colours.reserve(weights.vertices());
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    Vec3f sum{};
    float total = 0;
    for (const Influence& i : weights.of(v)) {
      if (!(i.weight > 0)) continue;
      sum += category_colour(i.joint) * i.weight;
      total += i.weight;
    }
    colours.push_back(total > 0 && std::isfinite(total) ? sum / total : missing);
  }
  return colours;
}

std::vector<float> weights_of(const SkinWeights& weights, std::uint32_t joint) {
  std::vector<float> values(weights.vertices(), 0.0f);
  for (std::size_t v = 0; v < values.size(); ++v) {
    for (const Influence& i : weights.of(v)) {
      if (i.joint == joint) values[v] += i.weight;
    }
  }
  return values;
}

}  // namespace supple::render
