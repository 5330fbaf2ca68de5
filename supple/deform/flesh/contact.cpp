#include "supple/deform/flesh/contact.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

constexpr int rounds = 4;  // a push may lead into the next collider

struct Segment {
  Vec3d from, along;
  Vec3d at(double t) const { return from + along * t; }
};

/// The virtual bone, moved as a whole to where the flesh is.
Segment segment_of(const FleshElement& element, const FleshElementState& state, const FleshMotion& motion) {
  const Vec3d half = Vec3d(motion.axis) * double{element.half_length};
  return {Vec3d(motion.origin) - half + shift_of(element, state), half * 2.0};
}

/// From the nearest point of `b` to that of `a`. Parallel segments have many such pairs; all give the same vector, but
/// where the ends decide.
Vec3d between(const Segment& a, const Segment& b) {
  const Vec3d apart = a.from - b.from;
  const double aa = squared_length(a.along), bb = squared_length(b.along), ab = dot(a.along, b.along);
  const double on_a = dot(a.along, apart), on_b = dot(b.along, apart), area = aa * bb - ab * ab;
  const auto unit = [](double t) { return std::clamp(t, 0.0, 1.0); };
  double s = area > 1e-12 * aa * bb ? unit((ab * on_b - bb * on_a) / area) : 0.5;
  const double t = bb > 0 ? unit((ab * s + on_b) / bb) : 0;
  if (aa > 0) s = unit((ab * t - on_a) / aa);
  return a.at(s) - b.at(t);
}

/// How deep two capsules are in each other; `normal` leads out of the second one.
struct Overlap {
  double depth = 0;
  Vec3d normal{};
};

Overlap overlap(const Segment& a, const Segment& b, double radii) {
  const Vec3d apart = between(a, b);
  // Bodies that lie centre on centre part sideways, the same way each time.
  return {radii - length(apart), normalized(apart, any_perpendicular(normalized(a.along, Vec3d{0, 1, 0})))};
}

void stop(const FleshElement& element, Vec3d normal, FleshElementState& state) {
  for (std::size_t s = 0; s < element.springs.size(); ++s)
    state.velocity[s] -= normal * std::min(dot(state.velocity[s], normal), 0.0);
}

void part(const FleshElement& element, Vec3d normal, double by, FleshElementState& state) {
  push(element, normal * by, state);
  limit(element, state);
  stop(element, normal, state);
}

bool touch(const FleshElement& element, const Segment& collider, double radius, const FleshMotion& motion,
           FleshElementState& state) {
  const Overlap o = overlap(segment_of(element, state, motion), collider, double{element.radius} + radius);
  if (!(o.depth > 0)) return false;
  part(element, o.normal, o.depth, state);
  return true;
}

bool touch(const Flesh& flesh, std::uint32_t first, std::uint32_t second, FleshState& state) {
  const FleshElement &a = flesh.elements[first], &b = flesh.elements[second];
  FleshElementState &sa = state.elements[first], &sb = state.elements[second];
  const Overlap o = overlap(segment_of(a, sa, state.motions[first]), segment_of(b, sb, state.motions[second]),
                            double{a.radius} + double{b.radius});
  if (!(o.depth > 0)) return false;
  const double share = double{b.mass} / (double{a.mass} + double{b.mass});  // the lighter one gives way further
  part(a, o.normal, o.depth * share, sa);
  part(b, -o.normal, o.depth * (1 - share), sb);
  return true;
}

}  // namespace

Vec3d shift_of(const FleshElement& element, const FleshElementState& state) {
  Vec3d sum{};
  for (std::size_t s = 0; s < element.springs.size(); ++s)
    sum += state.displacement[s] * double{element.springs[s].share};
  return sum * double{element.gain};
}

void push(const FleshElement& element, Vec3d by, FleshElementState& state) {
  double shares = 0;
  for (const FleshSpring& spring : element.springs) shares += double{spring.share};
  const double effect = shares * double{element.gain};
  if (std::abs(effect) < 1e-9) return;  // nothing would show
  for (std::size_t s = 0; s < element.springs.size(); ++s) state.displacement[s] += by / effect;
}

bool limit(const FleshElement& element, FleshElementState& state) {
  bool limited = false;
  double reach = double{element.max_elongation};
  if (element.torsion) {
    const double most = double{element.torsion->max_angle};
    limited = std::abs(state.twist) > most;
    state.twist = std::clamp(state.twist, -most, most);
    // With weight a, a vertex at distance r keeps (1 - a + a cos) r - a reach of it on its own side of the bone. a
    // reach is at most r, so that with this nothing crosses.
    reach *= std::cos(state.twist);
  }
  const double square = squared_length(shift_of(element, state));
  if (!(square > reach * reach)) return limited;
  const double back = reach / std::sqrt(square);
  for (std::size_t s = 0; s < element.springs.size(); ++s) state.displacement[s] *= back;
  return true;
}

void resolve_contacts(const Flesh& flesh, std::span<const Affinef> world, FleshState& state) {
  bool touching = !flesh.colliders.empty() || !flesh.contacts.empty();
  for (int round = 0; touching && round < rounds; ++round) {
    touching = false;
    for (const FleshCollider& c : flesh.colliders) {
      const Affined joint(world[c.joint]);
      const Vec3d from = joint.point(Vec3d(c.a));
      const Segment segment{from, joint.point(Vec3d(c.b)) - from};
      for (const std::uint32_t e : c.elements)
        touching |= touch(flesh.elements[e], segment, double{c.radius}, state.motions[e], state.elements[e]);
    }
    for (const auto& [a, b] : flesh.contacts) touching |= touch(flesh, a, b, state);
  }
}

}  // namespace supple
