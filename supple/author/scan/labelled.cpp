// The surfaces of a labelled scan, and whether labels and image belong together.
#include "supple/author/scan/labelled.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supple/author/scan/labelled_parts.h"
#include "supple/rig/bone_template.h"

namespace supple::scan {
namespace {

// Bone must lie in the skin that the image shows: all of it nearly, and most of each label.
constexpr double least_in_all = 0.9, least_in_piece = 0.5;

std::string lattice_text(const Volume& v) {
  char text[160];
  const Vec3d mm = v.spacing() * 1000, at = v.to_world.translation * 1000;
  std::snprintf(text, sizeof text, "%zu x %zu x %zu samples of %.3g x %.3g x %.3g mm from (%.1f, %.1f, %.1f)",
                v.size[0], v.size[1], v.size[2], mm.x, mm.y, mm.z, at.x, at.y, at.z);
  return text;
}

/// The farthest that two lattices of one size put the same sample, in samples of the first.
double farthest_apart(const Volume& a, const Volume& b) {
  const Affined to_a = inverse(a.to_world);
  double most = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d p{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      p[axis] = (corner >> axis & 1) != 0 ? static_cast<double>(a.size[axis]) : 0;
    most = std::max(most, length(to_a.point(b.to_world.point(p)) - p));
  }
  return most;
}

/// Metres that labelled samples lie beyond the image.
double beyond(const LabelMap& map, const Volume& image) {
  const Affined to_image = inverse(image.to_world) * map.lattice().to_world;
  const Vec3d spacing = image.spacing();
  double most = 0;
  for (const Volume& layer : map.layers) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < layer.size[2]; ++k) {
      for (std::size_t j = 0; j < layer.size[1]; ++j) {
        for (std::size_t i = 0; i < layer.size[0]; ++i) {
          if (layer.samples[at++] == 0) continue;
          const Vec3d p = to_image.point({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const double last = static_cast<double>(image.size[axis]) - 1;
            most = std::max(most, std::max(-p[axis], p[axis] - last) * spacing[axis]);
          }
        }
      }
    }
  }
  return most;
}

/// All that is labelled as skin or bone.
Volume body_mask(const LabelMap& map, std::span<const LabelUse> uses, std::ptrdiff_t margin) {
  const Volume& lattice = map.lattice();
  Volume mask;
  mask.name = map.name;
  const auto more = static_cast<double>(margin);
  mask.to_world = lattice.to_world;
  mask.to_world.translation = lattice.to_world.point({-more, -more, -more});
  for (std::size_t axis = 0; axis < 3; ++axis)
    mask.size[axis] = lattice.size[axis] + 2 * static_cast<std::size_t>(margin);
  mask.samples.assign(mask.count(), 0);
  for (std::size_t layer = 0; layer < map.layers.size(); ++layer) {
    std::vector<char> counts(std::size_t{1} << 15, 0);
    for (std::size_t l = 0; l < map.labels.size(); ++l)
      if (map.labels[l].layer == layer && (uses[l].skin || !uses[l].bones.empty()))
        counts[static_cast<std::size_t>(map.labels[l].value)] = 1;
    std::size_t at = 0;
    for (std::size_t k = 0; k < lattice.size[2]; ++k) {
      for (std::size_t j = 0; j < lattice.size[1]; ++j) {
        const auto to = static_cast<std::size_t>(margin);
        std::int16_t* row = mask.samples.data() + mask.place(to, j + to, k + to);
        for (std::size_t i = 0; i < lattice.size[0]; ++i)
          if (counts[static_cast<std::size_t>(map.layers[layer].samples[at++])] != 0) row[i] = 1;
      }
    }
  }
  return mask;
}

/// Bones of another scan stick out of the skin.
Result<void> check_inside(const LabelMap& map, const LabelledParts& apart, const Mesh& skin, const Volume& image) {
  const Bvh surface(skin.positions, skin.triangles);
  double inside = 0, all = 0, least = 1;
  std::size_t worst = 0;
  for (std::size_t p = 0; p < apart.parts.parts.size(); ++p) {
    const BonePart& part = apart.parts.parts[p];
    const double share = share_in(surface, part.surface);
    inside += share * part.volume;
    all += part.volume;
    if (share >= least) continue;
    least = share;
    worst = p;
  }
  if (apart.parts.parts.empty() || (inside >= least_in_all * all && least >= least_in_piece)) return {};
  const auto percent = [](double x) { return std::to_string(std::lround(100 * x)) + " %"; };
  return Error{map.name,
               "does not fit " + image.name + ": " + percent(1 - inside / all) +
                   " of the bones lie outside the skin that the image shows, " +
                   map.labels[apart.label[worst]].title() + " by " + percent(1 - least),
               "give each scan its own labels; if these are its own, set the threshold of skin"};
}

}  // namespace

