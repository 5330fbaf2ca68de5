#include "supple/render/palette.h"

#include <algorithm>

namespace supple::render {
namespace {

constexpr int bits = 6, levels = 1 << bits, step = 256 / levels;

std::size_t bin_of(int r, int g, int b) {
  const auto level = [](int v) { return static_cast<std::size_t>(std::clamp(v, 0, 255) / step); };
  return (level(r) << (2 * bits)) | (level(g) << bits) | level(b);
}
std::array<int, 3> levels_of(std::size_t bin) {
  return {static_cast<int>(bin >> (2 * bits)), static_cast<int>(bin >> bits) % levels, static_cast<int>(bin) % levels};
}

struct CountedColour {
  std::array<int, 3> level;
  std::uint64_t count;
};

/// A range of colours, with the channel that spreads most in it.
struct ColourBox {
  std::size_t begin = 0, end = 0;
  std::size_t channel = 0;
  double spread = 0;  // sum of squared distances to the mean along the channel
};

ColourBox make_box(std::span<const CountedColour> colours, std::size_t begin, std::size_t end) {
  ColourBox box{begin, end, 0, -1};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    double sum = 0, squares = 0, count = 0;
    for (const CountedColour& c : colours.subspan(begin, end - begin)) {
      const double n = static_cast<double>(c.count), v = c.level[channel];
      sum += n * v, squares += n * v * v, count += n;
    }
    const double spread = squares - sum * sum / count;
    if (spread > box.spread) box.channel = channel, box.spread = spread;
  }
  return box;
}

/// Sorts a box along its channel; returns where half of its pixels are passed, with something on both sides.
std::size_t halve(std::span<CountedColour> colours, const ColourBox& box) {
  const auto part = colours.subspan(box.begin, box.end - box.begin);
  std::sort(part.begin(), part.end(), [&](const CountedColour& a, const CountedColour& b) {
    return a.level[box.channel] != b.level[box.channel] ? a.level[box.channel] < b.level[box.channel]
                                                        : a.level < b.level;
  });
  std::uint64_t total = 0, passed = 0;
  for (const CountedColour& c : part) total += c.count;
  std::size_t middle = 0;
  while (middle + 1 < part.size() && (passed += part[middle].count) * 2 < total) ++middle;
  return box.begin + std::clamp<std::size_t>(middle + 1, 1, part.size() - 1);
}

Rgba8 mean_of(std::span<const CountedColour> colours) {
  std::array<double, 3> sum{};
  double count = 0;
  for (const CountedColour& c : colours) {
    for (std::size_t i = 0; i < 3; ++i) sum[i] += static_cast<double>(c.count) * (c.level[i] * step + step / 2.0 - 0.5);
    count += static_cast<double>(c.count);
  }
  const auto byte = [&](double v) { return static_cast<std::uint8_t>(v / count + 0.5); };
  return {byte(sum[0]), byte(sum[1]), byte(sum[2]), 255};
}

// Thresholds of an ordered dither, 0 to 15 (Bayer 1973).
constexpr int thresholds[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

}  // namespace

void ColourCount::add(const Image& image) {
  for (const Rgba8 p : image.pixels) ++counts_[bin_of(p.r, p.g, p.b)];
}

Palette::Palette(const ColourCount& count, std::size_t size) : nearest_(std::size_t{1} << (3 * bits), -1) {
  std::vector<CountedColour> colours;
  for (std::size_t bin = 0; bin < count.counts().size(); ++bin)
    if (count.counts()[bin] > 0) colours.push_back({levels_of(bin), count.counts()[bin]});
  if (colours.empty()) {
    colours_.push_back({});
    return;
  }
  std::vector<ColourBox> boxes{make_box(colours, 0, colours.size())};
  while (boxes.size() < size) {
    const auto widest = std::max_element(boxes.begin(), boxes.end(),
                                         [](const ColourBox& a, const ColourBox& b) { return a.spread < b.spread; });
    if (!(widest->spread > 0)) break;
    const ColourBox box = *widest;
    const std::size_t middle = halve(colours, box);
    *widest = make_box(colours, box.begin, middle);
    boxes.push_back(make_box(colours, middle, box.end));
  }
  for (const ColourBox& box : boxes)
    colours_.push_back(mean_of(std::span<const CountedColour>(colours).subspan(box.begin, box.end - box.begin)));
}

std::uint8_t Palette::nearest(std::array<int, 3> colour) {
  std::int16_t& known = nearest_[bin_of(colour[0], colour[1], colour[2])];
  if (known >= 0) return static_cast<std::uint8_t>(known);
  const auto level = levels_of(bin_of(colour[0], colour[1], colour[2]));
  int best = 1 << 30;
  for (std::size_t i = 0; i < colours_.size(); ++i) {
    const int r = level[0] * step + step / 2 - colours_[i].r, g = level[1] * step + step / 2 - colours_[i].g,
              b = level[2] * step + step / 2 - colours_[i].b;
    const int distance = 3 * r * r + 6 * g * g + b * b;  // as eyes weigh them
    if (distance < best) best = distance, known = static_cast<std::int16_t>(i);
  }
  return static_cast<std::uint8_t>(known);
}

std::vector<std::uint8_t> Palette::places(const Image& image) {
  // Half the distance of neighbouring colours, were they spread evenly over what pictures use.
  constexpr int amplitude = 10;
  std::vector<std::uint8_t> result(image.pixels.size());
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      const int shift = amplitude * (2 * thresholds[y % 4][x % 4] - 15) / 32;
      const Rgba8 p = image.at(x, y);
      result[std::size_t{y} * image.width + x] = nearest({p.r + shift, p.g + shift, p.b + shift});
    }
  }
  return result;
}

}  // namespace supple::render
