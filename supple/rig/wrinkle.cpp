#include "supple/rig/wrinkle.h"

#include <cmath>

#include "supple/rig/checks.h"
#include "supple/rig/deformers.h"
#include "supple/rig/fields.h"

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

namespace {

void describe_wrinkle(Fields& f, Wrinkle& w, const Character& c) {
  f.optional("name", w.name, {}, {.help = "For people"});
  f.part(w.part, Presence::required, {.help = "The node whose mesh folds"});
  f.targets("target", w.weight, 1, nullptr, {.help = "The morph target of that mesh which is the fold"});
  f.required("strip", w.strip,
             {.help = "Vertices of the primitive, one after the other across the folds",
              .count = from(2),
              .below = w.part < c.parts.size() ? c.parts[w.part].mesh.positions.size() : 0});
  f.check("strip", [&]() -> Result<void> {
    return w.strip.size() < 2 ? Error{"", "must name two vertices or more", ""} : Result<void>();
  });
  f.required("rest_length", w.rest_length,
             {.help = "Of the strip in the rest pose", .unit = Unit::metres, .range = above(0)});
  f.check("rest_length", [&]() -> Result<void> {
    return above_zero(w.rest_length) ? Result<void>() : Error{"", "must be a finite number above zero", ""};
  });
  f.check(nullptr, [&] { return validate(w, c); });
}

void describe_wrinkles(Fields& f, Character& c) {
  std::vector<bool> driven = moved_weights(c);  // by the deformers that were read before
  const About about{.help =
                        "No two wrinkles of one node may have the same morph target, and no driver may move it. "
                        "Later ones see the folds of earlier ones",
                    .count = from(1)};
  f.list(wrinkle_kind.member, c.wrinkles, Presence::optional, about, [&](Wrinkle& w) {
    describe_wrinkle(f, w, c);
    f.check("target", [&]() -> Result<void> {
      if (driven[w.weight]) return Error{"", "is moved by another deformer or wrinkle already", ""};
      driven[w.weight] = true;
      return {};
    });
  });
}

}  // namespace

constinit const DeformerKind wrinkle_kind{
    .name = "wrinkles",
    .member = "wrinkles",
    .describe = describe_wrinkles,
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
