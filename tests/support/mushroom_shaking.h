// A mushroom shaken by its bone, as masses and springs throughout its volume and as one flesh element: how far the rim
// of its cap stays behind, frame by frame, and how alike the two are.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "supple/author/simulate/mass_spring.h"
#include "supple/base/rng.h"
#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/flesh/region.h"
#include "supple/geometry/stuffing.h"
#include "supple/make/mushroom.h"

namespace supple::test {

inline constexpr double frame_rate = 60;
inline constexpr double mushroom_height = 0.3;  // metres: of its bone too, which stands on the origin
inline constexpr double bone_radius = 0.015;    // metres

/// How the bone moves from the rest pose.
struct Shaking {
  const char* name;
  double seconds;
  std::function<Affined(double)> bone;
  std::size_t frames() const { return static_cast<std::size_t>(seconds * frame_rate); }
};

/// Aside by 4 cm in a sixth of a second, then rest: what an element is calibrated on.
inline Shaking step_aside() {
  return {"step", 1, [](double t) {
            const double s = std::clamp(t * 6, 0.0, 1.0);
            return Affined{{}, {0.04 * s * s * (3 - 2 * s), 0, 0}};
          }};
}

/// Motions that no element has seen. All begin gently, from rest.
inline std::vector<Shaking> unseen_shakings() {
  constexpr double turn = 2 * std::numbers::pi;
  const auto begun = [](double t) { return t < 0.5 ? t * t * (12 - 16 * t) : 1.0; };
  const auto swaying = [=](double t) {
    return Affined{{},
                   Vec3d{0.020 * std::sin(turn * 1.3 * t) + 0.006 * std::sin(turn * 3.1 * t), 0,
                         0.015 * std::sin(turn * 0.9 * t) + 0.005 * std::sin(turn * 2.3 * t)} *
                       begun(t)};
  };
  // Forty sines of frequencies up to 5 Hz, slower ones wider: what a hand does that means to do nothing regular.
  struct Wave {
    double hertz, phase;
    Vec3d size;
  };
  std::vector<Wave> waves;
  Rng rng(11);
  for (int i = 0; i < 40; ++i) {
    const double hertz = rng.uniform(0.3, 5), size = 0.006 / (1 + hertz);
    waves.push_back({hertz, rng.uniform(0, turn), {rng.uniform(-size, size), 0, rng.uniform(-size, size)}});
  }
  const auto wandering = [=](double t) {
    Vec3d at{};
    for (const Wave& w : waves) at += w.size * std::sin(turn * w.hertz * t + w.phase);
    return Affined{{}, at * begun(t)};
  };
  // About a point below the ground: the bone turns and its middle goes aside.
  const auto rocking = [=](double t) {
    const double angle = (0.07 * std::sin(turn * 1.1 * t) + 0.025 * std::sin(turn * 2.6 * t)) * begun(t);
    const Mat3d tilt = to_matrix(from_axis_angle(Vec3d{0, 0, 1}, angle));
    const Vec3d pivot{0, -0.1, 0};
    return Affined{tilt, pivot - tilt * pivot};
  };
  return {{"swaying", 2, swaying}, {"wandering", 2, wandering}, {"rocking", 2, rocking}};
}

/// Displacement of the rim against the bone, metres in the world, one for each frame.
using Trace = std::vector<Vec3d>;

/// The volume, and which of its nodes are what.
struct MushroomVolume {
  TetMesh mesh;
  std::vector<std::uint32_t> held, rim;  // in the bone; within a tenth of the farthest from it

  static Result<MushroomVolume> make() {
    const make::Solid solid = make::mushroom_field();
    StuffingOptions options;
    options.box = solid.box;
    options.element_size = 0.032;
    auto mesh = stuff(solid.field, options);
    if (!mesh) return mesh.error();
    MushroomVolume volume{std::move(*mesh), {}, {}};
    const auto radius = [&](std::uint32_t node) {
      return std::hypot(volume.mesh.nodes[node].x, volume.mesh.nodes[node].z);
    };
    double farthest = 0;
    const auto nodes = static_cast<std::uint32_t>(volume.mesh.nodes.size());
    for (std::uint32_t i = 0; i < nodes; ++i) farthest = std::max(farthest, radius(i));
    for (std::uint32_t i = 0; i < nodes; ++i) {
      if (radius(i) <= bone_radius) volume.held.push_back(i);
      if (radius(i) >= 0.9 * farthest) volume.rim.push_back(i);
    }
    return volume;
  }

  Result<simulate::MassSpring> springs() const {
    simulate::MassSpringOptions options;
    options.stiffness = 9000;  // soft as jelly: the cap sways at about 3 Hz
    options.damping = 0.008;
    return simulate::MassSpring::make(mesh, held, options);
  }
};

inline Trace shake(const MushroomVolume& volume, simulate::MassSpring& body, const Shaking& shaking) {
  constexpr int parts = 4;  // of a frame: the bone's way between them is straight
  Trace trace;
  for (std::size_t frame = 1; frame <= shaking.frames(); ++frame) {
    double now = 0;
    for (int i = 1; i <= parts; ++i) {
      now = (static_cast<double>(frame - 1) + static_cast<double>(i) / parts) / frame_rate;
      body.advance(shaking.bone(now), 1 / (parts * frame_rate));
    }
    Vec3d sum{};
    for (const std::uint32_t node : volume.rim)
      sum += body.positions()[node] - shaking.bone(now).point(volume.mesh.nodes[node]);
    trace.push_back(sum / static_cast<double>(volume.rim.size()));
  }
  return trace;
}

/// One spring for the same mushroom. The limit is out of its way: what is compared is the swinging.
struct MushroomElement {
  Flesh flesh;
  double rim_weight = 0;  // of the element's displacement, on the average

