#include "supple/workflow/jobs/add_flesh.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/base/file.h"
#include "supple/files/carried_flesh_recipe.h"
#include "supple/files/flesh_recipe.h"
#include "supple/files/gltf/flesh.h"
#include "supple/files/gltf/take_out_deformers.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/unit.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

Result<void> check_flesh_options(const AddFleshOptions& o) {
  const int sources = (o.automatic ? 1 : 0) + (o.recipe.empty() ? 0 : 1);
  if (sources == 0 && o.elements.empty() && (o.save_recipe.empty() || !o.output.empty()))
    return Error{"supple add flesh", "is not told which elements", "give --auto, --recipe FILE or --element KEYS"};
  if (!o.has_source() && !o.preset.empty())
    return Error{"--preset", "is for elements that are added", "give --auto, --recipe FILE or --element KEYS"};
  if (sources == 2) return Error{"--auto", "excludes --recipe", "use one, and --element for more"};
  if (o.output.empty() && o.save_recipe.empty() && !o.automatic)
    return Error{"supple add flesh", "is not told where to write", "give -o FILE"};
  return o.output.empty() ? Result<void>() : check_gltf_name(o.output);
}

bool says_how_it_feels(const ElementRecipe& e) {
  return e.springs.size() != 1 || e.springs[0].frequency || e.springs[0].damping_ratio || e.springs[0].stiffness ||
         e.springs[0].damping;
}

/// --preset is for all springs. Elements that say themselves how they feel are told.
void use_preset(const SpringPreset& preset, FleshRecipe& recipe, Work& work) {
  std::string names;
  for (ElementRecipe& e : recipe.elements) {
    if (says_how_it_feels(e)) names += (names.empty() ? "'" : ", '") + e.name + "'";
    e.springs.assign(1, {preset.frequency, preset.damping_ratio, {}, {}});
  }
  if (!names.empty())
    work.warnings.push_back(
        fmt::format("--preset {} takes the place of the springs that the recipe has for {}", preset.name, names));
}

