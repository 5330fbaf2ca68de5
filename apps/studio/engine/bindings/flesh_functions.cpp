// The functions of a character's flesh that flesh.ts calls. Numbers of elements and parts were checked there.
#include <emscripten/emscripten.h>

#include "bindings/answer.h"
#include "bindings/open_character.h"
#include "supple/deform/flesh/frame.h"
#include "supple/deform/flesh/split.h"

namespace supple::browser {
namespace {

FleshParameters last_parameters;

/// Where an element is: the two ends of its spring and of its virtual bone.
struct ElementPlace {
  Vec3f anchor, displaced, bone_from, bone_to;
};
std::vector<ElementPlace> last_places;

std::vector<float> last_weights;

struct Displacement {
  Vec3f from, to;
};
std::vector<Displacement> last_displacements;

}  // namespace

extern "C" {

/// Six numbers: see FleshParameters.
EMSCRIPTEN_KEEPALIVE const View* flesh_parameters(const OpenCharacter* c, std::size_t element) {
  last_parameters = c->flesh().parameters(element);
  return answer(std::span<const FleshParameters>(&last_parameters, 1));
}

EMSCRIPTEN_KEEPALIVE void flesh_set_parameters(OpenCharacter* c, std::size_t element, float frequency,
                                               float damping_ratio, float gravity, float air_friction, float gain,
                                               float max_elongation) {
  c->flesh().set_parameters(element, {frequency, damping_ratio, gravity, air_friction, gain, max_elongation});
}

EMSCRIPTEN_KEEPALIVE void flesh_swing(OpenCharacter* c, double seconds) { c->flesh().swing(c->pose(), seconds); }

EMSCRIPTEN_KEEPALIVE void flesh_settle(OpenCharacter* c) { c->flesh().settle(c->pose()); }

/// Ten numbers an element, as of the last update.
EMSCRIPTEN_KEEPALIVE const View* flesh_motions(const OpenCharacter* c) { return answer(c->flesh().motions()); }

EMSCRIPTEN_KEEPALIVE void flesh_show(OpenCharacter* c, const FleshMotion* motions) {
  c->flesh().show({motions, c->character().flesh.elements.size()});
}

/// Twelve numbers an element, as of the last update.
EMSCRIPTEN_KEEPALIVE const View* flesh_places(const OpenCharacter* c) {
  const std::vector<FleshElement>& elements = c->character().flesh.elements;
  last_places.resize(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const FleshFrame frame = flesh_frame(elements[e], c->world());
    const Vec3f anchor(frame.origin), half = Vec3f(frame.axes.c1) * elements[e].half_length;
    last_places[e] = {anchor, anchor + c->flesh().motions()[e].shift, anchor - half, anchor + half};
  }
  return answer(std::span<const ElementPlace>(last_places));
}

/// How much of each vertex of a part the elements carry along: one of them, or all together.
EMSCRIPTEN_KEEPALIVE const View* flesh_weights(const OpenCharacter* c, std::size_t part, int element) {
  const Part& surface = c->character().parts[part];
  last_weights.assign(surface.mesh.positions.size(), 0.0f);
  for (const FleshEntry& entry : split_flesh(c->character(), surface).flesh) {
    if (element < 0 || entry.element == static_cast<std::uint32_t>(element)) last_weights[entry.vertex] += entry.weight;
  }
  return answer(std::span<const float>(last_weights));
}

/// From where bones alone take some vertices to where they are shown.
EMSCRIPTEN_KEEPALIVE const View* flesh_displacements(OpenCharacter* c, std::size_t part, int dual,
                                                     const std::uint32_t* vertices, std::size_t count) try {
  const Blend blend = dual != 0 ? Blend::dual_quaternion : Blend::linear;
  last_displacements.resize(count);
  const auto without = c->evaluate_without_flesh(part, blend);
  if (!without) return refuse(without.error());
  for (std::size_t i = 0; i < count; ++i) last_displacements[i].from = (*without)->positions(part)[vertices[i]];
  const auto shown = c->evaluate(part, blend);
  if (!shown) return refuse(shown.error());
  for (std::size_t i = 0; i < count; ++i) last_displacements[i].to = (*shown)->positions(part)[vertices[i]];
  return answer(std::span<const Displacement>(last_displacements));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

}  // extern "C"
}  // namespace supple::browser
