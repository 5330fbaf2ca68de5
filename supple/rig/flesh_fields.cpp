#include "supple/rig/character.h"
#include "supple/rig/fields.h"

namespace supple {
namespace {

constexpr About hertz_about{.help = "Undamped", .unit = Unit::hertz, .range = above(0)};
constexpr About damping_about{.help = "1 just does not swing", .range = from(0)};

void describe_spring(Fields& f, FleshSpring& s) {
  const FleshSpring usual;
  f.required("frequency", s.frequency, hertz_about);
  f.required("damping_ratio", s.damping_ratio, damping_about);
  f.optional(
      "axes", s.axes, usual.axes,
      {.help = "Stiffness along the axes of the local frame, relative to what the frequency says", .range = above(0)});
  f.optional("share", s.share, usual.share, {.help = "Of its displacement in the element's"});
}

void describe_torsion(Fields& f, FleshTorsion& t) {
  f.required("frequency", t.frequency, hertz_about);
  f.required("damping_ratio", t.damping_ratio, damping_about);
  f.required("max_angle", t.max_angle,
             {.help = "How far the dynamic frame turns about the bone, at most",
              .unit = Unit::radians,
              .range = between(0, 1.5708)});
}

/// Files name the twins alone: each hangs on its bone.
void describe_twins(Fields& f, FleshElement& e, const Skeleton& skeleton) {
  std::vector<JointIndex> twins;
  for (const FleshTwin& twin : e.twins) twins.push_back(twin.joint);
  f.joints("twins", twins, Presence::required, {.help = "The element's own, each below its bone"});
  if (!f.reads()) return;
  for (const JointIndex twin : twins) {
    f.check("twins", [&]() -> Result<void> {
      return skeleton.parent(twin) == no_joint ? Error{"", "names a node without a parent", ""} : Result<void>();
    });
    e.twins.push_back({skeleton.parent(twin), twin});
  }
}

void describe_element(Fields& f, FleshElement& e, const Skeleton& skeleton) {
  f.optional("name", e.name, {}, {.help = "For people"});
  f.joint("driver", e.driver, {.help = "The node that the element is rigid with"});
  f.joints("ends", e.ends, Presence::required,
           {.help = "Nodes below the driver; the virtual bone leads to their mean", .count = from(1)});
  f.required("origin", e.origin, {.help = "Middle of the virtual bone in the driver's frame", .unit = Unit::metres});
  f.required("orientation", e.orientation, {.help = "Of the local frame in the driver's; y is along the bone"});
  f.required("half_length", e.half_length, {.help = "Of the virtual bone", .unit = Unit::metres, .range = above(0)});
  f.required("radius", e.radius, {.help = "Of its capsule in contacts", .unit = Unit::metres, .range = from(0)});
  f.required("max_elongation", e.max_elongation,
             {.help = "Of the displacement", .unit = Unit::metres, .range = from(0)});
  f.required("mass", e.mass, {.unit = Unit::kilograms, .range = above(0)});
  f.list("springs", e.springs, Presence::required,
         {.help = "Several add up like modes", .count = between(1, double{FleshElement::max_springs})},
         [&](FleshSpring& s) { describe_spring(f, s); });
  f.object("torsion", e.torsion, {.help = "Lets the dynamic frame turn about the bone"},
           [&](FleshTorsion& t) { describe_torsion(f, t); });
  f.optional("gravity", e.gravity, {}, {.help = "In the world", .unit = Unit::metres_per_square_second});
  f.optional("modelled_gravity", e.modelled_gravity, {},
             {.help = "In the local frame: what the modelled shape hangs under already",
              .unit = Unit::metres_per_square_second});
  f.optional("air_friction", e.air_friction, 0, {.unit = Unit::kilograms_per_second, .range = from(0)});
  f.optional("gain", e.gain, 1, {.help = "On the displacement"});
  f.optional("reach", e.reach, 1, {.help = "Twins move by so many displacements", .range = above(0)});
  describe_twins(f, e, skeleton);
}

void describe_collider(Fields& f, FleshCollider& c, std::size_t elements) {
  f.optional("name", c.name, {}, {.help = "For people"});
  f.joint("joint", c.joint, {.help = "The node that it rides on"});
  f.required("a", c.a, {.help = "One end of a capsule in the node's frame", .unit = Unit::metres});
  f.optional("b", c.b, c.a, {.help = "The other end; default a, a ball", .unit = Unit::metres, .usual_depends = true});
  f.required("radius", c.radius, {.unit = Unit::metres, .range = above(0)});
  f.required("elements", c.elements, {.help = "That it touches", .below = elements});
}

}  // namespace

void describe_flesh(Fields& f, Character& c) {
  Flesh& flesh = c.flesh;
  f.object(flesh_kind.member, !flesh.empty(), {.help = "Body parts that swing on springs, moving twin joints"}, [&] {
    f.list("elements", flesh.elements, Presence::required,
           {.help = "Body parts that trail behind a bone on damped springs", .count = from(1)},
           [&](FleshElement& e) { describe_element(f, e, c.skeleton); });
    const std::size_t elements = flesh.elements.size();
    f.list("colliders", flesh.colliders, Presence::optional,
           {.help = "Balls and capsules on nodes that push flesh away", .count = from(1)},
           [&](FleshCollider& collider) { describe_collider(f, collider, elements); });
    f.optional("contacts", flesh.contacts, {},
               {.help = "Pairs of different elements that push each other away", .count = from(1), .below = elements});
    f.check(nullptr, [&]() -> Result<void> {
      const auto ok = validate(flesh, c);
      return ok ? ok : Error{"", ok.error().item + " " + ok.error().problem, ok.error().remedy};
    });
  });
}

}  // namespace supple
