#include "supple/rig/character.h"
#include "supple/rig/fields.h"

namespace supple {
namespace {

constexpr ChoiceNames<TissueKind, 2> tissue_kinds{{{"soft", TissueKind::soft}, {"bone", TissueKind::bone}}};
constexpr ChoiceNames<FieldSource, 3> field_sources{{{"automatic", FieldSource::automatic},
                                                     {"primitives", FieldSource::primitives},
                                                     {"painted", FieldSource::painted}}};
constexpr ChoiceNames<FlowIntegrator, 3> integrators{
    {{"blend", FlowIntegrator::blend}, {"euler", FlowIntegrator::euler}, {"rk4-limb", FlowIntegrator::rk4_limb}}};

constexpr About joint_about{.help = "The node it hangs on"};
constexpr About center_about{.help = "In the node's frame without its scale", .unit = Unit::metres};
constexpr About orientation_about{.help = "In the node's frame"};
constexpr About radii_about{.help = "Along the three axes", .unit = Unit::metres, .range = above(0)};
constexpr About density_about{
    .help = "Only the contrast of the two densities counts", .unit = Unit::kilograms_per_cubic_metre, .range = from(0)};
constexpr FieldRange kept_share = between(0, 1.001);  // of the volume, as files round it

void describe_curve(Fields& f, VolumeCurve& curve) {
  f.joint("joint", curve.joint, {.help = "The node whose volume is kept"});
  f.list("keys", curve.keys, Presence::required, {.help = "By rising angle", .count = from(1)}, [&](VolumeKey& key) {
    const VolumeKey usual;
    f.optional("angle", key.angle, usual.angle, {.help = "From the rest pose", .unit = Unit::radians});
    f.optional("alpha", key.alpha, usual.alpha,
               {.help = "With beta: 1 keeps volume, less lets it go", .range = kept_share});
    f.optional("beta", key.beta, usual.beta,
               {.help = "With alpha: 1 keeps volume, less lets it go", .range = kept_share});
  });
}

void describe_hardness(Fields& f, Hardness& hardness) {
  const auto parts = [&](const char* name, std::vector<std::uint32_t>& list, const About& about) {
    f.list(name, list, Presence::optional, about,
           [&](std::uint32_t& part) { f.part(part, Presence::optional, {.help = "The node whose mesh it is"}); });
  };
  f.joints("hard", hardness.hard_joints, Presence::optional,
           {.help = "Skin that follows these nodes alone keeps its shape", .count = from(1)});
  f.joints("soft", hardness.soft_joints, Presence::optional,
           {.help = "Skin of these nodes flows, even where it looks hard", .count = from(1)});
  parts("hard_parts", hardness.hard_parts, {.help = "Each connected piece moves as one", .count = from(1)});
  parts("soft_parts", hardness.soft_parts, {.help = "All of them flow", .count = from(1)});
}

/// Painted weights of one part.
struct PaintedPart {
  std::uint32_t part = 0;
  std::vector<std::uint32_t> vertices;
  std::vector<float> weights;
};

std::vector<PaintedPart> painted_parts(const std::vector<SkinVertexWeight>& weights) {
  std::vector<PaintedPart> parts;
  for (const SkinVertexWeight& w : weights) {
    if (parts.empty() || parts.back().part != w.part) parts.push_back({w.part, {}, {}});
    parts.back().vertices.push_back(w.vertex);
    parts.back().weights.push_back(w.weight);
  }
  return parts;
}

void describe_painting(Fields& f, const char* name, std::vector<SkinVertexWeight>& weights, const About& about) {
  std::vector<PaintedPart> parts = painted_parts(weights);
  f.list(name, parts, Presence::optional, about, [&](PaintedPart& painted) {
    f.part(painted.part, Presence::optional, {.help = "The node whose mesh is painted"});
    f.required("vertices", painted.vertices, {.help = "Of the primitive"});
    f.required("weights", painted.weights, {.help = "One per vertex", .range = between(0, 1), .one_per = "vertices"});
  });
  if (!f.reads()) return;
  for (const PaintedPart& painted : parts)
    for (std::size_t i = 0; i < painted.vertices.size(); ++i)
      weights.push_back({painted.part, painted.vertices[i], painted.weights[i]});
}

void describe_field(Fields& f, DeformationField& field) {
  const DeformationField usual;
  f.list("tissue", field.primitives, Presence::optional,
         {.help = "Ellipsoids and star shapes that give nodes their weight in space", .count = from(1)},
         [&](TissuePrimitive& p) { describe(f, p); });
  // Who places tissue means it.
  f.choice("source", field.source, field.primitives.empty() ? FieldSource::automatic : FieldSource::primitives,
           field_sources,
           {.help = "Where weights come from. Default: primitives where there is tissue, otherwise automatic",
            .usual_depends = true});
  f.optional("shortening", field.shortening, usual.shortening,
             {.help = "Cut off bones at joints, in depths of the flesh", .range = from(0)});
  f.optional(
      "spread", field.spread, usual.spread,
      {.help = "Square of the distance where weights have fallen to 1/e, in depths of the flesh", .range = above(0)});
  f.optional("reach", field.reach, usual.reach,
             {.help = "How far beyond the skin painted weights vanish, in depths of the flesh", .range = above(0)});
  f.optional(
      "contact", field.contact, usual.contact,
      {.help = "How near limbs come to skin that does not hang on them before they push; 0: they pass through it",
       .range = from(0)});
  f.optional("everywhere", field.everywhere, usual.everywhere, {.help = "Every limb weighs on all skin"});
  f.list("volume", field.volume, Presence::optional, {.help = "At most one curve for a node", .count = from(1)},
         [&](VolumeCurve& curve) { describe_curve(f, curve); });
  f.choice("integrator", field.integrator, usual.integrator, integrators, {.help = "How the flow is followed"});
  f.optional("step", field.step, usual.step,
             {.help = "How far a joint turns at once, at most", .unit = Unit::radians, .range = between(0.01, 3.2)});
  f.list("flow", field.flow, Presence::optional,
         {.help = "How much skin takes part in the flow; the rest of its way is plain skinning", .count = from(1)},
         [&](FlowShare& s) {
           f.joint("joint", s.joint, {.help = "The node whose skin it is"});
           f.required("share", s.share,
                      {.help = "0: plain skinning; nodes that are not listed: 1", .range = between(0, 1)});
         });
  describe_painting(
      f, "bound", field.bound,
      {.help = "How much plain skinning moves each vertex; those that are not listed flow", .count = from(1)});
  describe_hardness(f, field.hardness);
}

void describe_forces(Fields& f, VortexMuscle& m) {
  const VortexMuscle usual;
  f.optional("frequency", m.frequency, usual.frequency, {.help = "Undamped", .unit = Unit::hertz, .range = above(0)});
  f.optional("damping_ratio", m.damping_ratio, usual.damping_ratio,
             {.help = "1 just does not swing", .range = from(0)});
  f.optional("density", m.density, usual.density, density_about);
  f.optional("medium_density", m.medium_density, usual.medium_density, density_about);
  f.optional("gravity", m.gravity, usual.gravity, {.help = "In the world", .unit = Unit::metres_per_square_second});
  f.optional(
      "modelled_gravity", m.modelled_gravity, usual.modelled_gravity,
      {.help = "In the muscle's frame: what the skin was modelled under", .unit = Unit::metres_per_square_second});
  f.optional("stretch", m.stretch, usual.stretch,
             {.help = "Along stretchAxis; below zero squashes", .unit = Unit::per_square_second});
  f.optional("stretch_axis", m.stretch_axis, usual.stretch_axis,
             {.help = "Unit vector in the muscle's frame", .range = unit_component});
  f.optional("stretch_center", m.stretch_center, usual.stretch_center,
             {.help = "In the muscle's frame: what stretching leaves where it is", .unit = Unit::metres});
  f.optional("life", m.life, usual.life, {.help = "Of the limb's acceleration; 1 cancels it"});
  f.optional("shear", m.shear, usual.shear, {.help = "Stiffens where sheared"});
}

}  // namespace

void describe(Fields& f, TissuePrimitive& p) {
  const TissuePrimitive usual;
  f.optional("name", p.name, usual.name, {.help = "For people"});
  f.joint("joint", p.joint, joint_about);
  f.choice("kind", p.kind, usual.kind, tissue_kinds,
           {.help = "soft keeps volume, bone carries what it reaches along rigidly"});
  f.optional("center", p.center, usual.center, center_about);
  f.optional("orientation", p.orientation, usual.orientation, orientation_about);
  f.required("radii", p.radii, radii_about);
  f.optional("weight", p.weight, usual.weight, {.help = "At the centre", .range = above(0)});
  f.optional("star", p.star, usual.star,
             {.help = "Logarithm of the radius by direction, in units of radii",
              .count = between(double{TissuePrimitive::star_size}, double{TissuePrimitive::star_size})});
}

void describe(Fields& f, VortexMuscle& m) {
  const VortexMuscle usual;
  f.optional("name", m.name, usual.name, {.help = "For people"});
  f.joint("joint", m.joint, joint_about);
  f.optional("center", m.center, usual.center, center_about);
  f.optional("orientation", m.orientation, usual.orientation, orientation_about);
  f.required("radii", m.radii, radii_about);
  f.optional("samples", m.samples, usual.samples, {.help = "Vortices wanted", .range = between(12, 10000)});
  f.optional("reach", m.reach, usual.reach, {.help = "Of a vortex, in shortest radii", .range = above(0)});
  describe_forces(f, m);
  f.optional("limit", m.limit, usual.limit,
             {.help = "How far skin may be carried, in shortest radii", .range = from(0)});
  f.joints("skin_joints", m.skin_joints, Presence::optional,
           {.help = "Only skin that follows these nodes moves, as far as it does", .count = from(1)});
  describe_painting(f, "skin_weights", m.skin_weights,
                    {.help = "How much each vertex is moved; those that are not listed are not", .count = from(1)});
  f.object("surface", !m.surface_positions.empty(),
           {.help = "A closed surface in the muscle's frame, instead of the ellipsoid"}, [&] {
             f.required("positions", m.surface_positions, {.unit = Unit::metres, .count = from(4)});
             f.required("triangles", m.surface_triangles, {.help = "Numbers of positions", .count = from(4)});
           });
  f.optional("target", m.target, usual.target,
             {.help = "The surface's points in the shape to rest in", .unit = Unit::metres, .count = from(1)});
}

void describe(Fields& f, Kinodynamics& k) {
  f.group("field", {.help = "Weights of limbs in space, and the flow that they make"},
          [&] { describe_field(f, k.field); });
  f.list("muscles", k.muscles, Presence::optional,
         {.help = "Closed shapes that swing by the vorticity of their surface", .count = from(1)},
         [&](VortexMuscle& m) { describe(f, m); });
  f.optional("window", k.window, Kinodynamics{}.window,
             {.help = "What dynamics know of before a moment that is sought out",
              .unit = Unit::seconds,
              .range = between(0, 60)});
}

void describe_kinodynamics(Fields& f, Character& c) {
  const About about{.help =
                        "A second way to deform the skin: a flow that follows the bones and keeps volume, and "
                        "muscles that swing under it"};
  f.object(kinodynamic_kind.member, c.kinodynamics, about, [&](Kinodynamics& k) {
    describe(f, k);
    f.check(nullptr, [&]() -> Result<void> {
      const auto ok = validate(k, c);
      return ok ? ok : Error{"", ok.error().item + " " + ok.error().problem, ok.error().remedy};
    });
  });
}

}  // namespace supple
