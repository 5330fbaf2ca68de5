#include "supple/workflow/jobs/fit/learnt_parts.h"

#include <algorithm>
#include <numeric>

#include "supple/files/gltf/edit_morphs.h"
#include "supple/rig/example_set.h"

namespace supple::workflow {
namespace {

std::string quoted_names(const Character& character, std::span<const std::size_t> parts) {
  std::string names;
  for (const std::size_t p : parts) names += (names.empty() ? "'" : ", '") + character.parts[p].name + "'";
  return names;
}

/// By the joint and the inverse bind matrix that a skin has them with.
std::optional<std::uint32_t> place_in(const SkinBinding& skin, const SkinBinding& from, std::uint32_t place) {
  for (std::uint32_t k = 0; k < skin.joints.size(); ++k)
    if (skin.joints[k] == from.joints[place] && skin.inverse_bind[k] == from.inverse_bind[place]) return k;
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> LearntParts::parts() const {
  std::vector<std::size_t> result;
  for (const std::size_t place : places) result.push_back(shown[place]);
  return result;
}

std::vector<std::uint32_t> LearntParts::vertices(const ExampleSet& set, std::size_t place) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < place; ++i) first += set.parts[i].vertices;
  std::vector<std::uint32_t> result(set.parts[place].vertices);
  std::iota(result.begin(), result.end(), static_cast<std::uint32_t>(first));
  return result;
}

Result<LearntParts> choose_learnt_parts(const ExampleSet& set, const Character& character, const FitOptions& o) {
  if (set.parts.empty()) {
    const auto part = find_part(character, o.part.empty() ? set.part : o.part);
    if (!part) return part.error();
    return LearntParts{{*part}, {0}};
  }
  auto shown = parts_of(set, character);
  if (!shown) return shown.error();
  LearntParts learnt{std::move(*shown), {}};
  std::vector<std::size_t> wanted = learnt.shown;
  if (!o.part.empty()) {
    auto named = find_parts(character, o.part);
    if (!named) return named.error();
    wanted = std::move(*named);
  }
  for (std::size_t i = 0; i < learnt.shown.size(); ++i)
    if (std::ranges::find(wanted, learnt.shown[i]) != wanted.end()) learnt.places.push_back(i);
  if (learnt.places.empty())
    return Error{"--part " + o.part, "has no shapes in the examples", "they show " + set.part_names()};
  if (!o.is_of_modes() && learnt.places.size() > 1)
    return Error{"--method " + std::string(o.method == FitMethod::psd ? "psd" : "wpsd"),
                 "learns one part, and the examples show " + set.part_names(),
                 "name one with --part, or use --method kernel, which learns all of them"};
  for (const std::size_t p : learnt.parts())
    if (!character.parts[p].skin)
      return Error{"part '" + character.parts[p].name + "'", "is not bound to joints",
                   "supple bind gives it skin weights"};
  return learnt;
}

Result<std::vector<std::vector<std::size_t>>> meshes_of(const Model& model, std::span<const std::size_t> parts) {
  std::vector<std::vector<std::size_t>> meshes;
  for (const std::size_t p : parts) {
    if (std::ranges::any_of(meshes, [&](const auto& mesh) { return std::ranges::find(mesh, p) != mesh.end(); }))
      continue;
    auto surfaces = gltf::surfaces_of_mesh(model.imported, p);
    if (!surfaces) return surfaces.error();
    meshes.push_back(std::move(*surfaces));
  }
  return meshes;
}

void warn_of_left_parts(const Character& character, const LearntParts& learnt, const FitOptions& o, Work& work) {
  const std::vector<std::size_t> parts = learnt.parts();
  std::vector<std::size_t> left = skinned_parts(character);
  std::erase_if(left, [&](std::size_t p) { return std::ranges::find(parts, p) != parts.end(); });
  const std::vector<std::size_t> bordering = bordering_parts(character, parts, left);
  std::erase_if(left, [&](std::size_t p) {
    return is_rigid(character.parts[p]) && std::ranges::find(bordering, p) == bordering.end();
  });
  const std::string open =
      bordering.empty() ? "" : "; borders shared with " + quoted_names(character, bordering) + " may open";
  if (!o.part.empty()) {
    if (!bordering.empty()) work.warnings.push_back("--part " + o.part + ": the other parts stay as they are" + open);
  } else if (!left.empty()) {
    work.warnings.push_back(o.examples + ": shows nothing of " + quoted_names(character, left) + ", which " +
                            (left.size() == 1 ? "is left as it is" : "are left as they are") + open);
  }
}

ExampleSet examples_of_one(const ExampleSet& set, const LearntParts& learnt) {
  const std::vector<std::uint32_t> from = learnt.vertices(set, learnt.places[0]);
  std::vector<Triangle> triangles;
  for (const Triangle& t : set.triangles)
    if (t[0] >= from[0] && t[0] <= from.back()) triangles.push_back({t[0] - from[0], t[1] - from[0], t[2] - from[0]});
  ExampleSet one = with_vertices(set, from, std::move(triangles));
  one.part = set.parts[learnt.places[0]].name;
  return one;
}

ExampleSet merged_examples(const ExampleSet& set, const LearntParts& learnt, const MergedParts& merged) {
  std::vector<std::uint32_t> from(merged.part().mesh.positions.size());
  for (std::size_t i = merged.parts.size(); i-- > 0;) {  // of merged vertices the first part has the say
    const std::vector<std::uint32_t> own = learnt.vertices(set, learnt.places[i]);
    for (std::size_t v = 0; v < own.size(); ++v) from[merged.vertices[i][v]] = own[v];
  }
  ExampleSet result = with_vertices(set, from, merged.part().mesh.triangles);
  result.part = merged.part().name;
  return result;
}

void put_merged_weights(const MergedParts& merged, Character& from, Character& to) {
  Part& source = from.parts[0];
  const SkinBinding& joints = from.skins[*source.skin];
  std::vector<bool> fits(source.mesh.positions.size(), true);
  for (std::size_t i = 0; i < merged.parts.size(); ++i)
    for (const std::uint32_t v : merged.vertices[i])
      for (const Influence& influence : source.weights.of(v))
        if (!place_in(to.skins[*to.parts[merged.parts[i]].skin], joints, influence.joint)) fits[v] = false;
  SkinWeights kept;
  for (std::size_t v = 0; v < fits.size(); ++v)
    kept.push_vertex(fits[v] ? source.weights.of(v) : merged.part().weights.of(v));
  source.weights = std::move(kept);
  for (std::size_t i = 0; i < merged.parts.size(); ++i) {
    Part& part = to.parts[merged.parts[i]];
    SkinWeights weights;
    for (const std::uint32_t v : merged.vertices[i]) {
      std::vector<Influence> influences(source.weights.of(v).begin(), source.weights.of(v).end());
      for (Influence& influence : influences)
        influence.joint = *place_in(to.skins[*part.skin], joints, influence.joint);
      weights.push_vertex(influences);
    }
    part.weights = std::move(weights);
  }
}

}  // namespace supple::workflow
