#include "supple/deform/vortex/pack.h"

#include <algorithm>

namespace supple {
namespace {

/// The largest of x (1 - x^2)^4, at x = 1/3: no vortex moves a point by more than this times its vorticity.
constexpr double steepest_turn = 4096.0 / 19683;

/// Vortices of one muscle in its frame.
struct Vortices {
  std::span<const Vec3d> positions, vorticity;
  double gain, reach, spread;
};

void place_patches(const Vortices& v, const MuscleFrame& frame, VortexPatch* patch) {
  for (std::size_t first = 0; first < v.positions.size(); first += VortexPatch::most, ++patch) {
    const auto own = v.positions.subspan(first, std::min<std::size_t>(VortexPatch::most, v.positions.size() - first));
    Vec3d center{};
    for (const Vec3d p : own) center += p / static_cast<double>(own.size());
    double radius = 0;
    for (const Vec3d p : own) radius = std::max(radius, length(p - center));
    *patch = {Vec3f(frame.point(center)), static_cast<float>(radius)};
  }
}

void pack_set(const Vortices& v, const MuscleFrame& frame, vortex::Set& set, VortexSetState& state, float* out) {
  state.moves = std::any_of(v.vorticity.begin(), v.vorticity.end(), [](Vec3d w) { return !(w == Vec3d{}); });
  state.reach = static_cast<float>(v.spread + v.reach);
  state.fastest = 0;
  if (!state.moves) return;
  for (std::size_t k = 0; k < 3; ++k) set.center[k] = static_cast<float>(frame.origin[k]);
  set.inverse_reach = static_cast<float>(1 / v.reach);
  double strength = 0;
  for (std::size_t i = 0; i < v.positions.size(); ++i, out += vortex::floats_a_vortex) {
    const Vec3d w = frame.axes * v.vorticity[i] * (v.gain * v.reach), s = frame.axes * v.positions[i] / v.reach;
    const Vec3d moment = cross(w, s);
    strength += length(w);
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] = static_cast<float>(2 * s[k]);
      out[4 + k] = static_cast<float>(w[k]);
      out[7 + k] = static_cast<float>(moment[k]);
    }
    out[3] = static_cast<float>(-squared_length(s));
  }
  state.fastest = static_cast<float>(strength * steepest_turn);
}

}  // namespace

void prepare(const VortexTable& table, VortexState& state) {
  const std::size_t samples = table.positions.size();
  state.muscles.resize(table.muscles.size());
  state.vorticity.resize(samples);
  state.rate.resize(samples);
  state.stiffening.resize(samples);
  state.sets.clear();
  state.set_states.clear();
  std::uint32_t patches = 0;
  const auto add = [&](std::uint32_t muscle, std::uint32_t first) {
    const std::uint32_t count = table.muscles[muscle].samples;
    state.sets.push_back({{}, 1, first, count});
    state.set_states.push_back({muscle, false, 0, 0, patches});
    patches += (count + VortexPatch::most - 1) / VortexPatch::most;
  };
  for (std::uint32_t m = 0; m < table.muscles.size(); ++m) add(m, table.muscles[m].first_sample);
  for (const VortexTablePlastic& p : table.plastic_muscles)
    add(p.muscle, static_cast<std::uint32_t>(samples) + p.first);
  state.patches.resize(patches);
  state.vortices.resize((samples + table.plastic.size()) * vortex::floats_a_vortex);
}

void pack(const VortexTable& table, VortexState& state) {
  const std::span<const Vec3d> positions(table.positions), vorticity(state.vorticity), plastic(table.plastic);
  for (std::size_t i = 0; i < state.sets.size(); ++i) {
    vortex::Set& set = state.sets[i];
    const std::uint32_t m = state.set_states[i].muscle;
    const VortexTableMuscle& muscle = table.muscles[m];
    const std::span<const Vec3d> samples = positions.subspan(muscle.first_sample, muscle.samples);
    float* out = state.vortices.data() + set.first * vortex::floats_a_vortex;
    Vortices vortices{samples, vorticity.subspan(muscle.first_sample, muscle.samples), muscle.gain, muscle.reach,
                      muscle.spread};
    if (i >= table.muscles.size()) {
      const VortexTablePlastic& p = table.plastic_muscles[i - table.muscles.size()];
      vortices.vorticity = plastic.subspan(p.first, muscle.samples);
      vortices.gain = 1;
      vortices.reach = p.reach;
    }
    pack_set(vortices, state.muscles[m].frame, set, state.set_states[i], out);
    if (state.set_states[i].moves)
      place_patches(vortices, state.muscles[m].frame, state.patches.data() + state.set_states[i].first_patch);
  }
}

}  // namespace supple
