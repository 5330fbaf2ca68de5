// Each muscle: where its frame went, the kick of its change of speed, an exact step of every sample, the limit.
#include "supple/deform/vortex/dynamics.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/vortex/field.h"
#include "supple/deform/vortex/pack.h"

namespace supple {
namespace {

/// What no body does, in lengths of the muscle: further than expected in one step, and a second. Where nothing is
/// expected yet, it may just be fast.
struct Teleport {
  double distance, speed;
};
constexpr Teleport unexpected{4, 60}, from_nowhere{10, 100};
/// Of a change of speed between two frames: what comes as an acceleration over the step. None is exact for a body that
/// stops at a frame, and at 24 frames a second makes 5 % too little of a smooth motion for muscles of 3 Hz (k_s dt^2 /
/// 12 of it); all is exact for smooth motions, and makes as much too much of the stop.
constexpr double gradual = 0.7;
constexpr int shear_rounds = 60;  // until a sheared muscle's balance is found

/// One muscle: what the table, the caller and the state have of it.
struct MuscleNow {
  const VortexTableMuscle& table;
  const VortexMuscle& live;
  std::span<const Vec3d> positions, normals;
  std::span<const double> areas;
  std::span<Vec3d> vorticity, rate;
  std::span<double> stiffening;
  VortexMuscleState& state;

  /// (medium - muscle) / (medium + muscle): below zero for what is heavier than the air about it.
  double contrast() const {
    const double own = double{live.density}, medium = double{live.medium_density};
    return (medium - own) / (medium + own);
  }
  /// What a push per unit of mass does to a sample's vorticity: equation 10.
  Vec3d twisted(std::size_t i, Vec3d push) const { return cross(normals[i], push) * (2 * areas[i] * contrast()); }
  Vec3d stretch(std::size_t i) const {
    const Vec3d axis(live.stretch_axis);
    return axis * (dot(positions[i] - Vec3d(live.stretch_center), axis) * double{live.stretch});
  }
  /// The gravity that the modelled shape does not know of, in the muscle's frame.
  Vec3d weight(const MuscleFrame& frame) const {
    return transpose(frame.axes) * Vec3d(live.gravity) - Vec3d(live.modelled_gravity);
  }
  Oscillator spring() const { return oscillator(double{live.frequency}, double{live.damping_ratio}); }
  /// Equation 14's factor on the stiffness.
  void stiffen() {
    const VortexField field{positions, vorticity, table.gain, table.reach};
    for (std::size_t i = 0; i < positions.size(); ++i)
      stiffening[i] = live.shear ? 1 + shear_strain(field.gradient(positions[i])) : 1;
  }
  /// Vorticity at most this carries the skin as far as it may go. What pushes further out stops there.
  void limit(std::size_t i) {
    Vec3d &w = vorticity[i], &u = rate[i];
    if (!is_finite(w) || !is_finite(u)) {
      w = u = {};
      return;
    }
    const double most = 2 * areas[i] * double{live.limit} * table.radius, size = length(w);
    if (!(size > most)) return;
    const Vec3d outward = w / size;
    w = outward * most;
    u -= outward * std::max(0.0, dot(u, outward));
  }
};

MuscleNow muscle_now(const VortexTable& table, const Kinodynamics& kinodynamics, std::size_t m, VortexState& state) {
  const VortexTableMuscle& muscle = table.muscles[m];
  const std::size_t first = muscle.first_sample, count = muscle.samples;
  return {muscle,
          kinodynamics.muscles[m],
          std::span(table.positions).subspan(first, count),
          std::span(table.normals).subspan(first, count),
          std::span(table.areas).subspan(first, count),
          std::span(state.vorticity).subspan(first, count),
          std::span(state.rate).subspan(first, count),
          std::span(state.stiffening).subspan(first, count),
          state.muscles[m]};
}

MuscleFrame frame_of(const VortexTableMuscle& muscle, std::span<const Affinef> world) {
  return muscle_frame(muscle.joint, muscle.center, muscle.orientation, world);
}

MuscleMotion motion_between(const MuscleFrame& from, const MuscleFrame& to, double seconds) {
  return {(to.axes - from.axes) * (1 / seconds), (to.origin - from.origin) / seconds};
}

MuscleMotion operator-(const MuscleMotion& a, const MuscleMotion& b) {
  return {a.turning - b.turning, a.velocity - b.velocity};
}
MuscleMotion operator*(const MuscleMotion& a, double s) { return {a.turning * s, a.velocity * s}; }

/// As seen from the muscle it stays the same.
MuscleMotion turned(const MuscleMotion& motion, const MuscleFrame& from, const MuscleFrame& to) {
  const Mat3d turn = to.axes * transpose(from.axes);
  return {turn * motion.turning, turn * motion.velocity};
}

bool is_put_elsewhere(const MuscleNow& m, const MuscleFrame& frame, double seconds) {
  const Teleport& usual = m.state.has_motion ? unexpected : from_nowhere;
  const double most = std::max(usual.distance, usual.speed * seconds) * m.table.length;
  const Vec3d way = frame.origin - m.state.frame.origin;
  return squared_length(m.state.has_motion ? way - m.state.motion.velocity * seconds : way) > most * most;
}

/// As the muscle's own frame sees it.
MuscleMotion seen_from(const MuscleFrame& frame, const MuscleMotion& motion) {
  const Mat3d into = transpose(frame.axes);
  return {into * motion.turning, into * motion.velocity};
}

/// A change of speed twists every sample by where it is; in the muscle's frame.
void kick(MuscleNow& m, const MuscleMotion& by) {
  for (std::size_t i = 0; i < m.positions.size(); ++i)
    m.rate[i] -= m.twisted(i, by.turning * m.positions[i] + by.velocity);
}

/// What pushes at one end of a step, in the muscle's frame: the same everywhere, and by the place.
struct Pushes {
  Vec3d weight;
  MuscleMotion acceleration;
  Vec3d at(Vec3d p) const { return weight - (acceleration.turning * p + acceleration.velocity); }
};

void swing(const OscillatorStep& step, Vec3d start, Vec3d change, Vec3d& w, Vec3d& u) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Swing after = step.advanced({w[k], u[k]}, {start[k], change[k], 0});
    w[k] = after.position;
    u[k] = after.velocity;
  }
}