  explicit MushroomElement(const MushroomVolume& volume) {
    std::vector<Vec3f> points;
    for (const Vec3d p : volume.mesh.nodes) points.emplace_back(p);
    const std::vector<float> membership(points.size(), 1);
    const VirtualBone bone{{0, 0, 0}, {0, mushroom_height, 0}};
    const RegionWeights region = region_weights(points, membership, bone, bone_radius, Attenuation());
    for (const std::uint32_t node : volume.rim) rim_weight += double{region.weights[node]};
    rim_weight /= static_cast<double>(volume.rim.size());
    FleshElement element;
    element.name = "cap";
    element.driver = 0;
    element.ends = {1};
    element.origin = Vec3f(bone.middle());
    element.half_length = static_cast<float>(bone.length() / 2);
    element.max_elongation = 1;
    element.springs = {FleshSpring{}};
    element.gravity = {};
    flesh.elements.push_back(element);
  }
  FleshSpring& spring() { return flesh.elements[0].springs[0]; }
  float& gain() { return flesh.elements[0].gain; }
};

inline Trace shake(const MushroomElement& element, const Shaking& shaking) {
  const auto world = [&](double now) {
    const Affined bone = shaking.bone(now);
    return std::array{Affinef(bone), Affinef(bone * Affined{{}, {0, mushroom_height, 0}})};
  };
  FleshState state = settled(element.flesh, world(0));
  advance(element.flesh, world(0), 1 / frame_rate, state);  // two poses make a speed: none
  Trace trace;
  for (std::size_t frame = 1; frame <= shaking.frames(); ++frame) {
    const double now = static_cast<double>(frame) / frame_rate;
    advance(element.flesh, world(now), 1 / frame_rate, state);
    trace.push_back(Vec3d(state.motions[0].shift) * element.rim_weight);
  }
  return trace;
}

/// Sideways, both ways together: 1 for traces that differ by a factor only.
inline double inner_product(const Trace& a, const Trace& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].x * b[i].x + a[i].z * b[i].z;
  return sum;
}
inline double correlation(Trace a, Trace b) {
  for (Trace* trace : {&a, &b}) {
    Vec3d mean{};
    for (const Vec3d v : *trace) mean += v / static_cast<double>(trace->size());
    for (Vec3d& v : *trace) v -= mean;
  }
  return inner_product(a, b) / std::sqrt(inner_product(a, a) * inner_product(b, b));
}

/// Hz: where the spectrum of the sideways motion is highest, under a window that hides its ends.
inline double dominant_frequency(const Trace& trace) {
  double best = 0, highest = -1;
  for (int step = 30; step <= 1000; ++step) {
    const double hertz = step / 100.0;
    double power = 0;
    for (const std::size_t axis : {0, 2}) {
      double re = 0, im = 0;
      for (std::size_t i = 0; i < trace.size(); ++i) {
        const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(trace.size());
        const double value = trace[i][axis] * (1 - std::cos(2 * std::numbers::pi * place));
        const double phase = 2 * std::numbers::pi * hertz * static_cast<double>(i) / frame_rate;
        re += value * std::cos(phase);
        im += value * std::sin(phase);
      }
      power += re * re + im * im;
    }
    if (power > highest) highest = power, best = hertz;
  }
  return best;
}

/// Frequency, damping ratio and gain with which the element's trace is nearest to the given one (least squares; the
/// gain has a closed form). Returns what is left, relative to the trace.
inline double calibrate(MushroomElement& element, const Shaking& shaking, const Trace& target) {
  const double size = inner_product(target, target);
  double left = std::numeric_limits<double>::infinity();
  const auto try_spring = [&](double frequency, double ratio) {
    MushroomElement trial = element;
    trial.spring().frequency = static_cast<float>(frequency);
    trial.spring().damping_ratio = static_cast<float>(ratio);
    trial.gain() = 1;
    const Trace trace = shake(trial, shaking);
    const double product = inner_product(trace, target), gain = product / inner_product(trace, trace);
    if (const double rest = size - gain * product; rest < left) {
      left = rest;
      element = trial;
      element.gain() = static_cast<float>(gain);
    }
  };
  for (double frequency = 1; frequency < 8; frequency *= 1.1)
    for (const double ratio : {0.05, 0.1, 0.2, 0.4}) try_spring(frequency, ratio);
  for (double factor = 1.2; factor > 1.0005; factor = std::sqrt(factor)) {
    for (double before = std::numeric_limits<double>::infinity(); left < before;) {
      before = left;
      const double frequency = double{element.spring().frequency}, ratio = double{element.spring().damping_ratio};
      for (const double f : {1 / factor, factor}) {
        try_spring(frequency * f, ratio);
        try_spring(frequency, ratio * f);
      }
    }
  }
  return std::sqrt(left / size);
}

}  // namespace supple::test
