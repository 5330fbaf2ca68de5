// DICOM segmentations: PS3.3 A.51 and C.8.20. Frames are planes of one segment each; planes without any of it may be
// left out.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "supple/imaging/dicom_file.h"
#include "supple/imaging/dicom_slice.h"
#include "supple/imaging/label_formats.h"
#include "supple/imaging/lattice.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

constexpr DicomTag segmentation_type = 0x00620001, segment_sequence = 0x00620002, segment_number = 0x00620004,
                   segment_label = 0x00620005, segment_identification = 0x0062000a, referenced_segment = 0x0062000b,
                   largest_fraction = 0x0062000e, frame_groups = 0x52009230, shared_groups = 0x52009229,
                   display_lab = 0x0062000d, pixel_measures = 0x00289110, step_between = 0x00180088,
                   modality = 0x00080060;

enum class SegmentKind { binary, fractional, label_map };

struct SegmentFile {
  DicomFile file;
  std::vector<Slice> frames;
  SegmentKind kind = SegmentKind::binary;
  std::vector<std::size_t> segment;  // #frames: its number; of a label map: none
};

/// The first item of a sequence inside an item of the groups of frames.
const DicomSet* group_item(const DicomSet& set, DicomTag groups, std::size_t item, DicomTag sequence) {
  const DicomElement* outer = set.find(groups);
  if (outer == nullptr || outer->items.size() <= item) return nullptr;
  const DicomElement* inner = outer->items[item].find(sequence);
  return inner == nullptr || inner->items.empty() ? nullptr : &inner->items.front();
}

Result<SegmentFile> open_segments(const fs::path& path) {
  auto file = open_dicom(path);
  if (!file) return file.error();
  auto frames = read_slices(path);
  if (!frames) return frames.error();
  SegmentFile result{std::move(*file), std::move(*frames), SegmentKind::binary, {}};
  const DicomSet& set = result.file.set;
  const std::string kind = set.text(segmentation_type);
  if (set.text(modality) != "SEG" || result.frames.empty())
    return Error{path.string(), "is no DICOM segmentation", "give the file whose modality is SEG"};
  const Slice& first = result.frames.front();
  if (kind == "FRACTIONAL") result.kind = SegmentKind::fractional;
  if (kind == "LABELMAP") result.kind = SegmentKind::label_map;
  const bool binary = result.kind == SegmentKind::binary;
  if ((kind != "BINARY" && binary) || (binary ? first.bits_allocated != 1 || first.compressed
                                              : first.bits_allocated != 8 && first.bits_allocated != 16))
    return Error{path.string(),
                 "is a segmentation of type '" + kind + "' with " + std::to_string(first.bits_allocated) +
                     " bits a sample" + (first.compressed ? ", compressed" : ""),
                 "export it as a binary segmentation, uncompressed"};
  if (auto held = check_picture(first); !held) return held.error();
  for (std::size_t f = 0; f < result.frames.size() && result.kind != SegmentKind::label_map; ++f) {
    const DicomSet* found = group_item(set, frame_groups, f, segment_identification);
    if (found == nullptr) found = group_item(set, shared_groups, 0, segment_identification);
    result.segment.push_back(found == nullptr ? 0 : found->count(referenced_segment, 0));
  }
  return result;
}

