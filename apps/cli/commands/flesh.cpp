// supple flesh: body parts that swing, proposed or as told, baked into every clip of a plain glTF file.
#include <fmt/core.h>

#include <cmath>

#include "cli/commands/commands.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/base/file.h"
#include "supple/deform/flesh/body.h"
#include "supple/files/engines.h"
#include "supple/files/flesh_recipe.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct FleshCommand {
  std::string input, output, recipe, save_recipe, preset;
  std::vector<std::string> elements;
  bool automatic = false, remove = false;
  std::optional<double> unit;
  std::size_t influences = 0;
  FleshPlayOptions play;
};

void declare(Command& app, FleshCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").type("FILE");
  app.flag("--auto", o.automatic, "Propose elements from skeleton and volumes; without -o the recipe is printed");
  app.option("--recipe", o.recipe, "Elements from this JSON file").existing_file().type("FILE");
  app.option(
         "--element", o.elements,
         "One element: name=belly,driver=hips,ends=spine+chest,preset=soft or any keys of a recipe; may be repeated")
      .one_each()
      .type("KEYS");
  app.option("--save-recipe", o.save_recipe, "Write the recipe here, to be edited").type("FILE");
  app.option("--preset", o.preset, "How all springs feel: firm, soft or jelly").type("NAME");
  app.option("--unit", o.unit, "Metres per unit of the file; 0.01 for centimetres").positive().type("M");
  app.option("--influences", o.influences, "Reduce vertices that then follow more joints than this")
      .range(2, 64)
      .type("N");
  app.flag("--remove", o.remove, "Take flesh out of the file");
  app.option("--rate", o.play.rate, "Keys a second that are baked (default: the clip's own)").positive().type("HZ");
  app.choice<Anchor>("--anchor", o.play.anchor, "How bones move between keys (default cubic)",
                     {{"linear", Anchor::linear}, {"cubic", Anchor::cubic}});
  app.choice<Loop>("--loop", o.play.loop, "Close cycles: auto (where a clip ends as it begins), on or off",
                   {{"auto", Loop::automatic}, {"on", Loop::on}, {"off", Loop::off}});
  app.option("--preroll", o.play.preroll, "Seconds that the first pose is held before a clip that does not loop")
      .range(0.0, 60.0)
      .show_default()
      .type("S");
}

Result<void> check(const FleshCommand& o) {
  const int sources = (o.automatic ? 1 : 0) + (o.recipe.empty() ? 0 : 1);
  if (o.remove) {
    if (sources > 0 || !o.elements.empty()) return Error{"--remove", "excludes --auto, --recipe and --element", ""};
    if (o.output.empty()) return Error{"--remove", "needs a file to write", "give -o FILE"};
    return {};
  }
  if (sources == 0 && o.elements.empty())
    return Error{"supple flesh", "is not told which elements", "give --auto, --recipe FILE or --element KEYS"};
  if (sources == 2) return Error{"--auto", "excludes --recipe", "use one, and --element for more"};
  if (o.output.empty() && o.save_recipe.empty() && !o.automatic)
    return Error{"supple flesh", "is not told where to write", "give -o FILE"};
  return {};
}

Result<FleshRecipe> recipe_of(const FleshCommand& o, const Character& character) {
  FleshRecipe recipe;
  if (!o.preset.empty()) {
    if (const auto known = spring_preset(o.preset); !known) return known.error();
  }
  if (o.automatic) {
    ProposalOptions options;
    if (!o.preset.empty()) options.preset = o.preset;
    options.unit = o.unit.value_or(1);
    auto proposed = propose_flesh(character, options);
    if (!proposed) return Error{o.input, proposed.error().problem, proposed.error().remedy};
    recipe = std::move(*proposed);
  } else if (!o.recipe.empty()) {
    auto read = read_flesh_recipe(o.recipe);
    if (!read) return read.error();
    recipe = std::move(*read);
  }
  for (const std::string& text : o.elements) {
    auto element = parse_flesh_element(text);
    if (!element) return element.error();
    recipe.elements.push_back(std::move(*element));
  }
  if (o.unit) recipe.unit = *o.unit;
  if (!o.preset.empty() && !o.automatic) {
    const SpringPreset preset = *spring_preset(o.preset);
    for (ElementRecipe& e : recipe.elements) e.springs.assign(1, {preset.frequency, preset.damping_ratio, {}, {}});
  }
  return recipe;
}

