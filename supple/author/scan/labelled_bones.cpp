// Labels of bone taken apart: every piece in a mask of its own, so that no other bone, however near, moves its surface.
#include <algorithm>
#include <cmath>

#include "supple/author/scan/label_refine.h"
#include "supple/author/scan/labelled_parts.h"
#include "supple/author/scan/parts_split.h"
#include "supple/author/scan/parts_surface.h"

namespace supple::scan {
namespace {

// Necks of so many times their radius; the first is what bones are divided by where nothing is known of their number.
constexpr double neck_gains[] = {1.7, 1.55, 1.4, 1.3, 1.2, 1.9, 2.2, 2.6};
// What is cut off has so many times the size of the smallest piece, see separate_bones().
constexpr double cut_off_part = 2;
constexpr std::size_t fewest_samples = 8;
constexpr double image_blur = 0.5;  // samples: takes noise away
constexpr int refine_passes = 3;    // normals become better with the surface

/// Samples of a lattice, [low, end) along each axis; they may lie beyond it.
struct SampleBox {
  std::array<std::ptrdiff_t, 3> low{}, end{};
};

/// One where `inside(i, j, k)` of the lattice, zero elsewhere.
template <class Inside>
Volume mask_of(const Volume& lattice, const SampleBox& box, Inside&& inside) {
  Volume mask;
  mask.name = lattice.name;
  mask.to_world = lattice.to_world;
  mask.to_world.translation = lattice.to_world.point(
      {static_cast<double>(box.low[0]), static_cast<double>(box.low[1]), static_cast<double>(box.low[2])});
  for (std::size_t axis = 0; axis < 3; ++axis)
    mask.size[axis] = static_cast<std::size_t>(box.end[axis] - box.low[axis]);
  mask.samples.reserve(mask.count());
  for (std::ptrdiff_t k = box.low[2]; k < box.end[2]; ++k)
    for (std::ptrdiff_t j = box.low[1]; j < box.end[1]; ++j)
      for (std::ptrdiff_t i = box.low[0]; i < box.end[0]; ++i) mask.samples.push_back(inside(i, j, k) ? 1 : 0);
  return mask;
}

/// The samples of each label; of one that is empty: none.
std::vector<SampleBox> boxes_of(const LabelMap& map) {
  std::vector<SampleBox> boxes(map.labels.size());
  for (std::size_t layer = 0; layer < map.layers.size(); ++layer) {
    const Volume& volume = map.layers[layer];
    std::vector<std::size_t> label_of(std::size_t{1} << 15, map.labels.size());
    for (std::size_t l = 0; l < map.labels.size(); ++l)
      if (map.labels[l].layer == layer) label_of[static_cast<std::size_t>(map.labels[l].value)] = l;
    std::size_t at = 0;
    for (std::size_t k = 0; k < volume.size[2]; ++k) {
      for (std::size_t j = 0; j < volume.size[1]; ++j) {
        for (std::size_t i = 0; i < volume.size[0]; ++i) {
          const std::size_t l = label_of[static_cast<std::size_t>(volume.samples[at++])];
          if (l == map.labels.size()) continue;
          SampleBox& box = boxes[l];
          const bool first = box.end[0] == box.low[0];
          const std::size_t place[3] = {i, j, k};
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto n = static_cast<std::ptrdiff_t>(place[axis]);
            box.low[axis] = first ? n : std::min(box.low[axis], n);
            box.end[axis] = first ? n + 1 : std::max(box.end[axis], n + 1);
          }
        }
      }
    }
  }
  return boxes;
}

/// A connected piece of a label, divided.
struct DividedPiece {
  std::size_t label = 0;
  Block block;
  Split split;
  std::array<std::ptrdiff_t, 3> origin{};  // sample of the lattice where the block's (0, 0, 0) lies
};

/// Of all pieces of one label.
std::size_t part_count(std::span<const Split> splits) {
  std::size_t count = 0;
  for (const Split& split : splits) count += split.parts;
  return count;
}

std::vector<Split> divided(std::span<const Block> blocks, const SplitOptions& options) {
  std::vector<Split> splits;
  for (const Block& block : blocks) splits.push_back(split_piece(block, options));
  return splits;
}

/// Divides the pieces of one label into as many as it is known to consist of, or as near to that as necks allow.
std::vector<Split> divide(std::span<const Block> blocks, const LabelUse& use, const LabelledOptions& options) {
  SplitOptions split;
  split.levels = {1};
  split.smallest = cut_off_part * options.smallest;
  split.by_depth = options.divide && use.bones.size() > 1;
  std::vector<Split> best = divided(blocks, split);
  const auto off = [&](std::span<const Split> splits) {
    const std::size_t count = part_count(splits);
    return count > use.count ? count - use.count : use.count - count;
  };
  if (options.divide && use.most > 1) {
    // A compound bone as a whole, such as the carpus: its single bones, where most of them come apart. It is left as it
    // is where fewer do: the necks are not those between them.
    split.by_depth = true;
    std::size_t reached = std::max(use.most / 2, part_count(best));
    for (const double gain : neck_gains) {
      split.neck_gain = gain;
      std::vector<Split> next = divided(blocks, split);
      const std::size_t count = part_count(next);
      if (count <= reached || count > use.most) continue;
      reached = count;
      best = std::move(next);
    }
    return best;
  }
  if (!split.by_depth || use.count == 0) return best;
  for (const double gain : neck_gains) {
    if (off(best) == 0) break;
    split.neck_gain = gain;
    std::vector<Split> next = divided(blocks, split);
    if (off(next) < off(best)) best = std::move(next);
  }
  return best;
}

class LabelledBones {
 public:
  LabelledBones(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                const LabelledOptions& options)
      : map_(map), uses_(uses), options_(options), owner_(map.lattice().count(), 0) {
    if (image != nullptr && options.refine) image_ = blurred(*image, image_blur);
  }

