#include "supple/rig/delta_mush.h"

#include "supple/rig/character.h"
#include "supple/rig/fields.h"

namespace supple {

Result<void> validate(const DeltaMush& mush, const Character& character) {
  const auto wrong = [](std::string problem, std::string remedy = "") {
    return Error{"delta mush", std::move(problem), std::move(remedy)};
  };
  if (mush.part >= character.parts.size())
    return wrong("is on part " + std::to_string(mush.part) + ", which does not exist");
  if (!character.parts[mush.part].skin)
    return wrong("is on part '" + character.parts[mush.part].name + "', which is not bound to joints",
                 "supple bind gives it skin weights");
  if (mush.iterations < 1 || mush.iterations > DeltaMush::max_iterations)
    return wrong("has " + std::to_string(mush.iterations) + " iterations", "choose 1 to 200");
  if (!(mush.strength > 0 && mush.strength <= 1)) return wrong("has a strength that is not above 0 and at most 1");
  return {};
}

namespace {

void describe_mush(Fields& f, DeltaMush& mush) {
  const DeltaMush usual;
  f.part(mush.part, Presence::written, {.help = "The node whose skinned mesh is smoothed"});
  f.written("iterations", mush.iterations, usual.iterations,
            {.help = "Rounds of smoothing", .range = between(1, DeltaMush::max_iterations)});
  f.written(
      "strength", mush.strength, usual.strength,
      {.help = "How far each goes to the mean of the neighbours", .range = {.min = 0, .max = 1, .is_open = true}});
  f.optional("keep_borders", mush.keep_borders, usual.keep_borders,
             {.help = "Whether points on open edges stay as skinned"});
}

void describe_all_mush(Fields& f, Character& c) {
  const About about{.help = "Primitives whose posed surface is smoothed and gets its detail back, each once",
                    .count = from(1)};
  std::vector<bool> is_smoothed(c.parts.size());
  f.list(delta_mush_kind.member, c.delta_mush, Presence::optional, about, [&](DeltaMush& mush) {
    describe_mush(f, mush);
    f.check(nullptr, [&] { return validate(mush, c); });
    f.check(nullptr, [&]() -> Result<void> {
      if (is_smoothed[mush.part]) return Error{"", "is for a primitive that has one already", ""};
      is_smoothed[mush.part] = true;
      return {};
    });
  });
}

}  // namespace

constinit const DeformerKind delta_mush_kind{
    .name = "delta mush",
    .member = "deltaMush",
    .describe = describe_all_mush,
    .elsewhere = "plain skinning; supple simulate --deformer delta-mush and supple fit make morph targets of it",
    .learnt = true,
    .teacher = "delta-mush",
    .made_by = "supple add delta-mush makes others",
    .add_usual = [](Character& c, std::uint32_t part) { c.delta_mush.push_back({.part = part}); },
    .count = [](const Character& c) { return c.delta_mush.size(); },
    .summary =
        [](const Character& c) {
          std::string result;
          for (const DeltaMush& m : c.delta_mush)
            result += (result.empty() ? "" : "; ") + std::to_string(m.iterations) + " iterations over " +
                      std::to_string(c.parts[m.part].mesh.positions.size()) + " vertices of '" + c.parts[m.part].name +
                      "'";
          return result;
        },
    .check = [](const Character& c) -> Result<void> {
      std::vector<bool> smoothed(c.parts.size());
      for (const DeltaMush& m : c.delta_mush) {
        if (auto ok = validate(m, c); !ok) return ok;
        if (smoothed[m.part]) return Error{"delta mush", "is on part '" + c.parts[m.part].name + "' twice", ""};
        smoothed[m.part] = true;
      }
      return {};
    },
    .clear = [](Character& c) { c.delta_mush.clear(); }};

}  // namespace supple
