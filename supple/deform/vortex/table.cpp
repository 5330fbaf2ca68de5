#include "supple/deform/vortex/table.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

constexpr std::size_t most_probes = 642;  // points that the gain is measured at
constexpr double missed = 0.03;           // of a rest shape: worth a warning
constexpr double least_response = 1e-4;   // of what vortices of endless reach would do

/// A push F gives vortices of -2 h n x F, which move a point by the sum of k 2 h ((p_i - p) . n F - (p_i - p) . F n).
/// Along F and over the three axes that is k 4/3 h (p_i - p) . n on average. Zero: the reach is too short.
double gain_of(const VortexSamples& s, double reach) {
  const std::size_t count = s.positions.size(), stride = (count + most_probes - 1) / most_probes;
  double moved = 0, whole = 0, total = 0;
  for (std::size_t j = 0; j < count; j += stride) {
    double sum = 0, endless = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3d d = s.positions[i] - s.positions[j];
      const double f = std::max(0.0, 1 - squared_length(d) / (reach * reach)),
                   swept = s.areas[i] * dot(d, s.normals[i]);
      sum += f * f * f * f * swept;
      endless += swept;
    }
    moved += s.areas[j] * sum * 4 / 3;
    whole += s.areas[j] * endless * 4 / 3;
    total += s.areas[j];
  }
  return moved > least_response * whole && moved > 0 ? total / moved : 0;
}

}  // namespace

std::string muscle_label(const VortexMuscle& muscle, std::size_t number) {
  return "muscle " + (muscle.name.empty() ? std::to_string(number) : "'" + muscle.name + "'");
}

Result<VortexTable> build_vortex_table(const Character& character, Warnings* warnings) {
  VortexTable table;
  if (!character.kinodynamics) return table;
  const std::vector<VortexMuscle>& muscles = character.kinodynamics->muscles;
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    const VortexMuscle& muscle = muscles[m];
    VortexTableMuscle t;
    t.name = muscle_label(muscle, m);
    const Mesh surface = muscle_surface(muscle);
    const VortexSamples samples = sample_surface(muscle, surface);
    t.joint = muscle.joint;
    t.center = Vec3d(muscle.center);
    t.orientation = to_matrix(normalized(Quatd(muscle.orientation)));
    const auto [shortest, longest] = std::minmax({muscle.radii.x, muscle.radii.y, muscle.radii.z});
    t.radius = double{shortest};
    t.length = 2 * double{longest};
    t.reach = double{muscle.reach} * t.radius;
    for (const Vec3d p : samples.positions) t.spread = std::max(t.spread, length(p));
    t.gain = gain_of(samples, t.reach);
    if (!(t.gain > 0))
      return Error{t.name, "has vortices that do not reach across it", "give a reach of 2 or more, 4 is usual"};
    t.first_sample = static_cast<std::uint32_t>(table.positions.size());
    t.samples = static_cast<std::uint32_t>(samples.positions.size());
    t.first_point = static_cast<std::uint32_t>(table.surface.size());
    t.points = static_cast<std::uint32_t>(surface.positions.size());
    auto plastic = plastic_shape(muscle, t.name, surface, samples);
    if (!plastic) return plastic.error();
    if (!plastic->vorticity.empty()) {
      if (plastic->residual > missed && warnings != nullptr)
        warnings->push_back(t.name + ": its target is missed by " +
                            std::to_string(std::lround(100 * plastic->residual)) +
                            " % of the change; more samples or a smoother target come closer");
      table.plastic_muscles.push_back({static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(table.plastic.size()),
                                       plastic->reach, plastic->residual});
      table.plastic.insert(table.plastic.end(), plastic->vorticity.begin(), plastic->vorticity.end());
    }
    table.positions.insert(table.positions.end(), samples.positions.begin(), samples.positions.end());
    table.normals.insert(table.normals.end(), samples.normals.begin(), samples.normals.end());
    table.areas.insert(table.areas.end(), samples.areas.begin(), samples.areas.end());
    table.surface.insert(table.surface.end(), surface.positions.begin(), surface.positions.end());
    for (const auto& [a, b, c] : surface.triangles)
      table.triangles.push_back({a + t.first_point, b + t.first_point, c + t.first_point});
    table.muscles.push_back(std::move(t));
  }
  return table;
}

}  // namespace supple
