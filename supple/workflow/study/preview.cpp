#include "supple/workflow/study/preview.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "supple/base/file.h"
#include "supple/render/colour_map.h"
#include "supple/render/legend.h"
#include "supple/render/sheet.h"

namespace supple::workflow {
namespace {

/// A cut seen along one direction of the patient; the others run to the right and down.
struct Cut {
  const char* name;
  std::size_t right, down, through;  // x, y or z of the patient
  bool right_forward, down_forward;  // towards left, back, head
};
constexpr std::array<Cut, 3> cuts{
    {{"axial", 0, 1, 2, true, true}, {"coronal", 0, 2, 1, true, false}, {"sagittal", 1, 2, 0, true, false}}};

/// A slice of the lattice: sample (u, v) counted as the picture shows it.
class Plane {
 public:
  /// Through a sample of the lattice.
  Plane(const Volume& volume, const PatientAxes& axes, const Cut& cut, const std::array<std::size_t, 3>& through)
      : volume_(volume), cut_(cut) {
    right_ = axes.axis[cut.right];
    down_ = axes.axis[cut.down];
    through_ = axes.axis[cut.through];
    flip_right_ = axes.forward[cut.right] != cut.right_forward;
    flip_down_ = axes.forward[cut.down] != cut.down_forward;
    slice_ = through[through_];
  }
  std::size_t width() const { return volume_.size[right_]; }
  std::size_t height() const { return volume_.size[down_]; }
  Vec3d spacing() const { return {volume_.spacing()[right_], volume_.spacing()[down_], 0}; }
  std::string caption() const {
    return std::string(cut_.name) + ", slice " + std::to_string(slice_ + 1) + " of " +
           std::to_string(volume_.size[through_]);
  }
  /// Where (u, v) lies.
  Vec3d world(double u, double v) const {
    Vec3d place{};
    place[right_] = flip_right_ ? static_cast<double>(width()) - 1 - u : u;
    place[down_] = flip_down_ ? static_cast<double>(height()) - 1 - v : v;
    place[through_] = static_cast<double>(slice_);
    return volume_.to_world.point(place);
  }

  /// Linear between samples, (u, v) in samples from the top left one.
  double value(double u, double v) const {
    const auto u0 = static_cast<std::size_t>(std::clamp(u, 0.0, static_cast<double>(width() - 1)));
    const auto v0 = static_cast<std::size_t>(std::clamp(v, 0.0, static_cast<double>(height() - 1)));
    const std::size_t u1 = std::min(u0 + 1, width() - 1), v1 = std::min(v0 + 1, height() - 1);
    const double fu = std::clamp(u - static_cast<double>(u0), 0.0, 1.0);
    const double fv = std::clamp(v - static_cast<double>(v0), 0.0, 1.0);
    return (at(u0, v0) * (1 - fu) + at(u1, v0) * fu) * (1 - fv) + (at(u0, v1) * (1 - fu) + at(u1, v1) * fu) * fv;
  }

 private:
  double at(std::size_t u, std::size_t v) const {
    std::array<std::size_t, 3> place{};
    place[right_] = flip_right_ ? width() - 1 - u : u;
    place[down_] = flip_down_ ? height() - 1 - v : v;
    place[through_] = slice_;
    return volume_.value(place[0], place[1], place[2]);
  }

  const Volume& volume_;
  Cut cut_;
  std::size_t right_ = 0, down_ = 1, through_ = 2, slice_ = 0;
  bool flip_right_ = false, flip_down_ = false;
};

/// Labels as colours over a slice.
class LabelColours {
 public:
  LabelColours(const LabelMap& map, const std::vector<bool>& is_skin)
      : map_(map), to_sample_(inverse(map.lattice().to_world)), by_value_(map.layers.size()) {
    constexpr float over_bone = 0.6f, over_skin = 0.25f;
    for (std::size_t l = 0; l < map.labels.size(); ++l) {
      const Label& label = map.labels[l];
      const Vec3f linear = colour_of(label, l);
      by_value_[label.layer][label.value] = {render::to_rgba8(linear), is_skin[l] ? over_skin : over_bone};
      if (label.samples > 0) legend.entries.push_back({label.name.empty() ? label.title() : label.name, linear});
    }
  }
  void draw_over(render::Rgba8& pixel, Vec3d world) const {
    const Vec3d at = to_sample_.point(world);
    std::array<std::size_t, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double n = std::round(at[axis]);
      if (!(n >= 0 && n < static_cast<double>(map_.lattice().size[axis]))) return;
      place[axis] = static_cast<std::size_t>(n);
    }
    for (std::size_t layer = 0; layer < map_.layers.size(); ++layer) {
      const auto found =
          by_value_[layer].find(map_.layers[layer].samples[map_.lattice().place(place[0], place[1], place[2])]);
      if (found != by_value_[layer].end()) render::blend(pixel, found->second.colour, found->second.coverage);
    }
  }
  render::CategoryLegend legend{"labels", {}};

