// Each element: where its bone went, an exact step of its springs, the limit; then contacts among them all.
#include "supple/deform/flesh/dynamics.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/flesh/contact.h"
#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

/// While an element is at its limit the spring pulls it back within steps of at most this (seconds).
constexpr double longest_limited_step = 1.0 / 240;
constexpr double most_limited_steps = 2400;
/// What no body does, in lengths of the virtual bone: further than expected in one step, and a second. Where nothing is
/// expected yet, it may just be fast.
struct Teleport {
  double distance, speed;
};
constexpr Teleport unexpected{4, 60}, from_nowhere{10, 100};

/// How the bone's side of the springs moves during a step: velocity + t * acceleration + t^2 / 2 * jerk.
struct AnchorMotion {
  Vec3d velocity{}, acceleration{}, jerk{};
  AnchorMotion after(double t) const {
    return {velocity + acceleration * t + jerk * (t * t / 2), acceleration + jerk * t, jerk};
  }
};

AnchorMotion straight(Vec3d way, double seconds) { return {way / seconds, {}, {}}; }

/// From one velocity to another, covering `way`: a cubic.
AnchorMotion curved(Vec3d way, double seconds, Vec3d from, Vec3d to) {
  const Vec3d change = to - from, beyond = way / seconds - from;
  return {from, (beyond * 6.0 - change * 2.0) / seconds, (change * 6.0 - beyond * 12.0) / (seconds * seconds)};
}

/// What pulls at a spring's end, per unit of mass: start + t * rate + t^2 * curve.
struct Pull {
  Vec3d start, rate, curve;
  Pull after(double t) const { return {start + rate * t + curve * (t * t), rate + curve * (2 * t), curve}; }
};

/// Weight, inertia, air.
Pull pull_on(const FleshElement& element, const Pull& gravity, const AnchorMotion& anchor) {
  const double air = double{element.air_friction} / double{element.mass};
  return {gravity.start - anchor.acceleration - anchor.velocity * air,
          gravity.rate - anchor.jerk - anchor.acceleration * air, gravity.curve + anchor.jerk * (-air / 2)};
}

/// The gravity that the modelled shape does not know of.
Vec3d unmodelled_gravity(const FleshElement& element, const FleshFrame& frame) {
  return Vec3d(element.gravity) - frame.axes * Vec3d(element.modelled_gravity);
}

/// The same while the bone turns from one orientation to the frame's: the parabola through its beginning, middle and
/// end. Constant it would be late by half a step, which is seen at 24 steps a second.
Pull gravity_during(const FleshElement& element, Quatd from, const FleshFrame& frame, double seconds) {
  const Quatd to = from_matrix(frame.axes);
  const Vec3d end = unmodelled_gravity(element, frame);
  if (from == to || element.modelled_gravity == Vec3f{}) return {end, {}, {}};
  const auto in = [&](Quatd q) { return Vec3d(element.gravity) - rotate(q, Vec3d(element.modelled_gravity)); };
  const Vec3d start = in(from), middle = in(slerp(from, to, 0.5));
  return {start, (middle * 4.0 - start * 3.0 - end) / seconds,
          (start - middle * 2.0 + end) * (2 / (seconds * seconds))};
}

bool same_all_round(const FleshSpring& spring) {
  return spring.axes.x == spring.axes.y && spring.axes.y == spring.axes.z;
}

Oscillator oscillator_of(const FleshElement& element, const FleshSpring& spring, std::size_t axis) {
  Oscillator o = oscillator(double{spring.frequency}, double{spring.damping_ratio});
  o.stiffness *= double{spring.axes[axis]};
  o.damping += double{element.air_friction} / double{element.mass};
  return o;
}

void keep(OscillatorStep& step, const Oscillator& o, double seconds) {
  if (!step.is_of(o, seconds)) step = OscillatorStep(o, seconds);
}

/// A spring that is equally stiff all round swings alike in any axes.
void swing_round(const OscillatorStep& step, const Pull& pull, Vec3d& displacement, Vec3d& velocity) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Swing after = step.advanced({displacement[k], velocity[k]}, {pull.start[k], pull.rate[k], pull.curve[k]});
    displacement[k] = after.position;
    velocity[k] = after.velocity;
  }
}

/// The others swing along the axes of the element's frame.
void swing_along(const Mat3d& axes, std::span<const OscillatorStep, 3> steps, const Pull& pull, Vec3d& displacement,
                 Vec3d& velocity) {
  const Mat3d to_frame = transpose(axes);
  const Pull here{to_frame * pull.start, to_frame * pull.rate, to_frame * pull.curve};
  Vec3d x = to_frame * displacement, v = to_frame * velocity;
  for (std::size_t k = 0; k < 3; ++k) {
    const Swing after = steps[k].advanced({x[k], v[k]}, {here.start[k], here.rate[k], here.curve[k]});
    x[k] = after.position;
    v[k] = after.velocity;
  }
  displacement = axes * x;
  velocity = axes * v;
}

