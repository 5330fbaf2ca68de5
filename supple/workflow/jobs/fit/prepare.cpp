#include "supple/workflow/jobs/fit/prepare.h"

#include <algorithm>
#include <sstream>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/learn/refine_weights.h"
#include "supple/files/example_set_file.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/deformers.h"
#include "supple/workflow/jobs/fit/learnt_parts.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

/// Training needs the weights that the engine will use.
void limit_influences(Model& model, std::span<const std::size_t> parts, const Engine* engine, Work& work) {
  if (engine == nullptr || !engine->influences) return;
  const std::size_t most = engine->influences->most;
  bool told = false;
  for (const std::size_t part : parts) {
    if (model.character().parts[part].weights.max_influences() <= most) continue;
    if (!told)
      work.warnings.push_back("skin weights were reduced to " + std::to_string(most) + " joints per vertex for " +
                              std::string(engine->name) + ": " + engine->influences->reason);
    told = true;
    const ReducedInfluences reduced = reduce_influences(model.character(), most, part);
    warn_of_reduction(reduced, most, model.character(), work);
  }
}

/// Takes out what the examples show already. What was learnt of other meshes stays.
void replace_learnt(Character& character, std::span<const std::size_t> parts, const std::string& file, Work& work) {
  const auto is_own = [&](const MovedWeights& m) {
    return std::ranges::any_of(parts, [&](std::size_t p) {
      const Part& fitted = character.parts[p];
      return m.first >= fitted.first_morph_weight && m.first < fitted.first_morph_weight + fitted.morphs.size();
    });
  };
  for (const DeformerKind* kind : deformers()) {
    if (!kind->learnt || kind->count(character) == 0) continue;
    if (kind->moved != nullptr && std::ranges::none_of(kind->moved(character), is_own)) continue;
    work.warnings.push_back(file + ": has " + kind->name + "; what is learnt takes the place of that");
    if (kind->moved == nullptr) kind->clear(character);
  }
  for (const std::size_t p : parts) remove_driven_morphs(character, p);
}

Result<std::vector<std::pair<std::string, Pose>>> named_poses(const FitOptions& o, const Character& character) {
  std::vector<std::pair<std::string, Pose>> result;
  for (const std::string& text : o.poses) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{"--pose " + text, "does not say what to call the pose", "write NAME=JOINT.DOF=ANGLE"};
    if (character.find_clip(text.substr(0, equals)) != nullptr)
      return Error{"--pose " + text, "has the name of a clip of the file", "choose another name"};
    Pose pose = character.rest();
    std::istringstream turns(text.substr(equals + 1));
    for (std::string turn; std::getline(turns, turn, ',');) {
      if (auto ok = apply_turn(pose, character.skeleton, turn); !ok) return ok.error();
    }
    result.emplace_back(text.substr(0, equals), std::move(pose));
  }
  return result;
}

}  // namespace

const supple::Engine* engine_of(const FitOptions& o) {
  for (const Engine& e : engines())
    if (e.option == o.engine) return &e;
  return nullptr;
}

Result<void> prepare(Fit& fit, const FitOptions& o, Work& work) {
  auto set = load_examples(o.examples);
  if (!set) return set.error();
  fit.set = std::move(*set);
  const auto in_examples = [&](const Error& e) { return Error{o.examples + ", " + e.item, e.problem, e.remedy}; };
  const auto in_model = [&](const Error& e) { return Error{o.model + ", " + e.item, e.problem, e.remedy}; };
  if (auto ok = validate(fit.set); !ok) return in_examples(ok.error());
  auto model = load_model(o.model, work);
  if (!model) return model.error();
  fit.model = std::move(*model);
  gltf::give_meshes_of_their_own(fit.model.document, fit.model.imported);
  Character& character = fit.model.character();
  auto chosen = choose_learnt_parts(fit.set, character, o);
  if (!chosen) return in_model(chosen.error());
  fit.parts = chosen->parts();
  replace_learnt(character, fit.parts, o.model, work);
  if (!o.is_of_modes() && character.pose_space)
    return Error{
        o.model,
        "has a pose space of part '" + character.parts[character.pose_space->part].name + "', and a file holds one",
        "fit with --method kernel, or take it out: supple remove pose-space"};
  if (auto ok = check_matches(fit.set, character, chosen->shown); !ok) return in_examples(ok.error());
  auto meshes = meshes_of(fit.model, fit.parts);
  if (!meshes) return meshes.error();
  fit.meshes = std::move(*meshes);
  warn_of_left_parts(character, *chosen, o, work);
  auto stills = named_poses(o, character);
  if (!stills) return stills.error();
  fit.stills = std::move(*stills);
  limit_influences(fit.model, fit.parts, engine_of(o), work);
  fit.before = character;
  if (fit.parts.size() == 1) {
    fit.part = fit.parts[0];
    fit.input = character;
    if (chosen->shown.size() > 1) fit.set = examples_of_one(fit.set, *chosen);
  } else {
    fit.merged = merge_parts(character, fit.parts, Seams::merged);
    fit.part = 0;
    fit.input = fit.merged->character;
    fit.set = merged_examples(fit.set, *chosen, *fit.merged);
  }
  fit.set_bytes = (fit.set.positions.size() + fit.set.normals.size()) * sizeof(Vec3f);
  return {};
}

Result<void> refine_weights(Fit& fit, const FitOptions& o, Work& work) {
  fit.original = fit.input;
  if (!o.refine_weights) return {};
  const auto refined = learn::refine_weights(fit.set, fit.original, fit.part, work.progress);
  if (!refined) return refined.error();
  fit.refined_from = refined->rms_before;
  fit.refined_to = refined->rms_after;
  if (fit.merged) {
    put_merged_weights(*fit.merged, fit.original, fit.model.character());
  } else {
    fit.model.character().parts[fit.part].weights = fit.original.parts[fit.part].weights;
  }
  return {};
}

void bake(Fit& fit) {
  Character& character = fit.model.character();
  for (const auto& [name, pose] : fit.stills) {
    Pose still = pose;
    still.morph_weights = character.morph_weights;
    character.clips.push_back(snapshot_clip(character, still, name));
  }
  bake_drivers(character);
}

std::vector<std::size_t> all_surfaces(const Fit& fit) {
  std::vector<std::size_t> parts;
  for (const auto& mesh : fit.meshes) parts.insert(parts.end(), mesh.begin(), mesh.end());
  return parts;
}

}  // namespace supple::workflow
