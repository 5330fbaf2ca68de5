#include "supple/workflow/jobs/fit/prepare.h"

#include <algorithm>
#include <sstream>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/learn/refine_weights.h"
#include "supple/files/example_set_file.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/deformers.h"
#include "supple/rig/find_part.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/warn_of_reduction.h"

namespace supple::workflow {
namespace {

/// Surfaces that are primitives of the part's mesh, itself first.
Result<std::vector<std::size_t>> surfaces_of_mesh(const Model& model, std::size_t part, Warnings& warnings) {
  auto parts = gltf::surfaces_of_mesh(model.imported, part);
  if (parts && parts->size() > 1)
    warnings.push_back("part '" + model.character().parts[part].name + "': its mesh has " +
                       std::to_string(parts->size()) +
                       " surfaces; only this one is corrected, so borders that they share may open");
  return parts;
}

/// Training needs the weights that the engine will use.
void limit_influences(Model& model, std::size_t part, const Engine* engine, Work& work) {
  const Part& surface = model.character().parts[part];
  if (engine == nullptr || !engine->influences) return;
  const std::size_t most = engine->influences->most;
  if (surface.weights.max_influences() <= most) return;
  work.warnings.push_back("skin weights were reduced to " + std::to_string(most) + " joints per vertex for " +
                          std::string(engine->name) + ": " + engine->influences->reason);
  const ReducedInfluences reduced = reduce_influences(model.character(), most, part);
  warn_of_reduction(reduced, most, model.character(), work);
}

/// Takes out what the examples show already. What was learnt of other meshes stays.
void replace_learnt(Character& character, std::size_t part, const std::string& file, Work& work) {
  const Part& fitted = character.parts[part];
  const auto is_own = [&](const MovedWeights& m) {
    return m.first >= fitted.first_morph_weight && m.first < fitted.first_morph_weight + fitted.morphs.size();
  };
  for (const DeformerKind* kind : deformers()) {
    if (!kind->learnt || kind->count(character) == 0) continue;
    if (kind->moved != nullptr && std::ranges::none_of(kind->moved(character), is_own)) continue;
    work.warnings.push_back(file + ": has " + kind->name + "; what is learnt takes the place of that");
    if (kind->moved == nullptr) kind->clear(character);
  }
  remove_driven_morphs(character, part);
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
  if (auto ok = validate(fit.set); !ok) return in_examples(ok.error());
  fit.set_bytes = (fit.set.positions.size() + fit.set.normals.size()) * sizeof(Vec3f);
  auto model = load_model(o.model, work);
  if (!model) return model.error();
  fit.model = std::move(*model);
  Character& character = fit.model.character();
  const auto part = find_part(fit.model.character(), o.part.empty() ? fit.set.part : o.part);
  if (!part) return Error{o.model + ", " + part.error().item, part.error().problem, part.error().remedy};
  fit.part = *part;
  replace_learnt(character, fit.part, o.model, work);
  if (!o.is_of_modes() && character.pose_space)
    return Error{
        o.model,
        "has a pose space of part '" + character.parts[character.pose_space->part].name + "', and a file holds one",
        "fit with --method kernel, or take it out: supple remove pose-space"};
  if (auto ok = check_matches(fit.set, fit.model.character(), fit.part); !ok) return in_examples(ok.error());
  auto parts = surfaces_of_mesh(fit.model, fit.part, work.warnings);
  if (!parts) return parts.error();
  fit.parts = std::move(*parts);
  auto stills = named_poses(o, fit.model.character());
  if (!stills) return stills.error();
  fit.stills = std::move(*stills);
  limit_influences(fit.model, fit.part, engine_of(o), work);
  fit.input = fit.model.character();
  return {};
}

Result<void> refine_weights(Fit& fit, const FitOptions& o, Work& work) {
  if (!o.refine_weights) return {};
  const auto refined = learn::refine_weights(fit.set, fit.model.character(), fit.part, work.progress);
  if (!refined) return refined.error();
  fit.refined_from = refined->rms_before;
  fit.refined_to = refined->rms_after;
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

}  // namespace supple::workflow
