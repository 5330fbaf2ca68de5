// supple add wrinkles: folds where the skin is squeezed, as morph targets with weights baked into every clip.
#include <fmt/core.h>

#include "cli/commands/add.h"
#include "supple/workflow/jobs/add_wrinkles.h"

namespace supple::cli {
namespace {

void declare_wrinkles_options(Command& app, AddWrinklesOptions& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE").writes_character();
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

Result<Outcome> run_add_wrinkles(const AddWrinklesOptions& o, Session& session) {
  const auto added = workflow::add_wrinkles(o, session);
  if (!added) return added.error();
  const Character& c = added->model.character();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} wrinkles, {} clips\n", o.output, added->deepest.size(), c.clips.size());
  outcome.json = {{"file", o.output}, {"wrinkles", Json::array()}};
  for (std::size_t k = 0; k < added->deepest.size(); ++k) {
    const Wrinkle& w = c.wrinkles[added->first + k];
    const DeepestFold& most = added->deepest[k];
    outcome.text += fmt::format("  {:<24} {} vertices, {:.1f} mm; ", "'" + w.name + "'", w.strip.size(),
                                double{w.rest_length} * 1000 * c.unit.value_or(1));
    outcome.text += most.weight > 0
                        ? fmt::format("at most {:.2f} of its height, in clip '{}'\n", most.weight, most.clip)
                        : "flat in every clip\n";
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

}  // namespace

void declare_add_wrinkles(Command& add, Session& session) {
  add_command<AddWrinklesOptions>(
      add, session, "wrinkles", "Fold the skin where it is squeezed, in every clip",
      "supple make limb --vertices 20000 -o limb.glb\n"
      "  supple add wrinkles limb.glb --strip 0,0.1,0.05+0,0.3,0.05 --wavelength 0.02 -o folds.glb",
      declare_wrinkles_options, run_add_wrinkles);
}

}  // namespace supple::cli
