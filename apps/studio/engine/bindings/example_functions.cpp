// The functions of example sets that engine.ts calls.
#include <emscripten/emscripten.h>

#include "bindings/answer.h"
#include "bindings/error_curve.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"

namespace supple::browser {
namespace {

std::vector<double> last_curve;
std::vector<std::uint32_t> last_parts;

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE ExampleSet* examples_open(const char* folder) try {
  auto set = load_examples(folder);
  if (!set) return refuse(set.error());
  if (auto valid = validate(*set); !valid) return refuse(valid.error());
  return new ExampleSet(std::move(*set));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE void examples_close(ExampleSet* set) { delete set; }

/// {"part", "origin", "names": one per example}.
EMSCRIPTEN_KEEPALIVE const View* examples_description(const ExampleSet* set) {
  Json names = Json::array();
  for (const Example& example : set->examples) names.push_back(example.name);
  const Json all{{"part", set->part}, {"origin", set->origin}, {"names", std::move(names)}};
  return answer_text(all.dump());
}

/// Gives the character the example's pose, its flesh hanging still; null where the set is another character's.
EMSCRIPTEN_KEEPALIVE const ExampleSet* examples_pose(const ExampleSet* set, std::size_t example, OpenCharacter* c) {
  if (const auto parts = shown_parts(*set, c->character()); !parts) return refuse(parts.error());
  c->pose().local = set->pose(example).local;
  c->pose().morph_weights = c->character().morph_weights;
  c->flesh().settle(c->pose());
  return set;
}

/// The parts of the character whose vertices the set has, one after another; null where the set is another one's.
EMSCRIPTEN_KEEPALIVE const View* examples_parts(const ExampleSet* set, OpenCharacter* c) {
  const auto parts = shown_parts(*set, c->character());
  if (!parts) return refuse(parts.error());
  last_parts.assign(parts->begin(), parts->end());
  return answer(std::span<const std::uint32_t>(last_parts));
}

EMSCRIPTEN_KEEPALIVE const View* examples_positions(const ExampleSet* set, std::size_t example) {
  return answer(set->positions_of(example));
}

EMSCRIPTEN_KEEPALIVE const View* examples_error_curve(const ExampleSet* set, OpenCharacter* c,
                                                      const std::uint32_t* modes, std::size_t count) try {
  auto curve = error_curve(*c, *set, {modes, count});
  if (!curve) return refuse(curve.error());
  last_curve = std::move(*curve);
  return answer(std::span<const double>(last_curve));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

}  // extern "C"
}  // namespace supple::browser