/// Gravity and acceleration turn from one frame to the next within the step.
void swing_all(MuscleNow& m, const Pushes& from, const Pushes& to, double seconds) {
  const Oscillator spring = m.spring();
  if (!m.state.step.is_of(spring, seconds)) m.state.step = OscillatorStep(spring, seconds);
  const auto push = [&](std::size_t i, const OscillatorStep& step) {
    const Vec3d start = from.at(m.positions[i]), end = to.at(m.positions[i]);
    swing(step, m.twisted(i, start + m.stretch(i)), m.twisted(i, (end - start) / seconds), m.vorticity[i], m.rate[i]);
  };
  m.stiffen();
  for (std::size_t i = 0; i < m.positions.size(); ++i) {
    if (m.stiffening[i] != 1) {
      push(i, OscillatorStep({spring.stiffness * m.stiffening[i], spring.damping}, seconds));
    } else {
      push(i, m.state.step);
    }
  }
  for (std::size_t i = 0; i < m.positions.size(); ++i) m.limit(i);
}

void advance_muscle(MuscleNow& m, const MuscleFrame& frame, double seconds) {
  VortexMuscleState& s = m.state;
  s.jumped = 0;
  if (!is_finite(frame)) return;
  MuscleMotion change;
  MuscleFrame from = s.frame;
  if (is_put_elsewhere(m, frame, seconds)) {  // goes on there as it went
    s.jumped = length(frame.origin - s.frame.origin);
    s.motion = turned(s.motion, s.frame, frame);
    s.ahead = turned(s.ahead, s.frame, frame);
    from = frame;
  } else {
    const MuscleMotion motion = motion_between(s.frame, frame, seconds);
    if (s.has_motion) change = motion - s.motion;
    s.motion = motion;
    s.has_motion = true;
  }
  // A muscle full of life does not feel any of it.
  const double felt = 1 - double{m.live.life};
  const MuscleMotion acceleration = change * (felt * gradual / seconds);
  if (felt != 0) kick(m, seen_from(from, (change * (1 - gradual / 2) - s.ahead) * felt));
  s.ahead = change * (gradual / 2);
  s.frame = frame;
  swing_all(m, {m.weight(from), seen_from(from, acceleration)}, {m.weight(frame), seen_from(frame, acceleration)},
            seconds);
}

void settle_muscle(MuscleNow& m, const MuscleFrame& frame) {
  m.state = {};
  if (is_finite(frame)) m.state.frame = frame;
  const double stiffness = m.spring().stiffness;
  const Vec3d weight = m.weight(m.state.frame);
  const auto balance = [&](std::size_t i) { return m.twisted(i, weight + m.stretch(i)) / stiffness; };
  for (std::size_t i = 0; i < m.positions.size(); ++i) {
    m.vorticity[i] = balance(i);
    m.rate[i] = {};
    m.limit(i);
  }
  // Stiffer where sheared, sheared less where stiffer: half way towards the balance each round.
  for (int round = 0; m.live.shear && round < shear_rounds; ++round) {
    m.stiffen();
    for (std::size_t i = 0; i < m.positions.size(); ++i) {
      m.vorticity[i] = (m.vorticity[i] + balance(i) / m.stiffening[i]) / 2.0;
      m.limit(i);
    }
  }
}

}  // namespace

void settle(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world,
            VortexState& state) {
  prepare(table, state);
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    MuscleNow muscle = muscle_now(table, kinodynamics, m, state);
    settle_muscle(muscle, frame_of(muscle.table, world));
  }
  pack(table, state);
}

VortexState settled(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world) {
  VortexState state;
  settle(table, kinodynamics, world, state);
  return state;
}

void advance(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world, double seconds,
             VortexState& state) {
  if (!(seconds > 0) || !std::isfinite(seconds)) return carry(table, world, state);
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    MuscleNow muscle = muscle_now(table, kinodynamics, m, state);
    advance_muscle(muscle, frame_of(muscle.table, world), seconds);
  }
  pack(table, state);
}

void show(const VortexTable& table, std::span<const Affinef> world, std::span<const Vec3f> vorticity,
          VortexState& state) {
  prepare(table, state);
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    state.muscles[m] = {};
    state.muscles[m].frame = frame_of(table.muscles[m], world);
  }
  for (std::size_t i = 0; i < vorticity.size(); ++i) state.vorticity[i] = Vec3d(vorticity[i]);
  std::fill(state.rate.begin(), state.rate.end(), Vec3d{});
  pack(table, state);
}

void carry(const VortexTable& table, std::span<const Affinef> world, VortexState& state) {
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    VortexMuscleState& s = state.muscles[m];
    const MuscleFrame frame = frame_of(table.muscles[m], world);
    if (!is_finite(frame)) continue;
    s.motion = turned(s.motion, s.frame, frame);
    s.ahead = turned(s.ahead, s.frame, frame);
    s.frame = frame;
  }
  pack(table, state);
}

void came_from(const VortexTable& table, std::span<const Affinef> before, double seconds, VortexState& state) {
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    VortexMuscleState& s = state.muscles[m];
    s.motion = motion_between(frame_of(table.muscles[m], before), s.frame, seconds);
    s.has_motion = true;
  }
}

}  // namespace supple