Result<FleshRecipe> flesh_recipe_for(const AddFleshOptions& o, double unit, const Character& character, Work& work) {
  FleshRecipe recipe;
  if (!o.preset.empty()) {
    if (const auto known = spring_preset(o.preset); !known) return known.error();
  }
  if (o.automatic) {
    ProposalOptions options;
    if (!o.preset.empty()) options.preset = o.preset;
    options.unit = unit;
    const auto told = hardness_of(character, o.hard, o.soft);
    if (!told) return told.error();
    options.hardness = *told;
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
  if (o.unit || recipe.unit == 1) recipe.unit = unit;
  recipe.hard.insert(recipe.hard.end(), o.hard.begin(), o.hard.end());
  recipe.soft.insert(recipe.soft.end(), o.soft.begin(), o.soft.end());
  if (!o.preset.empty() && !o.automatic) use_preset(*spring_preset(o.preset), recipe, work);
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

/// "run=on": which clips are cycles, whatever they look like.
Result<std::map<std::string, Loop>> clip_loops(const AddFleshOptions& o, const Character& c) {
  std::map<std::string, Loop> loops;
  for (const std::string& text : o.clip_loops) {
    const std::size_t sign = text.rfind('=');
    const std::string word = sign == std::string::npos ? "" : text.substr(sign + 1);
    if (word != "on" && word != "off" && word != "auto")
      return Error{"--clip-loop " + text, "does not say CLIP=on, CLIP=off or CLIP=auto",
                   "for example --clip-loop run=on"};
    const auto clip = find_clip(c, text.substr(0, sign));
    if (!clip) return clip.error();
    loops[(*clip)->name] = word == "on" ? Loop::on : word == "off" ? Loop::off : Loop::automatic;
  }
  return loops;
}

Result<std::vector<PlayedFlesh>> bake_into_clips(Character& c, const FleshPlayOptions& options,
                                                 const std::map<std::string, Loop>& loops, Work& work) {
  std::vector<PlayedFlesh> all;
  for (Clip& clip : c.clips) {
    const bool moves = clip.duration() > 0;
    if (!moves) work.warnings.push_back("clip '" + clip.name + "' has a single frame: its flesh just hangs");
    FleshPlayOptions own = options;
    if (const auto loop = loops.find(clip.name); loop != loops.end()) own.loop = loop->second;
    const auto take = moves ? play_flesh(c, clip, own, &work.warnings) : still_take(c, clip);
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

/// How much of every vertex each element carries along.
std::vector<std::map<std::pair<std::size_t, std::uint32_t>, float>> carried_weights(const Character& c) {
  std::vector<std::map<std::pair<std::size_t, std::uint32_t>, float>> weights(c.flesh.elements.size());
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (!c.parts[p].skin) continue;
    for (const FleshEntry& e : split_flesh(c, c.parts[p]).flesh) weights[e.element][{p, e.vertex}] += e.weight;
  }
  return weights;
}

/// A file does not keep how regions were chosen. Where the recipe makes others of them, that is told.
void warn_of_other_regions(const Character& carried, const FleshRecipe& recipe, Character plain, Work& work) {
  constexpr float noticed = 0.01f;  // of a whole: files round weights
  std::string names;
  if (const auto again = attach_flesh(plain, recipe)) {
    const auto before = carried_weights(carried), after = carried_weights(plain);
    for (std::size_t e = 0; e < before.size(); ++e) {
      bool same = true;
      for (const auto* one : {&before[e], &after[e]}) {
        const auto& other = one == &before[e] ? after[e] : before[e];
        for (const auto& [vertex, weight] : *one) {
          const auto found = other.find(vertex);
          same = same && std::abs(weight - (found == other.end() ? 0.0f : found->second)) <= noticed;
        }
      }
      if (!same) names += (names.empty() ? "'" : ", '") + recipe.elements[e].name + "'";
    }
  } else {
    names = again.error().message();
  }
  if (!names.empty())
    work.warnings.push_back(
        "a file keeps neither thickness, attenuation and vertices of flesh nor weights that were reduced: the recipe "
        "makes "
        "other regions for " +
        names);
}

/// Flesh that swings goes from one region to the next: that is what it is for.
constexpr double swinging_slack = 0.2;

constexpr const char* flesh_remedy = "give elements a smaller gain or max_elongation in a recipe";

/// Flesh on the plain character by the recipe, baked into its clips.
Result<void> put_flesh_on(const AddFleshOptions& o, const std::map<std::string, Loop>& loops, Character& c,
                          AddedFlesh& added, Work& work) {
  const std::size_t before = influences_of(c);
  auto regions = attach_flesh(c, added.recipe, &work.warnings);
  if (!regions) return Error{o.input + ", " + regions.error().item, regions.error().problem, regions.error().remedy};
  added.regions = std::move(*regions);
  auto clips = bake_into_clips(c, o.play, loops, work);
  if (!clips) return clips.error();
  // A twin is one more joint for a vertex, and many engines take four. What is given up is chosen by what moves.
  const std::size_t limit = o.influences.value_or(std::max<std::size_t>(4, before));
  if (limit > 0) warn_of_reduction(reduce_influences(c, limit), limit, c, work, added.recipe.unit);
  added.clips = std::move(*clips);
  return {};
}

/// Elements whose own skin is where it is worse with flesh than without.
std::vector<std::size_t> blamed_elements(const SkinComparison& c, const Character& fleshed) {
  const std::vector<JointIndex> worse = c.worse_joints();
  std::vector<std::size_t> elements;
  for (std::size_t e = 0; e < fleshed.flesh.elements.size(); ++e) {
    const std::vector<FleshTwin>& twins = fleshed.flesh.elements[e].twins;
    if (std::any_of(twins.begin(), twins.end(),
                    [&](const FleshTwin& t) { return std::binary_search(worse.begin(), worse.end(), t.bone); }))
      elements.push_back(e);
  }
  if (!elements.empty()) return elements;
  for (std::size_t e = 0; e < fleshed.flesh.elements.size(); ++e) elements.push_back(e);
  return elements;
}

/// Compares with the plain skin. Elements that were proposed here, and not told, go less far where they do harm: half
/// as far, and half of that, and again.
Result<void> judge_flesh(const AddFleshOptions& o, const std::map<std::string, Loop>& loops, const Character& plain,
                         Character& c, AddedFlesh& added, Work& work) {
  constexpr int most_rounds = 4;
  std::optional<SkinJudge> judge;
  std::vector<std::string> quieter;
  for (int round = 0; o.compare; ++round) {
    const auto poses = comparison_poses(plain, c);
    if (!poses) return poses.error();
    if (poses->moments.empty()) return {};
    if (!judge) {
      auto made = SkinJudge::make(plain, *poses, {.region_slack = swinging_slack}, work);
      if (!made) return made.error();
      judge.emplace(std::move(*made));
    }
    auto compared = judge->compare(c, *poses, work);
    if (!compared) return compared.error();
    added.compared = std::move(*compared);
    if (added.compared->worse().empty() || !o.automatic || round == most_rounds) break;
    for (const std::size_t e : blamed_elements(*added.compared, c)) {
      ElementRecipe& element = added.recipe.elements[e];
      element.gain /= 2;
      if (std::find(quieter.begin(), quieter.end(), element.name) == quieter.end()) quieter.push_back(element.name);
    }
    c = plain;
    Work again;  // what is to be said was said in the first round
    again.progress = work.progress;
    if (auto ok = put_flesh_on(o, loops, c, added, again); !ok) return ok;
  }
  std::string names;
  for (const std::string& name : quieter) names += (names.empty() ? "'" : ", '") + name + "'";
  if (!quieter.empty())
    added.mended.push_back("elements swing less far (gain) where the skin would cross itself or lose volume: " + names);
  if (added.compared) warn_of_worse(*added.compared, c.skeleton, flesh_kind.name, flesh_remedy, work);
  return {};
}

}  // namespace

Result<AddedFlesh> add_flesh(const AddFleshOptions& o, Work& work) {
  if (auto ok = check_flesh_options(o); !ok) return ok.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const double unit = settle_unit(*model, o.unit, work);
  std::optional<Character> carried;
  if (!o.has_source()) {
    if (model->character().flesh.empty())
      return Error{o.input, "has no flesh to write a recipe of", "give --auto, --recipe FILE or --element KEYS"};
    carried = model->character();
  }
  const DeformerKind* const earlier = &flesh_kind;
  if (!model->character().flesh.empty())
    if (auto out = gltf::take_out_deformers(model->document, model->imported, std::span(&earlier, 1), &work.warnings);
        !out)
      return out.error();
  Character& c = model->character();
  auto recipe = carried ? carried_flesh_recipe(*carried, unit) : flesh_recipe_for(o, unit, c, work);
  if (!recipe) return recipe.error();
  if (carried) warn_of_other_regions(*carried, *recipe, c, work);
  if (recipe->unit != unit) settle_unit(*model, recipe->unit, work);
  const auto loops = clip_loops(o, c);
  if (!loops) return loops.error();
  AddedFlesh added;
  added.recipe = std::move(*recipe);
  if (!o.output.empty()) {
    const Character plain = c;
    if (auto ok = put_flesh_on(o, *loops, c, added, work); !ok) return ok.error();
    if (auto ok = judge_flesh(o, *loops, plain, c, added, work); !ok) return ok.error();
    if (auto put = gltf::put_fleshed(model->document, model->imported, &work.warnings); !put) return put.error();
    if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
    for (const FleshElement& e : c.flesh.elements) added.twins += e.twins.size();
  }
  if (!o.save_recipe.empty()) {
    if (auto saved = write_file(o.save_recipe, to_text(to_json(added.recipe))); !saved) return saved.error();
  }
  added.model = std::move(*model);
  return added;
}

}  // namespace supple::workflow
