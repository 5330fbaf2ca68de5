#include "supple/phantom/label_painter.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::phantom {

std::string group_of(const std::string& bone) {
  if (bone.find("phalanx") != std::string::npos) return "phalanges_hand";
  if (bone.find("metacarpal") != std::string::npos) return "metacarpals";
  const bool arm = bone == "forearm" || bone == "radius" || bone == "ulna";
  return arm ? bone : "carpal";
}

LabelPainter::LabelPainter(const Volume& lattice, std::span<const float> body) : deepest_(lattice.count(), 0) {
  map_.name = lattice.name;
  map_.layers.push_back(lattice);
  map_.labels.push_back({"skin", 1, 0, Vec3f{0.85f, 0.6f, 0.5f}, 0});
  std::vector<std::int16_t>& samples = map_.layers[0].samples;
  samples.resize(lattice.count());
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = body[i] >= 0.5f ? 1 : 0;
}

void LabelPainter::paint(const LatticeShape& shape, const std::string& name) {
  auto label = std::find_if(map_.labels.begin(), map_.labels.end(), [&](const Label& l) { return l.name == name; });
  if (label == map_.labels.end()) {
    const auto number = static_cast<std::int16_t>(map_.labels.size() + 1);
    // Hues a golden section apart, so that neighbours differ.
    const double hue = std::fmod(0.618 * number, 1.0);
    const auto part = [&](double shift) {
      return static_cast<float>(std::clamp(std::abs(std::fmod(hue + shift, 1.0) * 6 - 3) - 1, 0.15, 0.95));
    };
    map_.labels.push_back({name, number, 0, Vec3f{part(0), part(2.0 / 3), part(1.0 / 3)}, 0});
    label = map_.labels.end() - 1;
  }
  Volume& volume = map_.layers[0];
  std::size_t from[3], to[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto size = static_cast<double>(volume.size[axis]);
    from[axis] = static_cast<std::size_t>(std::clamp(std::floor(shape.low[axis]), 0.0, size));
    to[axis] = static_cast<std::size_t>(std::clamp(std::ceil(shape.high[axis]) + 1, 0.0, size));
  }
  if (from[2] >= to[2]) return;
  parallel_for(to[2] - from[2], 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = from[2] + begin; k < from[2] + end; ++k) {
      for (std::size_t j = from[1]; j < to[1]; ++j) {
        for (std::size_t i = from[0]; i < to[0]; ++i) {
          const auto distance = static_cast<float>(
              shape.distance({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)}));
          const std::size_t at = volume.place(i, j, k);
          if (distance >= deepest_[at]) continue;
          deepest_[at] = distance;
          volume.samples[at] = label->value;
        }
      }
    }
  });
}

LabelMap LabelPainter::finish() {
  std::vector<std::size_t> counts(map_.labels.size() + 1, 0);
  for (const std::int16_t value : map_.layers[0].samples) ++counts[static_cast<std::size_t>(value)];
  for (Label& label : map_.labels) label.samples = counts[static_cast<std::size_t>(label.value)];
  return std::move(map_);
}

}  // namespace supple::phantom