Result<void> check_lattices(const LabelMap& map, const Volume& image) {
  const Volume& labels = map.lattice();
  const std::string both = ": " + lattice_text(labels) + "; the image " + image.name + ": " + lattice_text(image);
  constexpr double same = 0.5;  // samples
  if (labels.size == image.size && farthest_apart(image, labels) > same)
    return Error{map.name, "has as many samples as its image, but they lie elsewhere" + both,
                 "copy spacing, origin and axes of the image into its header: the program that wrote it has lost them"};
  const double most = beyond(map, image);
  const Vec3d spacing = image.spacing();
  if (most <= 2 * std::max({spacing.x, spacing.y, spacing.z})) return {};
  char far[32];
  std::snprintf(far, sizeof far, "%.1f", most * 1000);
  return Error{map.name, "has labels up to " + std::string(far) + " mm beyond its image" + both,
               "give the labels of this image"};
}

Result<Surfaces> labelled_surfaces(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                                   const LabelledOptions& options, Warnings* warnings, const Progress& progress) {
  if (image != nullptr)
    if (auto fit = check_lattices(map, *image); !fit) return fit.error();
  LabelledOptions whole = options;
  whole.divide = false;
  auto apart = take_labels_apart(map, uses, image, whole, progress);
  if (!apart) return apart.error();
  const auto warn = [&](const std::string& text) {
    if (warnings != nullptr) warnings->push_back(map.name + ": " + text);
  };
  for (const std::size_t l : apart->empty) warn(map.labels[l].title() + " is empty");
  if (apart->parts.parts.empty())
    return Error{map.name, "all of its labels of bones are empty", "give the labels of this scan"};
  Surfaces result;
  result.bone = apart->parts.surface;
  for (const BonePart& part : apart->parts.parts)
    result.labelled.insert(result.labelled.end(), part.surface.positions.size(),
                           part.candidates.size() == 1 ? part.candidates.front() : TemplateBone::none);

  bool skin = false;
  for (std::size_t l = 0; l < map.labels.size(); ++l) {
    if (!uses[l].skin) continue;
    skin = skin || map.labels[l].samples > 0;
    if (map.labels[l].samples == 0) warn(map.labels[l].title() + " is empty");
  }
  if (!report(progress, "skin surface", 0.5)) return Error{map.name, "stopped on request", ""};
  if (skin) {
    const auto margin = static_cast<std::ptrdiff_t>(std::ceil(4 * options.blur)) + 2;
    result.skin = part_around(isosurface(blurred(body_mask(map, uses, margin), options.blur), {0.5, true}),
                              result.bone.positions);
    result.skin_border = near_border(result.skin.positions, image != nullptr ? *image : map.lattice());
  }
  if (image != nullptr) {
    const auto proposed = options.skin ? Result<double>(*options.skin) : propose_skin(*image);
    if (!proposed && !skin) return proposed.error();
    if (proposed) {
      Mesh seen = part_around(isosurface(blurred(*image, options.skin_blur), {*proposed, true}), result.bone.positions);
      if (auto fit = check_inside(map, *apart, seen, *image); !fit) return fit.error();
      if (!skin) {
        result.thresholds.skin = *proposed;
        result.changes.skin = change_at(*image, *proposed);
        result.skin = std::move(seen);
        result.skin_border = near_border(result.skin.positions, *image);
      }
    }
  }
  report(progress, "skin surface", 1);
  return result;
}

}  // namespace supple::scan