/// Which slice of the lattice each frame is; sets size and axes of `lattice`.
Result<std::vector<std::size_t>> arrange_frames(const SegmentFile& file, Volume& lattice) {
  const Slice& first = file.frames.front();
  const auto wrong = [&](const std::string& problem) {
    return Error{lattice.name, problem, "export the segmentation again"};
  };
  for (const Slice& s : file.frames) {
    if (!s.position || !s.along_row || !is_finite(*s.position) || !(s.row_spacing > 0 && s.column_spacing > 0))
      return wrong(s.label() + " does not say where it lies");
  }
  const Vec3d normal = normalized(cross(*first.along_row, *first.along_column));
  std::vector<double> places;
  for (const Slice& s : file.frames) places.push_back(dot(*s.position, normal));
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  constexpr double same_place = 1e-3;  // millimetres, as files round
  double step = std::numeric_limits<double>::infinity();
  std::vector<double> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > same_place) step = std::min(step, sorted[i] - sorted[i - 1]);
  if (const DicomSet* measures = group_item(file.file.set, shared_groups, 0, pixel_measures)) {
    if (const auto said = measures->numbers(step_between); said.size() == 1 && said[0] > same_place) step = said[0];
  }
  if (!std::isfinite(step)) return wrong("is a single slice");
  const double last = std::round((*high - *low) / step);
  // Planes that are left out are few: a hand has them at both ends, or between two parts of a label.
  constexpr double most_empty = 100;
  if (last > most_empty * static_cast<double>(file.frames.size())) return wrong("leaves nearly all of its planes out");
  std::vector<std::size_t> slices;
  constexpr double uneven = 0.1;  // of a step
  for (std::size_t f = 0; f < places.size(); ++f) {
    const double at = (places[f] - *low) / step;
    if (std::abs(at - std::round(at)) > uneven)
      return wrong(file.frames[f].label() + " does not lie at a whole step of " + std::to_string(step) + " mm");
    slices.push_back(static_cast<std::size_t>(std::lround(at)));
  }
  const std::size_t sizes[]{first.columns, first.rows, static_cast<std::size_t>(last) + 1};
  if (auto sized = set_size(lattice, sizes); !sized) return sized.error();
  const Slice& lowest = file.frames[static_cast<std::size_t>(low - places.begin())];
  if (auto placed = set_axes(
          lattice, {{*first.along_row * first.column_spacing, *first.along_column * first.row_spacing, normal * step},
                    *lowest.position});
      !placed)
    return placed.error();
  return slices;
}

/// Whether each pixel of a frame belongs to the frame's segment; of a label map, the number of its segment.
class FrameReader {
 public:
  explicit FrameReader(const SegmentFile& file) : file_(file) {
    half_ = static_cast<std::int32_t>(file.file.set.count(largest_fraction, 255) + 1) / 2;
  }
  Result<std::vector<std::int32_t>> read(std::size_t f) {
    const Slice& slice = file_.frames[f];
    const std::size_t count = slice.columns * slice.rows;
    std::vector<std::int32_t> result(count);
    if (file_.kind == SegmentKind::binary) {
      const auto bytes = file_.file.set.find(pixel_data)->value;
      for (std::size_t i = 0; i < count; ++i) {  // without gaps between frames, lowest bits first
        const std::size_t bit = f * count + i;
        result[i] = std::to_integer<int>(bytes[bit / 8]) >> (bit % 8) & 1;
      }
      return result;
    }
    const auto pixels = reader_.read(slice);
    if (!pixels) return pixels.error();
    for (std::size_t i = 0; i < count; ++i)
      result[i] = file_.kind == SegmentKind::label_map ? (*pixels)[i] : (*pixels)[i] >= half_ ? 1 : 0;
    return result;
  }

 private:
  const SegmentFile& file_;
  PixelReader reader_;
  std::int32_t half_ = 128;
};

/// Puts every segment into the first layer in which nothing lies where it is.
class LayerPainter {
 public:
  explicit LayerPainter(LabelMap& map, Volume lattice) : map_(map), empty_(std::move(lattice)) { add_layer(); }

  void paint(std::span<const std::size_t> samples, std::int16_t value, std::size_t& layer) {
    const auto is_free = [&](const Volume& volume) {
      return std::all_of(samples.begin(), samples.end(), [&](std::size_t i) { return volume.samples[i] == 0; });
    };
    layer = 0;
    while (layer < map_.layers.size() && !is_free(map_.layers[layer])) ++layer;
    if (layer == map_.layers.size()) add_layer();
    for (const std::size_t i : samples) map_.layers[layer].samples[i] = value;
  }

 private:
  void add_layer() {
    map_.layers.push_back(empty_);
    map_.layers.back().samples.assign(empty_.count(), 0);
  }
  LabelMap& map_;
  Volume empty_;
};

