// supple wrinkle: folds where the skin is squeezed, as morph targets with weights baked into every clip.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/commands/commands.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/author/propose/build_wrinkle.h"
#include "supple/deform/skin.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/rig/example_set.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct WrinkleCommand {
  std::string input, output, part, name = "wrinkle";
  std::vector<std::string> strips;
  double wavelength = 0.02;
  std::optional<double> width, height;
};

void declare(Command& app, WrinkleCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE");
  app.option("--strip", o.strips,
             "Where the folds lie one behind the other: vertices joined by +, as numbers or as places x,y,z in the "
             "rest pose; may be repeated")
      .required()
      .one_each()
      .type("V+V");
  app.option("--wavelength", o.wavelength, "From crest to crest, three edges of the mesh or more")
      .show_default()
      .type("M");
  app.option("--width", o.width, "Of the folds to either side of the strip (default: 1.5 wavelengths)").type("M");
  app.option("--height", o.height,
             "Of the highest crests (default: a quarter of the wavelength, which makes up for a third of the length)")
      .type("M");
  app.option("--name", o.name, "Of the morph targets; those after the first are numbered").show_default().type("NAME");
  app.option("--part", o.part, "Part to fold (default: the first skinned one)").type("NAME");
}

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
std::string free_name(const Character& c, const std::string& name) {
  const auto taken = [&](const std::string& candidate) {
    return std::any_of(c.wrinkles.begin(), c.wrinkles.end(), [&](const Wrinkle& w) { return w.name == candidate; });
  };
  std::string result = name;
  for (int n = 2; taken(result); ++n) result = name + " " + std::to_string(n);
  return result;
}

Result<void> add_wrinkles(const WrinkleCommand& o, Character& c, std::span<const std::size_t> parts) {
  const auto skin = Skin::make(c);
  if (!skin) return skin.error();
  for (const std::string& text : o.strips) {
    auto strip = parse_strip(text, skin->positions(parts[0]));
    if (!strip) return strip.error();
    WrinkleOptions options;
    options.name = free_name(c, o.name);
    options.strip = std::move(*strip);
    options.wavelength = o.wavelength;
    options.width = o.width.value_or(1.5 * o.wavelength);
    options.height = o.height.value_or(0);
    if (auto ok = supple::add_wrinkle(c, parts, options); !ok)
      return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  }
  return {};
}

/// The largest weight that the clips give a wrinkle; 0 where none squeezes it.
struct Deepest {
  float weight = 0;
  std::string clip;
};

Deepest deepest(const Character& c, const Wrinkle& wrinkle) {
  Deepest found;
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

Outcome outcome_of(const WrinkleCommand& o, const Character& c, std::size_t had, Session& session) {
  Outcome outcome;
  outcome.text = fmt::format("{}: {} wrinkles, {} clips\n", o.output, c.wrinkles.size() - had, c.clips.size());
  outcome.json = {{"file", o.output}, {"wrinkles", Json::array()}};
  for (std::size_t k = had; k < c.wrinkles.size(); ++k) {
    const Wrinkle& w = c.wrinkles[k];
    const Deepest most = deepest(c, w);
    outcome.text += fmt::format("  {:<24} {} vertices, {:.1f} mm; ", "'" + w.name + "'", w.strip.size(),
                                double{w.rest_length} * 1000);
    outcome.text += most.weight > 0
                        ? fmt::format("at most {:.2f} of its height, in clip '{}'\n", most.weight, most.clip)
                        : "flat in every clip\n";
    if (most.weight >= 1)
      session.warnings.push_back("wrinkle '" + w.name + "': cannot make up for all that clip '" + most.clip +
                                 "' squeezes it; more --height can");
    outcome.json["wrinkles"].push_back({{"name", w.name},
                                        {"part", c.parts[w.part].name},
                                        {"target", w.weight - c.parts[w.part].first_morph_weight},
                                        {"strip", w.strip},
                                        {"rest_length", w.rest_length},
                                        {"most", most.weight},
                                        {"clip", most.clip}});
  }
  return outcome;
}

Result<Outcome> run(const WrinkleCommand& o, Session& session) {
  if (!o.output.ends_with(".glb") && !o.output.ends_with(".gltf"))
    return Error{o.output, "is no glTF file name", "write .glb or .gltf"};
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  Character& c = model->character();
  const auto part = find_part(c, o.part);
  if (!part) return Error{o.input + ", " + part.error().item, part.error().problem, part.error().remedy};
  const auto parts = gltf::surfaces_of_mesh(model->imported, *part);
  if (!parts) return Error{o.input + ", " + parts.error().item, parts.error().problem, parts.error().remedy};
  if (parts->size() > 1)
    session.warnings.push_back("part '" + c.parts[*part].name + "': its mesh has " + std::to_string(parts->size()) +
                               " surfaces; only this one is folded, so borders that they share may open");
  const std::size_t had = c.wrinkles.size();
  if (auto ok = add_wrinkles(o, c, *parts); !ok) return ok.error();
  bake_drivers(c);
  if (auto put = gltf::put_morphs(model->document, model->imported, *parts); !put) return put.error();
  if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  return outcome_of(o, c, had, session);
}

}  // namespace

void add_wrinkle(Command& app, Session& session) {
  add_command<WrinkleCommand>(app, session, "wrinkle", "Fold the skin where it is squeezed, in every clip",
                              "supple make limb --vertices 20000 -o limb.glb\n"
                              "  supple wrinkle limb.glb --strip 0,0.1,0.05+0,0.3,0.05 --wavelength 0.02 -o folds.glb",
                              declare, run);
}

}  // namespace supple::cli
