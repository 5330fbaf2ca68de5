#include "supple/workflow/jobs/add_wrinkles.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/propose/build_wrinkle.h"
#include "supple/deform/skin.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/rig/bind_pose.h"
#include "supple/rig/find_part.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::workflow {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == by) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

template <class Number>
std::optional<Number> whole_text(const std::string& text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::uint32_t nearest_vertex(std::span<const Vec3f> positions, Vec3f place) {
  const auto closer = [&](Vec3f a, Vec3f b) { return squared_length(a - place) < squared_length(b - place); };
  return static_cast<std::uint32_t>(std::min_element(positions.begin(), positions.end(), closer) - positions.begin());
}

/// A vertex by its number, or the one that is nearest to a place.
std::optional<std::uint32_t> vertex_of(const std::string& text, std::span<const Vec3f> positions) {
  if (const auto number = whole_text<std::uint32_t>(text)) return number;
  const std::vector<std::string> words = split(text, ',');
  if (words.size() != 3) return std::nullopt;
  Vec3f place;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto coordinate = whole_text<float>(words[axis]);
    if (!coordinate || !std::isfinite(*coordinate)) return std::nullopt;
    place[axis] = *coordinate;
  }
  return nearest_vertex(positions, place);
}

Result<std::vector<std::uint32_t>> parse_strip(const std::string& text, std::span<const Vec3f> positions) {
  std::vector<std::uint32_t> strip;
  for (const std::string& word : split(text, '+')) {
    const auto vertex = vertex_of(word, positions);
    if (!vertex)
      return Error{"--strip " + text, "'" + word + "' is no vertex",
                   "write numbers or places: 12+480, 0,0.1,0+0,0.3,0"};
    strip.push_back(*vertex);
  }
  return strip;
}

/// `name`, or the first of "name 2", "name 3", ... that no wrinkle has.
std::string free_wrinkle_name(const Character& c, const std::string& name) {
  const auto taken = [&](const std::string& candidate) {
    return std::any_of(c.wrinkles.begin(), c.wrinkles.end(), [&](const Wrinkle& w) { return w.name == candidate; });
  };
  std::string result = name;
  for (int n = 2; taken(result); ++n) result = name + " " + std::to_string(n);
  return result;
}

/// `unit`: metres of one of the file's.
Result<void> add_strips(const AddWrinklesOptions& o, double unit, Character& c, std::span<const std::size_t> parts) {
  const double metres = unit * mesh_to_world(c, c.parts[parts[0]]);  // of one of the mesh
  const auto skin = Skin::make(c);
  if (!skin) return skin.error();
  for (const std::string& text : o.strips) {
    auto strip = parse_strip(text, skin->positions(parts[0]));
    if (!strip) return strip.error();
    WrinkleOptions options;
    options.name = free_wrinkle_name(c, o.name);
    options.strip = std::move(*strip);
    options.wavelength = o.wavelength / metres;
    options.width = o.width.value_or(1.5 * o.wavelength) / metres;
    options.height = o.height.value_or(0) / metres;
    if (auto ok = supple::add_wrinkle(c, parts, options); !ok)
      return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  }
  return {};
}

DeepestFold deepest_fold(const Character& c, const Wrinkle& wrinkle) {
  DeepestFold found;
  for (const Clip& clip : c.clips) {
    for (const Track& track : clip.tracks) {
      if (track.channel != Channel::morph_weights || wrinkle.weight < track.target ||
          wrinkle.weight >= track.target + track.width)
        continue;
      for (std::size_t i = wrinkle.weight - track.target; i < track.values.size(); i += track.width)
        if (track.values[i] > found.weight) found = {track.values[i], clip.name};
    }
  }
  return found;
}

}  // namespace

Result<AddedWrinkles> add_wrinkles(const AddWrinklesOptions& o, Work& work) {
  if (auto named = check_gltf_name(o.output); !named) return named.error();
  if (o.strips.empty()) return Error{"--strip", "is missing", "say where the folds lie: 12+480"};
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const double unit = settle_unit(*model, {}, work);
  Character& c = model->character();
  const auto part = find_part(c, o.part);
  if (!part) return Error{o.input + ", " + part.error().item, part.error().problem, part.error().remedy};
  gltf::give_meshes_of_their_own(model->document, model->imported);
  const auto parts = gltf::surfaces_of_mesh(model->imported, *part);
  if (!parts) return Error{o.input + ", " + parts.error().item, parts.error().problem, parts.error().remedy};
  if (parts->size() > 1)
    work.warnings.push_back("part '" + c.parts[*part].name + "': its mesh has " + std::to_string(parts->size()) +
                            " surfaces; only this one is folded, so borders that they share may open");
  const std::size_t first = c.wrinkles.size();
  if (auto ok = add_strips(o, unit, c, *parts); !ok) return ok.error();
  bake_drivers(c);
  if (auto put = gltf::put_morphs(model->document, model->imported, *parts); !put) return put.error();
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  AddedWrinkles added{{}, first, {}};
  for (std::size_t k = first; k < c.wrinkles.size(); ++k) {
    added.deepest.push_back(deepest_fold(c, c.wrinkles[k]));
    if (added.deepest.back().weight >= 1)
      work.warnings.push_back("wrinkle '" + c.wrinkles[k].name + "': cannot make up for all that clip '" +
                              added.deepest.back().clip + "' squeezes it; more --height can");
  }
  added.model = std::move(*model);
  return added;
}

}  // namespace supple::workflow
