// The functions of a kinodynamic skin that kinodynamics.ts calls. Numbers of muscles, joints, clips and parts were
// checked there.
#include <emscripten/emscripten.h>

#include "bindings/answer.h"
#include "bindings/kinodynamic_maps.h"
#include "bindings/open_character.h"

#include "supple/files/json.h"

namespace supple::browser {
namespace {

float last_numbers[8];
std::vector<float> last_values;
std::vector<Vec3f> last_shapes;
std::vector<std::uint32_t> last_points;
std::vector<TissueEllipsoid> last_tissue;

struct MuscleViews {
  View positions, normals;
};
MuscleViews last_muscle_surface;

struct ShapeViews {
  View positions, triangles, points;
};
ShapeViews last_shape_views;

template <class... Numbers>
const View* answer_numbers(Numbers... numbers) {
  const float all[] = {static_cast<float>(numbers)...};
  std::copy(std::begin(all), std::end(all), last_numbers);
  return answer(std::span<const float>(last_numbers, sizeof...(numbers)));
}

const View* done(const Result<void>& result) { return result ? answer_numbers(1) : refuse(result.error()); }

}  // namespace

extern "C" {

/// {"flowing": for each part whether it flows, "muscles": [{"name", "joint"}]}.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_description(OpenCharacter* c) {
  Json flowing = Json::array();
  for (std::size_t p = 0; p < c->character().parts.size(); ++p) flowing.push_back(c->kinodynamics().flows(p));
  Json muscles = Json::array();
  for (const VortexMuscle& muscle : c->kinodynamics().parameters().muscles)
    muscles.push_back({{"name", muscle.name}, {"joint", muscle.joint}});
  const Json all{{"flowing", std::move(flowing)}, {"muscles", std::move(muscles)}};
  return answer_text(all.dump());
}

/// Eight numbers: those of FlowParameters, and the window.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_flow(OpenCharacter* c) {
  const FlowParameters p = c->kinodynamics().flow();
  return answer_numbers(static_cast<int>(p.source), p.shortening, p.spread, p.reach, p.contact,
                        static_cast<int>(p.integrator), p.step, c->kinodynamics().parameters().window);
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_set_flow(OpenCharacter* c, int source, float shortening, float spread,
                                                       float reach, float contact, int integrator, float step) try {
  return done(c->kinodynamics().set_flow({static_cast<FieldSource>(source), shortening, spread, reach, contact,
                                          static_cast<FlowIntegrator>(integrator), step}));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE void kinodynamics_set_window(OpenCharacter* c, float seconds) {
  c->kinodynamics().set_window(seconds);
}

/// How many keys a joint's curve has, and alpha and beta of the first.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_volume(OpenCharacter* c, JointIndex joint) {
  for (const VolumeCurve& curve : c->kinodynamics().parameters().field.volume)
    if (curve.joint == joint) return answer_numbers(curve.keys.size(), curve.keys[0].alpha, curve.keys[0].beta);
  return answer_numbers(0, 0, 0);
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_set_volume(OpenCharacter* c, JointIndex joint, int automatic,
                                                         double alpha, double beta) {
  std::optional<VolumeShares> shares;
  if (automatic == 0) shares = VolumeShares{alpha, beta};
  return done(c->kinodynamics().set_volume(joint, shares));
}

/// Seven numbers: see MuscleParameters.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_muscle(OpenCharacter* c, std::size_t muscle) {
  const MuscleParameters p = c->kinodynamics().muscle(muscle);
  return answer_numbers(p.frequency, p.damping_ratio, p.gravity, p.stretch, p.life, p.limit, p.reach);
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_set_muscle(OpenCharacter* c, std::size_t muscle, float frequency,
                                                         float damping_ratio, float gravity, float stretch, float life,
                                                         float limit, float reach) try {
  return done(c->kinodynamics().set_muscle(muscle, {frequency, damping_ratio, gravity, stretch, life, limit, reach}));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_propose_muscles(OpenCharacter* c) try {
  return done(c->kinodynamics().propose_muscles());
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_settle(OpenCharacter* c) try {
  return done(c->kinodynamics().settle(c->world()));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_animate(OpenCharacter* c, double seconds) try {
  return done(c->kinodynamics().animate(c->world(), seconds));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* kinodynamics_seek(OpenCharacter* c, std::size_t clip, double seconds) try {
  return done(c->kinodynamics().seek(c->world(), clip, seconds));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const MuscleViews* kinodynamics_surface(OpenCharacter* c, std::size_t part) try {
  const auto surface = c->kinodynamics().surface(part, c->shown_flesh());
  if (!surface) return refuse(surface.error());
  last_muscle_surface = {view_of(surface->positions), view_of(surface->normals)};
  return &last_muscle_surface;
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE std::uint32_t kinodynamics_flow_number(OpenCharacter* c) {
  return c->kinodynamics().flow_number();
}

/// Surfaces of all muscles as they are now, one after another, and how many points each has.
EMSCRIPTEN_KEEPALIVE const ShapeViews* kinodynamics_shapes(OpenCharacter* c) try {
  const auto layer = c->kinodynamics().layer();
  if (!layer) return refuse(layer.error());
  const VortexTable& table = (*layer)->muscles();
  last_shapes.resize(table.surface.size());
  if (!last_shapes.empty()) muscle_shapes(table, (*layer)->muscle_state(), last_shapes);
  last_points.clear();
  for (const VortexTableMuscle& muscle : table.muscles) last_points.push_back(muscle.points);
  last_shape_views = {view_of(std::span<const Vec3f>(last_shapes)), view_of(std::span<const Triangle>(table.triangles)),
                      view_of(std::span<const std::uint32_t>(last_points))};
  return &last_shape_views;
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

/// Eighteen numbers an ellipsoid: see TissueEllipsoid.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_tissue(OpenCharacter* c) try {
  const auto layer = c->kinodynamics().layer();
  if (!layer) return refuse(layer.error());
  last_tissue = tissue(**layer, c->kinodynamics().world());
  return answer(std::span<const TissueEllipsoid>(last_tissue));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

/// A number a vertex: the weight of a joint's limb, or the length of its gradient.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_field_map(OpenCharacter* c, std::size_t part, JointIndex joint,
                                                        int gradient) try {
  const auto layer = c->kinodynamics().layer();
  if (!layer) return refuse(layer.error());
  FieldMap map = field_map(**layer, part, joint);
  last_values = std::move(gradient != 0 ? map.gradients : map.weights);
  return answer(std::span<const float>(last_values));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

/// A number a vertex.
EMSCRIPTEN_KEEPALIVE const View* kinodynamics_determinants(OpenCharacter* c, std::size_t part) try {
  const auto found = c->kinodynamics().determinants(part);
  return found ? answer(*found) : refuse(found.error());
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

}  // extern "C"
}  // namespace supple::browser
