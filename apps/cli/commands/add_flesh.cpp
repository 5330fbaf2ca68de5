// supple add flesh: body parts that swing, proposed or as told, baked into every clip of a plain glTF file.
#include <fmt/core.h>

#include "cli/commands/add.h"
#include "supple/files/flesh_recipe.h"
#include "supple/workflow/jobs/add_flesh.h"

namespace supple::cli {
namespace {

void declare_flesh_options(Command& app, AddFleshOptions& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").type("FILE").writes_character();
  app.flag("--auto", o.automatic, "Propose elements from skeleton and volumes; without -o the recipe is printed");
  app.option("--recipe", o.recipe, "Elements from this JSON file").existing_file().type("FILE");
  app.option(
         "--element", o.elements,
         "One element: name=belly,driver=hips,ends=spine+chest,preset=soft or any keys of a recipe; may be repeated")
      .one_each()
      .type("KEYS");
  app.option("--save-recipe", o.save_recipe, "Write the recipe here, to be edited; with nothing else, that of the file")
      .type("FILE");
  app.option("--preset", o.preset, "How all springs feel").type("firm|soft|jelly");
  app.option("--unit", o.unit,
             "Metres per unit of the file; 0.01 for centimetres (default: as the file says, or by its size)")
      .positive()
      .type("M");
  app.option("--influences", o.influences,
             "Joints per vertex at most; 0: any number (default: 4, or as many as before where that is more)")
      .range(0, 64)
      .type("N");
  app.option("--rate", o.play.rate, "Keys a second that are baked (default: the clip's own)").positive().type("HZ");
  app.choice<Anchor>("--anchor", o.play.anchor, "How bones move between keys (default cubic)",
                     {{"linear", Anchor::linear}, {"cubic", Anchor::cubic}});
  app.choice<Loop>("--loop", o.play.loop, "Close cycles: auto (where a clip ends as it begins), on or off",
                   {{"auto", Loop::automatic}, {"on", Loop::on}, {"off", Loop::off}});
  app.option("--clip-loop", o.clip_loops, "The same of one clip: run=on, wave=off; may be repeated")
      .one_each()
      .type("CLIP=WORD");
  declare_hardness(app, o.hard, o.soft);
  declare_no_compare(app, o.compare);
  app.option("--preroll", o.play.preroll, "Seconds that the first pose is held before a clip that does not loop")
      .range(0.0, 60.0)
      .show_default()
      .type("S");
}

/// Text in millimetres; numbers for programs are in the file's unit.
Outcome outcome_of(const AddFleshOptions& o, const AddedFlesh& added) {
  Outcome outcome;
  const Character& c = added.model.character();
  const std::vector<FleshRegion>& regions = added.regions;
  const double unit = added.recipe.unit;
  outcome.text = fmt::format("{}: {} flesh elements, {} twin joints, {} clips baked\n", o.output, regions.size(),
                             added.twins, added.clips.size());
  outcome.text += fmt::format("  {:<24} {:>8} {:>8} {:>7} {:>7} {:>9}\n", "element", "vertices", "litres", "Hz",
                              "damping", "limit mm");
  outcome.json = {{"file", o.output}, {"twins", added.twins}, {"elements", Json::array()}, {"clips", Json::array()}};
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
  for (const PlayedFlesh& p : added.clips) {
    outcome.text += fmt::format("  clip {:<19} {} keys at {:.0f} Hz, {}, at most {:.1f} mm ({})\n", "'" + p.clip + "'",
                                p.keys, p.rate, p.loops ? "loops" : "does not loop", p.peak * unit * 1000, p.element);
    outcome.json["clips"].push_back({{"name", p.clip},
                                     {"keys", p.keys},
                                     {"rate", p.rate},
                                     {"loops", p.loops},
                                     {"peak", p.peak},
                                     {"element", p.element}});
  }
  tell_comparison(added.compared, c.skeleton, outcome);
  tell_mended(added.mended, outcome);
  return outcome;
}

Outcome recipe_outcome(const AddFleshOptions& o, const FleshRecipe& recipe) {
  Outcome outcome;
  outcome.json = to_json(recipe);
  outcome.text = o.save_recipe.empty() ? to_text(outcome.json)
                                       : fmt::format("{}: {} elements\n", o.save_recipe, recipe.elements.size());
  return outcome;
}

Result<Outcome> run_add_flesh(const AddFleshOptions& o, Session& session) {
  const auto added = workflow::add_flesh(o, session);
  if (!added) return added.error();
  return o.output.empty() ? recipe_outcome(o, added->recipe) : outcome_of(o, *added);
}

}  // namespace

void declare_add_flesh(Command& add, Session& session) {
  add_command<AddFleshOptions>(
      add, session, "flesh", "Make flesh trail behind the bones: springs, baked into every clip",
      "supple add flesh body.glb --auto --preset soft -o soft.glb\n"
      "  supple add flesh body.glb --auto --save-recipe body.json   (edit it, then)\n"
      "  supple add flesh body.glb --recipe body.json -o soft.glb\n"
      "  supple add flesh cat.glb --element name=belly,driver=hips,ends=chest,frequency=2.5 -o cat2.glb",
      declare_flesh_options, run_add_flesh);
}

}  // namespace supple::cli