/// A character of other than human size is probably not in metres, and gravity would be off by as much.
void wonder_about_unit(const FleshRecipe& recipe, const FleshBody& body, Session& session) {
  const double size = double{bounds(body.positions).diagonal()};
  if (recipe.unit == 1 && size > 20)
    session.warnings.push_back(
        fmt::format("the character is {:.0f} m large; if its unit is the centimetre, give --unit 0.01 for the right "
                    "gravity and mass",
                    size));
}

/// What a clip's flesh does, for people and programs.
struct Played {
  std::string clip;
  double peak = 0;  // in the file's unit
  std::string element;
  bool loops = false;
  double rate = 0;
  std::size_t keys = 0;
};

Played summary(const Flesh& flesh, const Clip& clip, const FleshTake& take) {
  Played played{clip.name, 0, "", take.loops, 0, take.times.size()};
  if (clip.duration() > 0) played.rate = static_cast<double>(take.times.size() - 1) / double{clip.duration()};
  for (const auto& frame : take.motions) {
    for (std::size_t e = 0; e < frame.size(); ++e) {
      if (double{length(frame[e].shift)} <= played.peak) continue;
      played.peak = double{length(frame[e].shift)};
      played.element = flesh.elements[e].name;
    }
  }
  return played;
}

Result<std::vector<Played>> bake(Model& model, const FleshCommand& o, Session& session) {
  Character& c = model.character();
  std::vector<Played> all;
  for (Clip& clip : c.clips) {
    const bool moves = clip.duration() > 0;
    if (!moves) session.warnings.push_back("clip '" + clip.name + "' has a single frame: its flesh just hangs");
    const auto take = moves ? play_flesh(c, clip, o.play, &session.warnings) : still_take(c, clip);
    if (!take) return take.error();
    all.push_back(summary(c.flesh, clip, *take));
    put_take(c, *take, clip);
    if (!c.wrinkles.empty()) bake_drivers(c, clip);  // folds see the flesh
  }
  return all;
}

/// A twin is one more joint for a vertex. Many engines take four.
void fit_influences(const FleshCommand& o, Character& c, Session& session) {
  const std::size_t most = o.influences > 0 ? o.influences : 4;
  std::size_t over = 0;
  for (Part& part : c.parts) {
    for (std::size_t v = 0; part.skin && v < part.weights.vertices(); ++v)
      over += part.weights.of(v).size() > most ? 1 : 0;
    if (o.influences > 0) part.weights = top_influences(part.weights, o.influences);
  }
  if (over == 0) return;
  session.warnings.push_back(
      o.influences > 0
          ? fmt::format("{} vertices were reduced to {} joints: they follow bones and flesh a little less exactly",
                        over, most)
          : fmt::format(
                "{} vertices now follow more than four joints; engines that read only JOINTS_0 drop the weakest "
                "(give --influences 4 to have the file fit)",
                over));
}

/// Text in millimetres; numbers for programs are in the file's unit.
Outcome outcome_of(const FleshCommand& o, const Character& c, double unit, std::span<const FleshRegion> regions,
                   std::span<const Played> clips) {
  Outcome outcome;
  std::size_t twins = 0;
  for (const FleshElement& e : c.flesh.elements) twins += e.twins.size();
  outcome.text = fmt::format("{}: {} flesh elements, {} twin joints, {} clips baked\n", o.output, regions.size(), twins,
                             clips.size());
  outcome.text += fmt::format("  {:<24} {:>8} {:>8} {:>7} {:>7} {:>9}\n", "element", "vertices", "litres", "Hz",
                              "damping", "limit mm");
  outcome.json = {{"file", o.output}, {"twins", twins}, {"elements", Json::array()}, {"clips", Json::array()}};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const FleshElement& e = c.flesh.elements[i];
    const FleshSpring& s = e.springs[0];
    outcome.text +=
        fmt::format("  {:<24} {:>8} {:>8.2f} {:>7.2f} {:>7.2f} {:>9.1f}\n", e.name, regions[i].vertices,
                    regions[i].volume * 1000, s.frequency, s.damping_ratio, double{e.max_elongation} * unit * 1000);
    outcome.json["elements"].push_back({{"name", e.name},
                                        {"vertices", regions[i].vertices},
                                        {"volume", regions[i].volume},
                                        {"thickness", regions[i].thickness},
                                        {"mass", e.mass},
                                        {"frequency", s.frequency},
                                        {"damping_ratio", s.damping_ratio},
                                        {"max_elongation", e.max_elongation},
                                        {"twins", e.twins.size()}});
  }
  for (const Played& p : clips) {
    outcome.text += fmt::format("  clip {:<19} {} keys at {:.0f} Hz, {}, at most {:.1f} mm ({})\n", "'" + p.clip + "'",
                                p.keys, p.rate, p.loops ? "loops" : "does not loop", p.peak * unit * 1000, p.element);
    outcome.json["clips"].push_back({{"name", p.clip},
                                     {"keys", p.keys},
                                     {"rate", p.rate},
                                     {"loops", p.loops},
                                     {"peak", p.peak},
                                     {"element", p.element}});
  }
  return outcome;
}