void swing(const FleshElement& element, const Mat3d& axes, const Pull& pull, double seconds, FleshElementState& state) {
  for (std::size_t s = 0; s < element.springs.size(); ++s) {
    const FleshSpring& spring = element.springs[s];
    std::array<OscillatorStep, 3>& steps = state.steps[s];
    const bool round = same_all_round(spring);
    for (std::size_t axis = 0; axis < (round ? 1u : 3u); ++axis)
      keep(steps[axis], oscillator_of(element, spring, axis), seconds);
    if (round) {
      swing_round(steps[0], pull, state.displacement[s], state.velocity[s]);
    } else {
      swing_along(axes, steps, pull, state.displacement[s], state.velocity[s]);
    }
  }
  if (element.torsion) {
    keep(state.twist_step, oscillator(double{element.torsion->frequency}, double{element.torsion->damping_ratio}),
         seconds);
    const Swing after = state.twist_step.advanced({state.twist, state.twist_velocity}, {});
    state.twist = after.position;
    state.twist_velocity = after.velocity;
  }
}

/// One step where that keeps within the limit, else many short ones with the limit after each.
void swing_within_limit(const FleshElement& element, const Mat3d& axes, const Pull& gravity, const AnchorMotion& anchor,
                        double seconds, FleshElementState& state) {
  const auto displacement = state.displacement, velocity = state.velocity;
  const double twist = state.twist, twist_velocity = state.twist_velocity;
  swing(element, axes, pull_on(element, gravity, anchor), seconds, state);
  if (!limit(element, state) || seconds <= longest_limited_step) return;
  state.displacement = displacement;
  state.velocity = velocity;
  state.twist = twist;
  state.twist_velocity = twist_velocity;
  const double steps = std::min(std::ceil(seconds / longest_limited_step), most_limited_steps);
  const double step = seconds / steps;
  for (double i = 0; i < steps; ++i) {
    swing(element, axes, pull_on(element, gravity.after(i * step), anchor.after(i * step)), step, state);
    limit(element, state);
  }
}

/// Radians about the bone from one orientation to the next.
double turn_about_bone(Quatd from, Quatd to) {
  const Quatd turn = conjugate(from) * to;  // in the element's frame, whose y is the bone
  return 2 * std::atan2(turn.w < 0 ? -turn.y : turn.y, std::abs(turn.w));
}

void feel_spin(const FleshFrame& frame, double seconds, FleshElementState& state) {
  const Quatd orientation = from_matrix(frame.axes);
  // Where the body was put elsewhere, how it was turned there is no spin.
  const double spin = state.jumped > 0 ? state.spin : turn_about_bone(state.orientation, orientation) / seconds;
  if (state.has_spin) state.twist_velocity -= spin - state.spin;
  state.orientation = orientation;
  state.spin = spin;
  state.has_spin = true;
}

FleshMotion motion_of(const FleshElement& element, const FleshFrame& frame, const FleshElementState& state) {
  return {Vec3f(shift_of(element, state)), Vec3f(frame.origin), Vec3f(frame.axes.c1), static_cast<float>(state.twist)};
}

AnchorMotion anchor_motion(const FleshElementState& state, Vec3d way, double seconds, const Vec3d* speed) {
  if (speed == nullptr) return straight(way, seconds);
  // How fast the very first step begins is not known: without a bend.
  const Vec3d from = state.has_velocity ? state.anchor_velocity : (way / seconds * 3.0 - *speed) / 2.0;
  return curved(way, seconds, from, *speed);
}

void advance_element(const FleshElement& element, const FleshFrame& frame, double seconds, const Vec3d* speed,
                     FleshElementState& state) {
  if (!is_finite(frame.origin)) return;  // a broken pose for a frame does no harm for ever
  if (!is_finite(state.anchor)) state.anchor = frame.origin;
  const Vec3d way = frame.origin - state.anchor;
  AnchorMotion anchor = anchor_motion(state, way, seconds, speed);
  state.jumped = 0;
  if (is_put_elsewhere(element, way, state.has_velocity ? &state.anchor_velocity : nullptr, seconds)) {
    state.jumped = length(way);
    const Vec3d from = state.anchor_velocity, to = speed != nullptr ? *speed : from;
    anchor = curved((from + to) * (seconds / 2), seconds, from, to);
  }
  if (state.has_velocity) {  // the frame's change of speed, felt at once
    for (std::size_t s = 0; s < element.springs.size(); ++s)
      state.velocity[s] -= anchor.velocity - state.anchor_velocity;
  }
  // Where the body was put elsewhere, it did not turn there on a way.
  const Quatd to = from_matrix(frame.axes), from = state.jumped > 0 ? to : state.orientation;
  if (element.torsion) feel_spin(frame, seconds, state);
  const Mat3d axes = from == to ? frame.axes : to_matrix(slerp(from, to, 0.5));
  swing_within_limit(element, axes, gravity_during(element, from, frame, seconds), anchor, seconds, state);
  state.orientation = to;
  state.anchor = frame.origin;
  state.anchor_velocity = anchor.after(seconds).velocity;
  state.has_velocity = true;
}

