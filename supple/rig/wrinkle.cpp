#include "supple/rig/wrinkle.h"

#include <cmath>

#include "supple/rig/character.h"

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

}  // namespace supple
