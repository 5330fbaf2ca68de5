#include "supple/workflow/jobs/add_flesh.h"

#include <fmt/core.h>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/base/file.h"
#include "supple/deform/flesh/body.h"
#include "supple/files/flesh_recipe.h"
#include "supple/files/gltf/flesh.h"
#include "supple/files/gltf/take_out_deformers.h"
#include "supple/workflow/jobs/warn_about_unit.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

Result<void> check_flesh_options(const AddFleshOptions& o) {
  const int sources = (o.automatic ? 1 : 0) + (o.recipe.empty() ? 0 : 1);
  if (sources == 0 && o.elements.empty())
    return Error{"supple add flesh", "is not told which elements", "give --auto, --recipe FILE or --element KEYS"};
  if (sources == 2) return Error{"--auto", "excludes --recipe", "use one, and --element for more"};
  if (o.output.empty() && o.save_recipe.empty() && !o.automatic)
    return Error{"supple add flesh", "is not told where to write", "give -o FILE"};
  return o.output.empty() ? Result<void>() : check_gltf_name(o.output);
}

Result<FleshRecipe> flesh_recipe_for(const AddFleshOptions& o, const Character& character) {
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

PlayedFlesh flesh_figures(const Flesh& flesh, const Clip& clip, const FleshTake& take) {
  PlayedFlesh played{clip.name, 0, "", take.loops, 0, take.times.size()};
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

Result<std::vector<PlayedFlesh>> bake_into_clips(Character& c, const FleshPlayOptions& options, Work& work) {
  std::vector<PlayedFlesh> all;
  for (Clip& clip : c.clips) {
    const bool moves = clip.duration() > 0;
    if (!moves) work.warnings.push_back("clip '" + clip.name + "' has a single frame: its flesh just hangs");
    const auto take = moves ? play_flesh(c, clip, options, &work.warnings) : still_take(c, clip);
    if (!take) return take.error();
    all.push_back(flesh_figures(c.flesh, clip, *take));
    put_take(c, *take, clip);
    if (!c.wrinkles.empty()) bake_drivers(c, clip);  // folds see the flesh
  }
  return all;
}

std::size_t influences_of(const Character& c) {
  std::size_t most = 0;
  for (const Part& part : c.parts) most = std::max(most, part.weights.max_influences());
  return most;
}

}  // namespace

Result<AddedFlesh> add_flesh(const AddFleshOptions& o, Work& work) {
  if (auto ok = check_flesh_options(o); !ok) return ok.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const DeformerKind* const earlier = &flesh_kind;
  if (!model->character().flesh.empty())
    if (auto out = gltf::take_out_deformers(model->document, model->imported, std::span(&earlier, 1), &work.warnings);
        !out)
      return out.error();
  Character& c = model->character();
  auto recipe = flesh_recipe_for(o, c);
  if (!recipe) return recipe.error();
  const auto body = FleshBody::of(c);
  if (!body) return body.error();
  if (recipe->unit == 1) warn_about_unit(*body, "give --unit 0.01 for the right gravity and mass", work);
  if (!o.save_recipe.empty()) {
    if (auto saved = write_file(o.save_recipe, to_text(to_json(*recipe))); !saved) return saved.error();
  }
  AddedFlesh added{{}, std::move(*recipe), {}, {}, 0};
  if (!o.output.empty()) {
    const std::size_t before = influences_of(c);
    auto regions = attach_flesh(c, added.recipe, &work.warnings);
    if (!regions) return Error{o.input + ", " + regions.error().item, regions.error().problem, regions.error().remedy};
    added.regions = std::move(*regions);
    auto clips = bake_into_clips(c, o.play, work);
    if (!clips) return clips.error();
    // A twin is one more joint for a vertex, and many engines take four. What is given up is chosen by what moves.
    const std::size_t limit = o.influences.value_or(std::max<std::size_t>(4, before));
    if (limit > 0) warn_of_reduction(reduce_influences(c, limit), limit, c, work, added.recipe.unit);
    added.clips = std::move(*clips);
    if (auto put = gltf::put_fleshed(model->document, model->imported, &work.warnings); !put) return put.error();
    if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
    for (const FleshElement& e : c.flesh.elements) added.twins += e.twins.size();
  }
  added.model = std::move(*model);
  return added;
}

}  // namespace supple::workflow