 private:
  struct Over {
    render::Rgba8 colour;
    float coverage = 0;
  };
  static Vec3f colour_of(const Label& label, std::size_t number) {
    if (!label.colour) return render::category_colour(number);
    const Vec3f c = *label.colour;
    return {render::from_srgb(c.x), render::from_srgb(c.y), render::from_srgb(c.z)};
  }
  const LabelMap& map_;
  Affined to_sample_;
  std::vector<std::map<std::int16_t, Over>> by_value_;  // #layers
};

render::Image draw(const Plane& plane, Window window, double metres_per_pixel, const LabelColours* labels) {
  const Vec3d spacing = plane.spacing();
  const auto pixels = [&](std::size_t samples, double step) {
    return static_cast<std::uint32_t>(
        std::max(1.0, std::round(static_cast<double>(samples) * step / metres_per_pixel)));
  };
  render::Image image({pixels(plane.width(), spacing.x), pixels(plane.height(), spacing.y)}, {});
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      const double u = (x + 0.5) * metres_per_pixel / spacing.x - 0.5,
                   v = (y + 0.5) * metres_per_pixel / spacing.y - 0.5;
      const double value = plane.value(u, v);
      const double grey = std::clamp((value - window.low) / (window.high - window.low), 0.0, 1.0);
      const auto level = static_cast<std::uint8_t>(std::lround(255 * grey));
      image.at(x, y) = {level, level, level};
      if (labels != nullptr) labels->draw_over(image.at(x, y), plane.world(u, v));
    }
  }
  return image;
}

}  // namespace

PatientAxes patient_axes(const Volume& volume) {
  // Of the six ways to name the axes, the one that fits best as a whole.
  std::array<std::size_t, 3> order{0, 1, 2};
  PatientAxes best;
  double best_fit = -1;
  const auto cosine = [&](std::size_t axis, std::size_t world) {
    return normalized(volume.to_world.linear[axis])[world];
  };
  do {
    double fit = 0, worst = 1;
    for (std::size_t world = 0; world < 3; ++world) {
      const double c = std::abs(cosine(order[world], world));
      fit += c;
      worst = std::min(worst, c);
    }
    if (fit <= best_fit) continue;
    best_fit = fit;
    best.axis = order;
    best.off_degrees = std::acos(std::min(worst, 1.0)) * 180 / std::numbers::pi;
  } while (std::next_permutation(order.begin(), order.end()));
  for (std::size_t world = 0; world < 3; ++world) best.forward[world] = cosine(best.axis[world], world) > 0;
  return best;
}

std::string axis_letters(const Volume& volume) {
  constexpr std::array<std::array<char, 2>, 3> letters{{{'R', 'L'}, {'A', 'P'}, {'I', 'S'}}};
  const PatientAxes axes = patient_axes(volume);
  std::string text(5, ' ');
  for (std::size_t world = 0; world < 3; ++world)
    text[2 * axes.axis[world]] = letters[world][axes.forward[world] ? 1 : 0];
  return text;
}

namespace {

/// The sample of `volume` in the middle of all that is labelled but skin.
std::array<std::size_t, 3> middle_of_labels(const Volume& volume, const LabelMap& map,
                                            const std::vector<bool>& is_skin) {
  Vec3d sum{};
  double count = 0;
  for (std::size_t layer = 0; layer < map.layers.size(); ++layer) {
    std::set<std::int16_t> bones;
    for (std::size_t l = 0; l < map.labels.size(); ++l)
      if (map.labels[l].layer == layer && !is_skin[l]) bones.insert(map.labels[l].value);
    const Volume& labels = map.layers[layer];
    for (std::size_t i = 0; i < labels.samples.size(); ++i) {
      if (labels.samples[i] == 0 || bones.count(labels.samples[i]) == 0) continue;
      sum += {static_cast<double>(i % labels.size[0]), static_cast<double>(i / labels.size[0] % labels.size[1]),
              static_cast<double>(i / (labels.size[0] * labels.size[1]))};
      ++count;
    }
  }
  std::array<std::size_t, 3> at{volume.size[0] / 2, volume.size[1] / 2, volume.size[2] / 2};
  if (count == 0) return at;
  const Vec3d middle = inverse(volume.to_world).point(map.lattice().to_world.point(sum / count));
  for (std::size_t axis = 0; axis < 3; ++axis)
    at[axis] =
        static_cast<std::size_t>(std::clamp(std::round(middle[axis]), 0.0, static_cast<double>(volume.size[axis] - 1)));
  return at;
}

Result<render::Image> draw_cuts(const Volume& volume, Window window, const std::string& title,
                                const std::array<std::size_t, 3>& through, const LabelColours* labels) {
  constexpr double largest = 480;  // pixels of the longest side
  const PatientAxes axes = patient_axes(volume);
  const Vec3d spacing = volume.spacing();
  double longest = 0;
  for (std::size_t i = 0; i < 3; ++i) longest = std::max(longest, static_cast<double>(volume.size[i]) * spacing[i]);
  std::vector<render::SheetCell> cells;
  for (const Cut& cut : cuts) {
    const Plane plane(volume, axes, cut, through);
    cells.push_back({draw(plane, window, longest / largest, labels), plane.caption()});
  }
  render::SheetOptions options;
  options.title = title;
  options.columns = cells.size();
  return render::contact_sheet(cells, options);
}

}  // namespace

Result<render::Image> draw_preview(const Volume& volume, Window window, const std::string& title) {
  return draw_cuts(volume, window, title, {volume.size[0] / 2, volume.size[1] / 2, volume.size[2] / 2}, nullptr);
}

Result<render::Image> draw_preview(const Volume& volume, Window window, const LabelMap& labels,
                                   const std::vector<bool>& is_skin, const std::string& title) {
  const LabelColours colours(labels, is_skin);
  auto sheet = draw_cuts(volume, window, title, middle_of_labels(volume, labels, is_skin), &colours);
  if (!sheet) return sheet.error();
  return render::with_legend(*sheet, colours.legend);
}

Result<void> check_preview(const std::string& file) {
  if (file.empty() || std::filesystem::path(file).extension() == ".png") return {};
  return Error{file, "is not a .png file", "pictures are written as PNG"};
}

Result<void> write_preview(const std::string& file, const Result<render::Image>& picture) {
  if (!picture) return picture.error();
  const auto png = render::encode_png(*picture);
  if (!png) return png.error();
  return write_file(file, *png);
}

}  // namespace supple::workflow
