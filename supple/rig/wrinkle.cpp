#include "supple/rig/wrinkle.h"

#include <cmath>

#include "supple/rig/character.h"
#include "supple/rig/checks.h"

namespace supple {

Result<void> validate(const Wrinkle& w, const Character& character) {
  const auto wrong = [](std::string problem) { return Error{"wrinkle", std::move(problem), ""}; };
  if (w.part >= character.parts.size()) return wrong("is on part " + std::to_string(w.part) + ", which does not exist");
  const Part& part = character.parts[w.part];
  if (w.strip.size() < 2)
    return wrong("has a strip of " + std::to_string(w.strip.size()) + " vertices instead of two or more");
  for (std::size_t i = 0; i < w.strip.size(); ++i) {
    if (w.strip[i] >= part.mesh.positions.size())
      return wrong("passes through vertex " + std::to_string(w.strip[i]) + ", which does not exist");
    if (i > 0 && w.strip[i] == w.strip[i - 1])
      return wrong("stays at vertex " + std::to_string(w.strip[i]) + " instead of going on");
  }
  if (!(std::isfinite(w.rest_length) && w.rest_length > 0)) return wrong("has a rest length that is not > 0");
  if (w.weight < part.first_morph_weight || w.weight - part.first_morph_weight >= part.morphs.size())
    return wrong("has morph weight " + std::to_string(w.weight) + ", which is none of its part's");
  return {};
}

constinit const DeformerKind wrinkle_kind{
    .name = "wrinkles",
    .member = "wrinkles",
    .elsewhere = "the same along the file's clips, where their weights are baked; flat in poses of its own",
    .count = [](const Character& c) { return c.wrinkles.size(); },
    .summary =
        [](const Character& c) {
          std::size_t vertices = 0;
          for (const Wrinkle& w : c.wrinkles) vertices += w.strip.size();
          return std::to_string(c.wrinkles.size()) + " over " + std::to_string(vertices) + " vertices";
        },
    .check = [](const Character& c) -> Result<void> {
      for (std::size_t k = 0; k < c.wrinkles.size(); ++k)
        if (auto ok = validate(c.wrinkles[k], c); !ok)
          return Error{quoted("wrinkle", k, c.wrinkles[k].name), ok.error().problem, ok.error().remedy};
      return {};
    },
    .clear = [](Character& c) { c.wrinkles.clear(); },
    .moved =
        [](const Character& c) {
          std::vector<MovedWeights> result;
          for (std::size_t k = 0; k < c.wrinkles.size(); ++k)
            result.push_back({quoted("wrinkle", k, c.wrinkles[k].name), c.wrinkles[k].weight, 1});
          return result;
        },
    .renumber =
        [](Character& c, std::span<const std::uint32_t> place) {
          for (Wrinkle& w : c.wrinkles) w.weight = place[w.weight];
        }};

}  // namespace supple
