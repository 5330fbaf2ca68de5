#include "supple/files/kinodynamics_json.h"

#include "supple/files/kinodynamics_fields.h"

namespace supple {
namespace {

constexpr EnumNames<TissueKind, 2> kinds{{{"soft", TissueKind::soft}, {"bone", TissueKind::bone}}};
constexpr EnumNames<FieldSource, 3> sources{{{"automatic", FieldSource::automatic},
                                             {"primitives", FieldSource::primitives},
                                             {"painted", FieldSource::painted}}};
constexpr EnumNames<FlowIntegrator, 3> integrators{
    {{"blend", FlowIntegrator::blend}, {"euler", FlowIntegrator::euler}, {"rk4-limb", FlowIntegrator::rk4_limb}}};

// `Fields` is a FieldReader with structs to fill or a FieldWriter with constant ones.

template <class Fields, class Primitive>
void describe_tissue(Fields& f, Primitive& p) {
  const TissuePrimitive usual;
  f("name", p.name, usual.name);
  f.joint("joint", p.joint);
  f.named("kind", p.kind, usual.kind, kinds);
  f("center", p.center, usual.center);
  f("orientation", p.orientation, usual.orientation);
  f.required("radii", p.radii);
  f("weight", p.weight, usual.weight);
  f("star", p.star, usual.star);
}

template <class Fields, class Curve>
void describe_curve(Fields& f, Curve& curve) {
  f.joint("joint", curve.joint);
  f.list("keys", curve.keys, [](Fields& g, auto& key) {
    const VolumeKey usual;
    g.angle("angle", key.angle, usual.angle);
    g("alpha", key.alpha, usual.alpha);
    g("beta", key.beta, usual.beta);
  });
}

template <class Fields, class Field>
void describe_field(Fields& f, Field& field) {
  const DeformationField usual;
  f.list("tissue", field.primitives, [](Fields& g, auto& p) { describe_tissue(g, p); });
  // Who places tissue means it.
  f.named("source", field.source, field.primitives.empty() ? FieldSource::automatic : FieldSource::primitives, sources);
  f("shortening", field.shortening, usual.shortening);
  f("spread", field.spread, usual.spread);
  f("reach", field.reach, usual.reach);
  f("contact", field.contact, usual.contact);
  f("everywhere", field.everywhere, usual.everywhere);
  f.list("volume", field.volume, [](Fields& g, auto& curve) { describe_curve(g, curve); });
  f.named("integrator", field.integrator, usual.integrator, integrators);
  f.angle("step", field.step, usual.step);
}

template <class Fields, class Muscle>
void describe_muscle(Fields& f, Muscle& m) {
  const VortexMuscle usual;
  f("name", m.name, usual.name);
  f.joint("joint", m.joint);
  f("center", m.center, usual.center);
  f("orientation", m.orientation, usual.orientation);
  f.required("radii", m.radii);
  f("samples", m.samples, usual.samples);
  f("reach", m.reach, usual.reach);
  f("frequency", m.frequency, usual.frequency);
  f("damping_ratio", m.damping_ratio, usual.damping_ratio);
  f("density", m.density, usual.density);
  f("medium_density", m.medium_density, usual.medium_density);
  f("gravity", m.gravity, usual.gravity);
  f("modelled_gravity", m.modelled_gravity, usual.modelled_gravity);
  f("stretch", m.stretch, usual.stretch);
  f("stretch_axis", m.stretch_axis, usual.stretch_axis);
  f("life", m.life, usual.life);
  f("shear", m.shear, usual.shear);
  f("limit", m.limit, usual.limit);
  f.joints("skin_joints", m.skin_joints);
  f.skin_weights("skin_weights", m.skin_weights);
  f.group("surface", [&](Fields& g) {
    g("positions", m.surface_positions, usual.surface_positions);
    g("triangles", m.surface_triangles, usual.surface_triangles);
  });
  f("target", m.target, usual.target);
}

template <class Fields, class Whole>
void describe_all(Fields& f, Whole& k) {
  f.group("field", [&](Fields& g) { describe_field(g, k.field); });
  f.list("muscles", k.muscles, [](Fields& g, auto& m) { describe_muscle(g, m); });
  f("window", k.window, Kinodynamics{}.window);
}

}  // namespace

std::string KinodynamicsSpelling::key(const char* words) const {
  std::string key;
  for (const char* c = words; *c != 0; ++c) key += camel_case && *c == '_' ? static_cast<char>(*++c - 'a' + 'A') : *c;
  return key;
}

Kinodynamics kinodynamics_of(const gltf::Item& item, const KinodynamicsReading& reading) {
  Kinodynamics kinodynamics;
  FieldReader fields(item, reading);
  describe_all(fields, kinodynamics);
  fields.finish();
  return kinodynamics;
}

TissuePrimitive tissue_of(const gltf::Item& item, const KinodynamicsReading& reading) {
  TissuePrimitive primitive;
  FieldReader fields(item, reading);
  describe_tissue(fields, primitive);
  fields.finish();
  return primitive;
}

VortexMuscle muscle_of(const gltf::Item& item, const KinodynamicsReading& reading) {
  VortexMuscle muscle;
  FieldReader fields(item, reading);
  describe_muscle(fields, muscle);
  fields.finish();
  return muscle;
}

Json to_json(const Kinodynamics& kinodynamics, const KinodynamicsWriting& writing) {
  FieldWriter fields(writing);
  describe_all(fields, kinodynamics);
  return std::move(fields.json);
}

}  // namespace supple