/// Without speeds bones move straight.
void advance_all(const Flesh& flesh, std::span<const Affinef> world, double seconds, std::span<const Vec3d> speeds,
                 FleshState& state) {
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    const FleshElement& element = flesh.elements[e];
    const FleshFrame frame = flesh_frame(element, world);
    if (seconds > 0) advance_element(element, frame, seconds, speeds.empty() ? nullptr : &speeds[e], state.elements[e]);
    state.motions[e] = motion_of(element, frame, state.elements[e]);
  }
  if (flesh.colliders.empty() && flesh.contacts.empty()) return;
  resolve_contacts(flesh, world, state);
  for (std::size_t e = 0; e < flesh.elements.size(); ++e)
    state.motions[e].shift = Vec3f(shift_of(flesh.elements[e], state.elements[e]));
}

}  // namespace

bool is_put_elsewhere(const FleshElement& element, Vec3d way, const Vec3d* speed, double seconds) {
  const double bone = 2 * double{element.half_length};
  const Teleport& usual = speed != nullptr ? unexpected : from_nowhere;
  const double most = std::max(usual.distance, usual.speed * seconds) * bone;
  return squared_length(speed != nullptr ? way - *speed * seconds : way) > most * most;
}

void settle(const Flesh& flesh, std::span<const Affinef> world, FleshState& state) {
  state.elements.resize(flesh.elements.size());
  state.motions.resize(flesh.elements.size());
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    const FleshElement& element = flesh.elements[e];
    FleshElementState& s = state.elements[e];
    const FleshFrame frame = flesh_frame(element, world);
    const Vec3d weight = transpose(frame.axes) * unmodelled_gravity(element, frame);
    s = {};
    for (std::size_t k = 0; k < element.springs.size(); ++k) {
      Vec3d sag{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        sag[axis] = weight[axis] / oscillator_of(element, element.springs[k], axis).stiffness;
      s.displacement[k] = frame.axes * sag;
    }
    s.anchor = frame.origin;
    s.orientation = from_matrix(frame.axes);
    limit(element, s);
    state.motions[e] = motion_of(element, frame, s);
  }
  advance_all(flesh, world, 0, {}, state);  // contacts
}

FleshMotion between(const FleshMotion& a, const FleshMotion& b, float t) {
  return {a.shift + (b.shift - a.shift) * t, a.origin + (b.origin - a.origin) * t,
          normalized(a.axis + (b.axis - a.axis) * t, a.axis), a.twist + (b.twist - a.twist) * t};
}

FleshState settled(const Flesh& flesh, std::span<const Affinef> world) {
  FleshState state;
  settle(flesh, world, state);
  return state;
}

void advance(const Flesh& flesh, std::span<const Affinef> world, double seconds, FleshState& state) {
  advance_all(flesh, world, seconds, {}, state);
}

void advance(const Flesh& flesh, std::span<const Affinef> world, std::span<const Vec3d> speeds, double seconds,
             FleshState& state) {
  advance_all(flesh, world, seconds, speeds, state);
}

std::vector<Vec3d> anchor_speeds(std::span<const Vec3d> points, double seconds, bool cycle) {
  const std::size_t last = points.size() - 1;
  std::vector<Vec3d> speeds(points.size());
  if (last == 0) return speeds;
  // Before + 4 at + after = 3 (next - previous) / step, at the ends 2 at + inner = 3 (difference) / step: each sweep
  // leaves less than a third of the error.
  constexpr int sweeps = 40;
  const Vec3d lap = points[last] - points[0];
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t i = 0; i <= last; ++i) {
      if (!cycle && i == 0) {
        speeds[i] = ((points[1] - points[0]) * (3 / seconds) - speeds[1]) / 2.0;
      } else if (!cycle && i == last) {
        speeds[i] = ((points[i] - points[i - 1]) * (3 / seconds) - speeds[i - 1]) / 2.0;
      } else if (i == last) {
        speeds[i] = speeds[0];
      } else {
        const bool first = i == 0;
        const Vec3d previous = first ? points[last - 1] - lap : points[i - 1];
        const Vec3d before = first ? speeds[last - 1] : speeds[i - 1];
        speeds[i] = ((points[i + 1] - previous) * (3 / seconds) - before - speeds[i + 1]) / 4.0;
      }
    }
  }
  return speeds;
}

}  // namespace supple
