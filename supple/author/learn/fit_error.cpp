#include "supple/author/learn/fit_error.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/author/learn/settings.h"
#include "supple/base/parallel.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/skin.h"

namespace supple::learn {

/// Of a skin to an example: metres, radians.
struct Distances {
  double squared = 0, largest = 0, normals = 0;
  std::uint32_t vertex = 0;
  std::vector<float> each;  // #V
};

namespace {

/// Between unit vectors, by their chord.
double angle(Vec3f a, Vec3f b) { return 2 * std::asin(std::min(1.0, length(Vec3d(a) - Vec3d(b)) / 2)); }

Distances compare(const Skin& skin, std::size_t part, const ExampleSet& set, std::size_t example,
                  const std::vector<bool>& moved) {
  Distances result;
  const auto positions = set.positions_of(example), normals = set.normals_of(example);
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    const double d = squared_length(Vec3d(skin.positions(part)[v]) - Vec3d(positions[v]));
    result.squared += d;
    result.each.push_back(static_cast<float>(std::sqrt(d)));
    if (d > result.largest) result.largest = d, result.vertex = v;
    if (moved[v]) result.normals += angle(skin.normals(part)[v], normals[v]);
  }
  result.largest = std::sqrt(result.largest);
  return result;
}

PoseError error_of(std::size_t example, std::size_t moved, const Distances& own, const Distances& blend) {
  PoseError error{example,       moved,      own.squared, blend.squared, own.largest,
                  blend.largest, own.vertex, own.normals, blend.normals};
  for (std::uint32_t v = 0; v < own.each.size(); ++v)
    if (const double worse = double{own.each[v]} - double{blend.each[v]}; worse > error.worse)
      error.worse = worse, error.worse_vertex = v;
  return error;
}

std::vector<bool> moved_by(const Part& part, std::size_t first, std::size_t count) {
  std::vector<bool> moved(part.mesh.positions.size());
  for (std::size_t t = first; t < first + count; ++t)
    for (const std::uint32_t v : part.morphs[t].vertices) moved[v] = true;
  return moved;
}

}  // namespace

double PoseError::relative() const { return blend_squared > 0 ? std::sqrt(squared / blend_squared) : 0; }

std::vector<std::size_t> examples_of(const ExampleSet& set, Group group) {
  std::vector<std::size_t> all(set.size()), result;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Settings settings = settings_of(set, all);
  for (const std::size_t i : all) {
    if (!set.usable(i) || settings.moved[i].empty()) continue;
    const bool train = set.examples[i].role == Role::train;
    if (train != (group == Group::train)) continue;
    if (!train && (settings.moved[i].size() > 1) != (group == Group::held_out_several)) continue;
    result.push_back(i);
  }
  return result;
}

struct ErrorMeter::State {
  const Character& character;
  std::size_t part;
  const Attached& attached;
  const ExampleSet& set;
  std::vector<bool> moved;                      // #V, by the targets of `attached`
  std::optional<Skin> skin;                     // at rest; none where the character cannot be shown
  std::vector<std::optional<Distances>> blend;  // #examples of the set, of linear blend
  std::optional<Skin> input;                    // that is compared with, where it is another one
  std::vector<float> input_morphs;              // its morph weights at rest

  PoseError measure(Skin& own, std::optional<Skin>& compared, DriverLayer& drivers, std::size_t example,
                    std::size_t moved_joints, const std::vector<bool>& used);
};

ErrorMeter::ErrorMeter(const Character& character, std::size_t part, const Attached& attached, const ExampleSet& set,
                       const Character* input)
    : state_(new State{character, part, attached, set, {}, {}, {}, {}, {}}) {
  const Part& surface = character.parts[part];
  state_->moved = moved_by(surface, attached.first_weight - surface.first_morph_weight, attached.targets.size());
  state_->blend.resize(set.size());
  if (auto made = Skin::make(character, Blend::linear, Layers::as_given())) state_->skin = std::move(*made);
  if (input == nullptr) return;
  if (auto made = Skin::make(*input, Blend::linear, Layers::as_given())) state_->input = std::move(*made);
  state_->input_morphs = input->morph_weights;
}

ErrorMeter::~ErrorMeter() = default;

PoseError ErrorMeter::State::measure(Skin& own, std::optional<Skin>& compared, DriverLayer& drivers,
                                     std::size_t example, std::size_t moved_joints, const std::vector<bool>& used) {
  Pose pose = set.pose(example);
  if (!blend[example]) {
    Skin& shown = compared ? *compared : own;
    pose.morph_weights = compared ? input_morphs : character.morph_weights;
    static_cast<void>(shown.evaluate(pose, 1));
    blend[example] = compare(shown, part, set, example, moved);
  }
  pose.morph_weights = character.morph_weights;
  drivers.drive(pose);
  for (std::size_t t = 0; t < used.size(); ++t)
    if (!used[t]) pose.morph_weights[attached.first_weight + t] = character.morph_weights[attached.first_weight + t];
  static_cast<void>(own.evaluate(pose, 1));
  return error_of(example, moved_joints, compare(own, part, set, example, moved), *blend[example]);
}

