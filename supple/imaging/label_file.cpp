#include "supple/imaging/label_file.h"

#include <algorithm>
#include <limits>
#include <new>

#include "supple/imaging/header_text.h"
#include "supple/imaging/label_formats.h"
#include "supple/imaging/samples.h"
#include "supple/imaging/volume_file.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

// A whole body has some 120 labels; an image has thousands of values.
constexpr std::size_t most_labels = 1000;

/// Labels of one layer that have no names but perhaps in a NIfTI table.
Result<LabelMap> read_plain_labels(const fs::path& path, Warnings* warnings, const Progress& progress) {
  auto volume = read_volume(path, {}, warnings, progress);
  if (!volume) return volume.error();
  if (auto whole = make_whole(*volume); !whole) return whole.error();
  LabelMap map;
  map.name = path.string();
  map.layers.push_back(std::move(*volume));
  if (auto counted = count_labels(map); !counted) return counted.error();
  const std::string name = lower(path.filename().string());
  if (!name.ends_with(".nii") && !name.ends_with(".nii.gz")) return map;
  // Tables name everything a program can find; labels are those that the volume has.
  const std::map<std::int16_t, Label> table = nifti_label_table(path);
  for (Label& label : map.labels) {
    const auto found = table.find(label.value);
    if (found == table.end()) continue;
    label.name = found->second.name;
    label.colour = found->second.colour;
  }
  return map;
}

Result<LabelMap> read_any_labels(const fs::path& path, Warnings* warnings, const Progress& progress) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return Error{path.string(), "does not exist", "check the path"};
  const std::string name = lower(path.filename().string());
  if (fs::is_directory(path, failed) || name.ends_with(".dcm")) return read_dicom_labels(path, warnings, progress);
  if (name.ends_with(".nrrd") || name.ends_with(".nhdr")) return read_nrrd_labels(path, warnings, progress);
  return read_plain_labels(path, warnings, progress);
}

}  // namespace

Result<void> make_whole(Volume& volume) {
  constexpr int most = std::numeric_limits<std::int16_t>::max();
  const std::optional<int> offset = offset_to_values(volume);
  const auto low = std::min_element(volume.samples.begin(), volume.samples.end());
  if (!offset || *low + *offset < 0) {
    return Error{volume.name,
                 "holds numbers that are no labels: fractions, or numbers below 0 or beyond " + std::to_string(most),
                 "give the labels, not the image or a map of probabilities"};
  }
  for (std::int16_t& sample : volume.samples) sample = static_cast<std::int16_t>(sample + *offset);
  volume.slope = 1;
  volume.intercept = 0;
  return {};
}

Result<void> count_labels(LabelMap& map) {
  for (std::size_t l = 0; l < map.layers.size(); ++l) {
    std::vector<std::size_t> counts(std::size_t{1} << 15, 0);
    for (const std::int16_t sample : map.layers[l].samples) ++counts[static_cast<std::size_t>(sample)];
    for (Label& label : map.labels)
      if (label.layer == l) label.samples = std::exchange(counts[static_cast<std::size_t>(label.value)], 0);
    for (std::size_t value = 1; value < counts.size(); ++value) {
      if (counts[value] == 0) continue;
      map.labels.push_back({{}, static_cast<std::int16_t>(value), l, std::nullopt, counts[value]});
      if (map.labels.size() > most_labels)
        return Error{map.name, "holds more than " + std::to_string(most_labels) + " different values",
                     "give the labels, not the image"};
    }
  }
  if (map.labels.empty()) return Error{map.name, "holds no labels: all of its samples are 0", "label something"};
  return {};
}

Result<LabelMap> read_labels(const fs::path& path, Warnings* warnings, const Progress& progress) {
  try {
    return read_any_labels(path, warnings, progress);
  } catch (const std::bad_alloc&) {
    return Error{path.string(), "does not fit into memory", "cut it to the hand, or use a machine with more memory"};
  }
}

}  // namespace supple::imaging