/// A file with flesh becomes one without, so that recipes always start from the plain skin.
Result<void> take_out(Model& model, Session& session) {
  if (auto ok = gltf::take_out_flesh(model.document, model.imported, &session.warnings); !ok) return ok;
  auto imported = gltf::to_character(model.document);
  if (!imported) return imported.error();
  model.imported = std::move(*imported);
  return {};
}

Result<Outcome> run_remove(const FleshCommand& o, Model& model, Session& session) {
  if (model.character().flesh.empty()) return Error{o.input, "has no flesh", ""};
  const std::size_t elements = model.character().flesh.elements.size();
  if (auto ok = take_out(model, session); !ok) return ok.error();
  if (!model.character().wrinkles.empty()) {  // their folds saw the flesh
    bake_drivers(model.character());
    if (auto put = gltf::put_morphs(model.document, model.imported, {}); !put) return put.error();
  }
  if (auto saved = save_model(o.output, model, session); !saved) return saved.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} flesh elements taken out\n", o.output, elements);
  outcome.json = {{"file", o.output}, {"removed", elements}};
  return outcome;
}

Result<Outcome> run(const FleshCommand& o, Session& session) {
  if (auto ok = check(o); !ok) return ok.error();
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  if (o.remove) return run_remove(o, *model, session);
  if (!model->character().flesh.empty()) {
    if (auto ok = take_out(*model, session); !ok) return ok.error();
  }
  Character& c = model->character();
  const auto recipe = recipe_of(o, c);
  if (!recipe) return recipe.error();
  const auto body = FleshBody::of(c);
  if (!body) return body.error();
  wonder_about_unit(*recipe, *body, session);
  const std::string text = to_text(to_json(*recipe));
  if (!o.save_recipe.empty()) {
    if (auto saved = write_file(o.save_recipe, text); !saved) return saved.error();
  }
  if (o.output.empty()) {
    Outcome outcome;
    outcome.text =
        o.save_recipe.empty() ? text : fmt::format("{}: {} elements\n", o.save_recipe, recipe->elements.size());
    outcome.json = to_json(*recipe);
    return outcome;
  }
  const auto regions = attach_flesh(c, *recipe, &session.warnings);
  if (!regions) return Error{o.input + ", " + regions.error().item, regions.error().problem, regions.error().remedy};
  fit_influences(o, c, session);
  const auto clips = bake(*model, o, session);
  if (!clips) return clips.error();
  if (auto put = gltf::put_fleshed(model->document, model->imported, &session.warnings); !put) return put.error();
  if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  return outcome_of(o, c, recipe->unit, *regions, *clips);
}

}  // namespace

void add_flesh(Command& app, Session& session) {
  add_command<FleshCommand>(
      app, session, "flesh", "Make flesh trail behind the bones: springs, baked into every clip",
      "supple flesh body.glb --auto --preset soft -o soft.glb\n"
      "  supple flesh body.glb --auto --save-recipe body.json   (edit it, then)\n"
      "  supple flesh body.glb --recipe body.json -o soft.glb\n"
      "  supple flesh cat.glb --element name=belly,driver=hips,ends=chest,frequency=2.5 -o cat2.glb",
      declare, run);
}

}  // namespace supple::cli