std::vector<PoseError> ErrorMeter::measure(std::span<const std::size_t> examples, const std::vector<bool>& used) {
  std::vector<PoseError> errors(examples.size());
  if (!state_->skin) return errors;  // the character was valid before modes were attached to it
  const std::size_t chunk = std::max<std::size_t>(1, (examples.size() + 7) / 8);
  parallel_for(examples.size(), chunk, [&](std::size_t begin, std::size_t end) {
    std::optional<Skin> skin(*state_->skin), compared(state_->input);  // copies: tables are costly to build
    DriverLayer drivers(state_->character.drivers);
    const Settings settings = settings_of(state_->set, examples.subspan(begin, end - begin));
    for (std::size_t k = begin; k < end; ++k)
      errors[k] = state_->measure(*skin, compared, drivers, examples[k], settings.moved[k - begin].size(), used);
  });
  return errors;
}

std::vector<PoseError> measure_poses(const Character& character, std::size_t part, const Attached& attached,
                                     const ExampleSet& set, std::span<const std::size_t> examples,
                                     const std::vector<bool>& used, const Character* input) {
  return ErrorMeter(character, part, attached, set, input).measure(examples, used);
}

Result<std::vector<PoseError>> measure_live(const Character& character, std::size_t part, const ExampleSet& set,
                                            std::span<const std::size_t> examples, const Character* input) {
  auto live = Skin::make(character);
  if (!live) return live.error();
  const Character& compared = input != nullptr ? *input : character;
  auto blend = Skin::make(compared, Blend::linear, Layers::as_given());
  if (!blend) return blend.error();
  const std::vector<bool> everywhere(set.vertices(), true);
  const Settings settings = settings_of(set, examples);
  std::vector<PoseError> errors;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    Pose pose = set.pose(examples[k]);
    pose.morph_weights = compared.morph_weights;
    if (auto ok = blend->evaluate(pose); !ok) return ok.error();
    pose.morph_weights = character.morph_weights;
    if (auto ok = live->evaluate(pose); !ok) return ok.error();
    errors.push_back(error_of(examples[k], settings.moved[k].size(), compare(*live, part, set, examples[k], everywhere),
                              compare(*blend, part, set, examples[k], everywhere)));
  }
  return errors;
}

ErrorSummary summarize(std::span<const PoseError> errors, std::size_t vertices, std::size_t moved) {
  ErrorSummary s;
  s.examples = errors.size();
  constexpr double negligible = 1e-6, chance = 0.01;
  double squared = 0, blend_squared = 0, largest_blend = 0;
  for (const PoseError& e : errors) largest_blend = std::max(largest_blend, e.blend_squared);
  for (const PoseError& e : errors) {
    squared += e.squared;
    blend_squared += e.blend_squared;
    s.mean_relative += e.relative();
    // Where linear blend is as good as exact, nothing can be said about the rest.
    if (e.blend_squared > negligible * largest_blend) {
      if (e.relative() > s.worst_relative) s.worst_relative = e.relative(), s.worst_example = e.example;
      if (e.relative() > 1 + chance) ++s.worse_examples;
    }
    if (e.largest > s.largest) s.largest = e.largest, s.largest_example = e.example, s.largest_vertex = e.vertex;
    if (e.worse > s.worse) s.worse = e.worse, s.worse_example = e.example, s.worse_vertex = e.worse_vertex;
    s.normal += e.normal_sum;
    s.blend_normal += e.blend_normal_sum;
  }
  if (errors.empty()) return s;
  const auto count = static_cast<double>(errors.size());
  s.mean_relative /= count;
  s.relative = blend_squared > 0 ? std::sqrt(squared / blend_squared) : 0;
  s.rms = std::sqrt(squared / (count * static_cast<double>(vertices)));
  s.blend_rms = std::sqrt(blend_squared / (count * static_cast<double>(vertices)));
  s.normal = moved > 0 ? s.normal / (count * static_cast<double>(moved)) : 0;
  s.blend_normal = moved > 0 ? s.blend_normal / (count * static_cast<double>(moved)) : 0;
  return s;
}

std::size_t moved_vertices(const EigenSkin& skin, std::size_t vertices) {
  std::vector<bool> moved(vertices);
  for (const Correction& c : skin.corrections)
    if (c.kept + c.kept_normals > 0)
      for (const std::uint32_t v : c.support.vertices) moved[v] = true;
  return static_cast<std::size_t>(std::count(moved.begin(), moved.end(), true));
}

std::vector<bool> first_modes(const EigenSkin& skin, const Attached& attached, std::size_t modes, bool pairs) {
  std::vector<bool> used;
  for (const TargetSource& t : attached.targets)
    used.push_back(skin.corrections[t.correction].is_pair() ? pairs : t.mode < modes);
  return used;
}

}  // namespace supple::learn