  /// The pieces of one label; false where it has none that is large enough.
  bool add(std::size_t l, const SampleBox& box) {
    const Label& label = map_.labels[l];
    const Volume& layer = map_.layers[label.layer];
    const Volume mask = mask_of(layer, box, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
      return layer.samples[layer.place(static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                       static_cast<std::size_t>(k))] == label.value;
    });
    std::vector<Piece> pieces = dense_pieces(mask, 1);
    const Vec3d spacing = mask.spacing();
    std::erase_if(pieces, [&](const Piece& piece) {
      const double size = static_cast<double>(piece.samples) * spacing.x * spacing.y * spacing.z;
      if (size >= options_.smallest && piece.samples >= fewest_samples) return false;
      dropped_.push_back({mask.to_world.point(piece.centre), size});
      return true;
    });
    std::vector<Block> blocks;
    for (const Piece& piece : pieces) blocks.push_back(block_of(mask, piece));
    std::vector<Split> splits = divide(blocks, uses_[l], options_);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      DividedPiece piece{l, std::move(blocks[b]), std::move(splits[b]), {}};
      for (std::size_t axis = 0; axis < 3; ++axis)
        piece.origin[axis] = box.low[axis] + static_cast<std::ptrdiff_t>(piece.block.origin[axis]) - 1;
      own(piece);
      pieces_.push_back(std::move(piece));
    }
    return !pieces.empty();
  }

  LabelledParts finish(const Progress& progress) {
    LabelledParts result;
    std::vector<std::pair<BonePart, std::size_t>> parts;  // and labels
    std::uint16_t number = 0;
    for (const DividedPiece& piece : pieces_) {
      for (std::uint16_t p = 1; p <= piece.split.parts; ++p)
        parts.emplace_back(surface_of(piece, p, ++number), piece.label);
      report(progress, "labels", static_cast<double>(number) / static_cast<double>(owned_));
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first.volume > b.first.volume; });
    for (auto& [part, label] : parts) {
      append_mesh(result.parts.surface, part.surface);
      result.parts.parts.push_back(std::move(part));
      result.label.push_back(label);
    }
    result.parts.dropped = std::move(dropped_);
    std::stable_sort(result.parts.dropped.begin(), result.parts.dropped.end(),
                     [](const auto& a, const auto& b) { return a.volume > b.volume; });
    return result;
  }

 private:
  static void append_mesh(Mesh& to, const Mesh& mesh) {
    const auto first = static_cast<std::uint32_t>(to.positions.size());
    to.positions.insert(to.positions.end(), mesh.positions.begin(), mesh.positions.end());
    to.normals.insert(to.normals.end(), mesh.normals.begin(), mesh.normals.end());
    for (const Triangle& t : mesh.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }

  /// Which part has a sample of the lattice; 0: none, or beyond it.
  std::uint16_t owner_at(const std::array<std::ptrdiff_t, 3>& at) const {
    const Volume& lattice = map_.lattice();
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (at[axis] < 0 || at[axis] >= static_cast<std::ptrdiff_t>(lattice.size[axis])) return 0;
    return owner_[lattice.place(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                                static_cast<std::size_t>(at[2]))];
  }

  template <class Visit>
  static void each_sample(const DividedPiece& piece, Visit&& visit) {
    const Block& block = piece.block;
    for (std::size_t k = 0; k < block.size[2]; ++k) {
      for (std::size_t j = 0; j < block.size[1]; ++j) {
        for (std::size_t i = 0; i < block.size[0]; ++i) {
          const std::uint16_t part = piece.split.part[block.place(i, j, k)];
          if (part == 0) continue;
          visit(std::array<std::ptrdiff_t, 3>{piece.origin[0] + static_cast<std::ptrdiff_t>(i),
                                              piece.origin[1] + static_cast<std::ptrdiff_t>(j),
                                              piece.origin[2] + static_cast<std::ptrdiff_t>(k)},
                part);
        }
      }
    }
  }

  void own(const DividedPiece& piece) {
    const Volume& lattice = map_.lattice();
    each_sample(piece, [&](const std::array<std::ptrdiff_t, 3>& at, std::uint16_t part) {
      owner_[lattice.place(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                           static_cast<std::size_t>(at[2]))] = static_cast<std::uint16_t>(owned_ + part);
    });
    owned_ += piece.split.parts;
  }

  BonePart surface_of(const DividedPiece& piece, std::uint16_t part, std::uint16_t number) const {
    SampleBox box;
    std::size_t count = 0;
    each_sample(piece, [&](const std::array<std::ptrdiff_t, 3>& at, std::uint16_t p) {
      if (p != part) return;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = count == 0 ? at[axis] : std::min(box.low[axis], at[axis]);
        box.end[axis] = count == 0 ? at[axis] + 1 : std::max(box.end[axis], at[axis] + 1);
      }
      ++count;
    });
    const auto margin = static_cast<std::ptrdiff_t>(std::ceil(4 * options_.blur)) + 2;  // as far as the blur reaches
    for (std::size_t axis = 0; axis < 3; ++axis) box.low[axis] -= margin, box.end[axis] += margin;
    const Block& block = piece.block;
    const Volume mask = mask_of(map_.lattice(), box, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
      const std::ptrdiff_t at[3] = {i - piece.origin[0], j - piece.origin[1], k - piece.origin[2]};
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (at[axis] < 0 || at[axis] >= static_cast<std::ptrdiff_t>(block.size[axis])) return false;
      return piece.split.part[block.place(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                                          static_cast<std::size_t>(at[2]))] == part;
    });
    const Volume smooth = blurred(mask, options_.blur);
    BonePart result = part_of_surface(isosurface(smooth, {level_of(smooth, count), true}));
    result.candidates = uses_[piece.label].bones;
    result.body = uses_[piece.label].body;
    mark_touches(result, number);
    if (!image_) return result;
    for (int pass = 0; pass < refine_passes; ++pass) refine(result.surface, *image_, result.touches);
    measure_part(result);
    return result;
  }

  /// The level that encloses as many samples as the label has: blur makes what is round a little smaller.
  static double level_of(const Volume& smooth, std::size_t count) {
    std::vector<std::int16_t> samples = smooth.samples;
    const auto at = samples.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(samples.begin(), at, samples.end(), std::greater<>());
    const std::int16_t below = *at, above = *std::min_element(samples.begin(), at);
    constexpr double lowest = 0.3, highest = 0.5;
    return std::clamp(smooth.slope * 0.5 * (below + above) + smooth.intercept, lowest, highest);
  }

  /// Vertices beside another bone: there the line between the two is a person's guess.
  void mark_touches(BonePart& part, std::uint16_t number) const {
    const Affined to_sample = inverse(map_.lattice().to_world);
    for (std::size_t v = 0; v < part.surface.positions.size(); ++v) {
      const Vec3d at = to_sample.point(Vec3d(part.surface.positions[v]));
      bool touches = false;
      for (std::ptrdiff_t n = 0; n < 27 && !touches; ++n) {
        const std::uint16_t other =
            owner_at({std::lround(at.x) + n % 3 - 1, std::lround(at.y) + n / 3 % 3 - 1, std::lround(at.z) + n / 9 - 1});
        touches = other != 0 && other != number;
      }
      part.touches[v] = touches;
    }
  }

  const LabelMap& map_;
  std::span<const LabelUse> uses_;
  std::optional<Volume> image_;  // that surfaces are refined by
  const LabelledOptions& options_;
  std::vector<std::uint16_t> owner_;  // #samples: number of a part; 0: none
  std::size_t owned_ = 0;             // parts that have a number
  std::vector<DividedPiece> pieces_;
  std::vector<Parts::Dropped> dropped_;
};

}  // namespace

