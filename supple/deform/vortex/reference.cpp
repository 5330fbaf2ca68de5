#include "supple/deform/vortex/reference.h"

#include "supple/deform/vortex/field.h"

namespace supple {

Vec3d reference_velocity(const VortexTable& table, const VortexState& state, std::size_t m, Vec3d p) {
  const VortexTableMuscle& muscle = table.muscles[m];
  const MuscleFrame& frame = state.muscles[m].frame;
  const Vec3d here = transpose(frame.axes) * (p - frame.origin);
  const auto samples = std::span(table.positions).subspan(muscle.first_sample, muscle.samples);
  const auto vorticity = std::span(state.vorticity).subspan(muscle.first_sample, muscle.samples);
  Vec3d v = VortexField{samples, vorticity, muscle.gain, muscle.reach}.velocity(here);
  for (const VortexTablePlastic& shape : table.plastic_muscles) {
    if (shape.muscle != m) continue;
    const auto plastic = std::span(table.plastic).subspan(shape.first, muscle.samples);
    v += VortexField{samples, plastic, 1, shape.reach}.velocity(here);
  }
  return frame.axes * v;
}

Vec3d reference_flow(const VortexTable& table, const VortexState& state, std::span<const float> weights, Vec3d p,
                     int steps) {
  const auto velocity = [&](Vec3d at) {
    Vec3d sum{};
    for (std::size_t m = 0; m < table.muscles.size(); ++m)
      sum += reference_velocity(table, state, m, at) * (weights.empty() ? 1.0 : double{weights[m]});
    return sum;
  };
  return vortex_flow(velocity, p, steps);
}

}  // namespace supple
