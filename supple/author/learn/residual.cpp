#include "supple/author/learn/residual.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::learn {
namespace {
constexpr std::size_t sized_at_once = 1024;
}  // namespace

std::vector<float> Residual::sizes(std::span<const std::size_t> examples) const {
  std::vector<float> result(fields.vertices, 0.0f);
  parallel_for(fields.vertices, sized_at_once, [&](std::size_t begin, std::size_t end) {
    for (const std::size_t e : examples)
      for (std::size_t v = begin; v < end; ++v)
        result[v] = std::max(result[v], squared_length(fields.positions[e * fields.vertices + v]));
    for (std::size_t v = begin; v < end; ++v) result[v] = std::sqrt(result[v]);
  });
  return result;
}

Result<Residual> training_examples(const ExampleSet& set, const Character& character, std::size_t part) {
  Residual result;
  result.set = &set;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.usable(i) && set.examples[i].role == Role::train && set.examples[i].weight > 0) result.chosen.push_back(i);
  if (result.chosen.empty())
    return Error{"example set", "has no usable training example",
                 "give some examples the role 'train' and a weight above 0"};
  auto fields = rest_displacements(set, character, part, result.chosen);
  if (!fields) return fields.error();
  result.fields = std::move(*fields);
  result.settings = settings_of(set, result.chosen);
  return result;
}

double total_energy(const Residual& residual) {
  return parallel_sum(residual.chosen.size(), 1, 0.0, [&](std::size_t e, std::size_t) {
    double sum = 0;
    for (const Vec3f u : residual.fields.positions_of(e)) sum += squared_length(Vec3d(u));
    return sum * double{residual.example(e).weight};
  });
}

void tell_about_examples(const Residual& residual, Warnings& warnings) {
  const auto& singular = residual.fields.singular;
  if (!singular.empty())
    warnings.push_back(std::to_string(singular.size()) + " vertices in examples were left out, the first is vertex " +
                       std::to_string(singular[0].vertex) + " of '" + residual.example(singular[0].example).name +
                       "': joints half a turn apart leave the blend there without an inverse");
  std::size_t at_rest = 0, first = 0;
  for (std::size_t e = 0; e < residual.chosen.size(); ++e)
    if (residual.settings.moved[e].empty() && at_rest++ == 0) first = e;
  if (at_rest > 0)
    warnings.push_back(std::to_string(at_rest) +
                       " examples are in the rest pose, where corrections are 0 by design ('" +
                       residual.example(first).name + "' is the first); they teach nothing");
  if (residual.chosen.size() == 1)
    warnings.push_back("there is one training example only: between rest and '" + residual.example(0).name +
                       "' the correction grows evenly");
}

std::vector<JointIndex> still_joints(const Residual& residual, const Character& character, std::size_t part) {
  std::vector<bool> moved(character.skeleton.size());
  for (const auto& joints : residual.settings.moved)
    for (const JointIndex j : joints) moved[j] = true;
  std::vector<JointIndex> result;
  for (const JointIndex j : character.skins[*character.parts[part].skin].joints)
    if (!moved[j]) result.push_back(j);
  return result;
}

}  // namespace supple::learn