Result<LabelledParts> take_labels_apart(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                                        const LabelledOptions& options, const Progress& progress) {
  if (!report(progress, "labels", 0)) return Error{map.name, "stopped on request", ""};
  const std::vector<SampleBox> boxes = boxes_of(map);
  LabelledBones bones(map, uses, image, options);
  std::vector<std::size_t> empty;
  bool any = false;
  for (std::size_t l = 0; l < map.labels.size(); ++l) {
    if (uses[l].bones.empty()) continue;
    any = true;
    if (map.labels[l].samples == 0 || !bones.add(l, boxes[l])) empty.push_back(l);
  }
  if (!any)
    return Error{map.name, "has no label of a bone", "say what its labels are under label_names in the project"};
  LabelledParts result = bones.finish(progress);
  result.empty = std::move(empty);
  return result;
}

Result<Parts> labelled_bones(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                             const LabelledOptions& options, Warnings* warnings, const Progress& progress) {
  auto apart = take_labels_apart(map, uses, image, options, progress);
  if (!apart) return apart.error();
  if (!apart->empty.empty()) {
    const Label& label = map.labels[apart->empty.front()];
    return Error{map.name,
                 label.title() + (label.samples == 0 ? " is empty" : " is smaller than the smallest piece of bone"),
                 "draw it, or take it away where another label holds its bone"};
  }
  for (std::size_t l = 0; l < map.labels.size() && warnings != nullptr; ++l) {
    const auto pieces = std::count(apart->label.begin(), apart->label.end(), l);
    if (uses[l].count != 0 && static_cast<std::size_t>(pieces) != uses[l].count)
      warnings->push_back(map.name + ": " + map.labels[l].title() + " came apart into " + std::to_string(pieces) +
                          " pieces instead of " + std::to_string(uses[l].count));
  }
  if (warnings != nullptr && !apart->parts.dropped.empty())
    warnings->push_back(map.name + ": " + std::to_string(apart->parts.dropped.size()) +
                        " pieces of labels smaller than " + std::to_string(std::lround(options.smallest * 1e9)) +
                        " cubic millimetres were dropped");
  return std::move(apart->parts);
}

}  // namespace supple::scan
