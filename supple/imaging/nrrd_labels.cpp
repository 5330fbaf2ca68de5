// Segmentations of 3D Slicer: https://slicer.readthedocs.io/en/latest/developer_guide/modules/segmentations.html
#include <algorithm>
#include <limits>

#include "supple/imaging/header_text.h"
#include "supple/imaging/label_formats.h"
#include "supple/imaging/nrrd.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

/// What the header says of segment number `n`, by the end of its key, such as "name".
class SegmentKeys {
 public:
  SegmentKeys(const std::map<std::string, std::string>& keys, std::size_t n)
      : keys_(keys), prefix_("segment" + std::to_string(n) + "_") {}
  bool any() const {
    const auto next = keys_.lower_bound(prefix_);
    return next != keys_.end() && next->first.starts_with(prefix_);
  }
  std::string text(const char* key) const {
    const auto found = keys_.find(prefix_ + key);
    return found == keys_.end() ? std::string() : found->second;
  }

 private:
  const std::map<std::string, std::string>& keys_;
  std::string prefix_;
};

std::optional<Vec3f> colour_of(const std::string& text) {
  const auto numbers = to_numbers<double>(text);
  if (!numbers || numbers->size() < 3) return std::nullopt;
  const auto part = [&](std::size_t i) { return static_cast<float>(std::clamp((*numbers)[i], 0.0, 1.0)); };
  return Vec3f{part(0), part(1), part(2)};
}

/// Samples whose numbers are neighbours, as one volume for each number.
std::vector<Volume> layers_of(NrrdLists lists) {
  if (lists.per_sample == 1) return {std::move(lists.volume)};
  Volume empty;
  empty.name = lists.volume.name;
  empty.size = lists.volume.size;
  empty.size[0] /= lists.per_sample;
  empty.to_world = lists.volume.to_world;
  std::vector<Volume> layers(lists.per_sample, empty);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    layers[l].samples.resize(empty.count());
    for (std::size_t i = 0; i < empty.count(); ++i)
      layers[l].samples[i] = lists.volume.samples[i * lists.per_sample + l];
  }
  return layers;
}

Result<Label> label_of_segment(const SegmentKeys& keys, std::size_t number, std::size_t layers,
                               const std::string& file) {
  Label label;
  label.name = keys.text("name");
  label.colour = colour_of(keys.text("color"));
  // Files of before 2020 have a layer for each segment, which is 1 in it.
  const std::string value = keys.text("labelvalue"), layer = keys.text("layer");
  label.value = to_number<std::int16_t>(value).value_or(value.empty() ? 1 : -1);
  label.layer = to_number<std::size_t>(layer).value_or(layer.empty() && layers > 1 ? number : 0);
  if (label.value > 0 && label.layer < layers) return label;
  return Error{
      file,
      "has a segment '" + label.name + "' with label value '" + value + "' in layer '" + layer + "', which cannot be",
      "export the segmentation again"};
}

}  // namespace

Result<LabelMap> read_nrrd_labels(const fs::path& path, Warnings* warnings, const Progress& progress) {
  auto lists = read_nrrd_lists(path, warnings, progress);
  if (!lists) return lists.error();
  if (auto whole = make_whole(lists->volume); !whole) return whole.error();
  const std::map<std::string, std::string> keys = lists->keys;
  LabelMap map;
  map.name = path.string();
  map.layers = layers_of(std::move(*lists));
  for (std::size_t n = 0; SegmentKeys(keys, n).any(); ++n) {
    auto label = label_of_segment(SegmentKeys(keys, n), n, map.layers.size(), map.name);
    if (!label) return label.error();
    map.labels.push_back(std::move(*label));
  }
  if (auto counted = count_labels(map); !counted) return counted.error();
  return map;
}

}  // namespace supple::imaging