/// The recommended colour, CIELab in three numbers of 16 bits (PS3.3 C.10.7.1.1), as a screen shows it; the white point
/// is that of screens, D65, as DCMTK and dcmqi have it.
std::optional<Vec3f> display_colour(const DicomSet& item) {
  const DicomElement* element = item.find(display_lab);
  if (element == nullptr || element->value.size() < 6) return std::nullopt;
  const auto number = [&](std::size_t i) {
    const auto first = std::to_integer<unsigned>(element->value[2 * i]);
    const auto second = std::to_integer<unsigned>(element->value[2 * i + 1]);
    return static_cast<double>(item.big_endian ? first << 8 | second : second << 8 | first) / 65535;
  };
  const double lightness = 100 * number(0), a = 255 * number(1) - 128, b = 255 * number(2) - 128;
  const double fy = (lightness + 16) / 116, fx = fy + a / 500, fz = fy - b / 200;
  const auto inverse = [](double f) {
    constexpr double linear = 6.0 / 29;
    return f > linear ? f * f * f : 3 * linear * linear * (f - 4.0 / 29);
  };
  const double x = 0.950456 * inverse(fx), y = inverse(fy), z = 1.088754 * inverse(fz);
  const auto encoded = [](double c) {  // sRGB
    c = std::clamp(c, 0.0, 1.0);
    return static_cast<float>(c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055);
  };
  return Vec3f{encoded(3.240479 * x - 1.537150 * y - 0.498535 * z),
               encoded(-0.969256 * x + 1.875992 * y + 0.041556 * z),
               encoded(0.055648 * x - 0.204043 * y + 1.057311 * z)};
}

std::vector<Label> labels_of(const DicomSet& set) {
  std::vector<Label> labels;
  const DicomElement* segments = set.find(segment_sequence);
  if (segments == nullptr) return labels;
  std::set<std::size_t> known;
  for (const DicomSet& item : segments->items) {
    const std::size_t number = item.count(segment_number, 0);
    if (number == 0 || number > 32767 || !known.insert(number).second) continue;
    Label label;
    label.name = item.text(segment_label);
    label.colour = display_colour(item);
    label.value = static_cast<std::int16_t>(number);
    labels.push_back(std::move(label));
  }
  return labels;
}

Result<LabelMap> read_segments(const fs::path& path, const Progress& progress) {
  const auto file = open_segments(path);
  if (!file) return file.error();
  Volume lattice;
  lattice.name = path.string();
  const auto slices = arrange_frames(*file, lattice);
  if (!slices) return slices.error();
  LabelMap map;
  map.name = path.string();
  map.labels = labels_of(file->file.set);
  LayerPainter painter(map, lattice);
  FrameReader reader(*file);
  const std::size_t per_slice = lattice.size[0] * lattice.size[1];
  if (file->kind == SegmentKind::label_map) {
    for (std::size_t f = 0; f < file->frames.size(); ++f) {
      const auto pixels = reader.read(f);
      if (!pixels) return pixels.error();
      std::transform(pixels->begin(), pixels->end(),
                     map.layers[0].samples.begin() + static_cast<std::ptrdiff_t>((*slices)[f] * per_slice),
                     [](std::int32_t n) { return static_cast<std::int16_t>(std::clamp(n, 0, 32767)); });
    }
  }
  for (std::size_t l = 0; l < map.labels.size() && file->kind != SegmentKind::label_map; ++l) {
    Label& label = map.labels[l];
    std::vector<std::size_t> samples;
    for (std::size_t f = 0; f < file->frames.size(); ++f) {
      if (file->segment[f] != static_cast<std::size_t>(label.value)) continue;
      const auto pixels = reader.read(f);
      if (!pixels) return pixels.error();
      for (std::size_t i = 0; i < per_slice; ++i)
        if ((*pixels)[i] != 0) samples.push_back((*slices)[f] * per_slice + i);
    }
    painter.paint(samples, label.value, label.layer);
    if (!report(progress, "reading labels", static_cast<double>(l + 1) / static_cast<double>(map.labels.size())))
      return Error{map.name, "was not read: stopped", ""};
  }
  if (auto counted = count_labels(map); !counted) return counted.error();
  return map;
}

}  // namespace

Result<LabelMap> read_dicom_labels(const fs::path& path, Warnings* warnings, const Progress& progress) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return read_segments(path, progress);
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
    std::error_code unreadable;
    if (!entry.is_regular_file(unreadable) || !is_dicom(entry.path())) continue;
    const auto file = open_dicom(entry.path());
    if (!file && warnings != nullptr) warnings->push_back(file.error().message());
    if (file && file->set.text(modality) == "SEG") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return read_segments(found.front(), progress);
  return Error{path.string(), "holds " + std::to_string(found.size()) + " DICOM segmentations",
               found.empty() ? "give the file whose modality is SEG" : "give one of them: " + found.front().string()};
}

}  // namespace supple::imaging
