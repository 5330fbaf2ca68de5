#include "supple/author/scan/label_refine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "supple/base/mat.h"
#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

// A profile is read along the normal, outwards, at these steps of a sample's distance on both sides of a vertex.
constexpr double step = 0.25;
constexpr int half_steps = 12;  // three samples
constexpr std::size_t profile_size = 2 * half_steps + 1;
using Profile = std::array<double, profile_size>;
constexpr int farthest = 4;              // steps that a vertex moves: one sample
constexpr int no_edge = 100;             // beyond reach
constexpr int side_steps = 4;            // from an edge to the values on both of its sides
constexpr double least_contrast = 0.35;  // of the usual one of this bone: weaker edges are not believed
constexpr double least_steepness = 4;    // times what a profile's values scatter by: else there is no edge at all
constexpr int smoothing_passes = 6, normal_passes = 3;

/// Linear between samples; beyond the volume as at its border.
double value_at(const Volume& volume, Vec3d at) {
  std::array<std::size_t, 3> low{}, high{};
  Vec3d share{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double p = std::clamp(at[axis], 0.0, static_cast<double>(volume.size[axis] - 1));
    low[axis] = static_cast<std::size_t>(p);
    high[axis] = std::min(low[axis] + 1, volume.size[axis] - 1);
    share[axis] = p - static_cast<double>(low[axis]);
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<std::size_t, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool up = (corner >> axis & 1) != 0;
      weight *= up ? share[axis] : 1 - share[axis];
      place[axis] = up ? high[axis] : low[axis];
    }
    sum += weight * volume.value(place[0], place[1], place[2]);
  }
  return sum;
}

/// How much brighter it is outside than inside of an edge at step `at` of a profile.
double rise(const Profile& p, int at) {
  const auto i = static_cast<std::size_t>(at + half_steps);
  constexpr std::size_t near = side_steps / 2;
  return p[i + near] - p[i - near];
}

/// The same, counting less the farther it is from the label.
double weighed_rise(const Profile& p, int at) {
  constexpr double usual = 2;  // steps that a label is off by
  return rise(p, at) * std::exp(-0.5 * at * at / (usual * usual));
}

/// Where the strongest edge of a sign lies within reach.
int steepest(const Profile& p, double sign) {
  int best = 0;
  for (int at = -farthest; at <= farthest; ++at)
    if (sign * weighed_rise(p, at) > sign * weighed_rise(p, best)) best = at;
  return best;
}

/// Half-way between both sides of the edge at step `at`. What lies inside may be as thin as a sample, such as the hard
/// shell of a bone: it is as dark, or bright, as it becomes.
double level_at(const Profile& p, int at, double sign) {
  const auto i = static_cast<std::size_t>(at + half_steps);
  double inside = p[i], outside = p[i];
  for (std::size_t n = 1; n <= side_steps; ++n) {
    inside = sign * p[i - n] < sign * inside ? p[i - n] : inside;
    outside = sign * p[i + n] > sign * outside ? p[i + n] : outside;
  }
  return 0.5 * (inside + outside);
}

/// The step, between whole ones, at which the profile passes the level in the direction of the sign, nearest to `at`.
std::optional<double> crossing(const Profile& p, int at, double sign, double level) {
  for (int n = 0; n < side_steps; ++n) {
    for (const int from : {at + n, at - 1 - n}) {
      const auto f = static_cast<std::size_t>(from + half_steps);
      if (sign * (p[f + 1] - p[f]) <= 0 || (p[f] - level) * (p[f + 1] - level) > 0) continue;
      return from + (level - p[f]) / (p[f + 1] - p[f]);
    }
  }
  return std::nullopt;
}

/// A level that rises evenly through space: brightness varies across the field of magnetic resonance, and one level for
/// the whole of a bone would move it.
struct LevelField {
  double mean = 0;
  Vec3d centre{}, slope{};
  double at(Vec3d p) const { return mean + dot(slope, p - centre); }
};
LevelField fit_levels(std::span<const Vec3f> positions, std::span<const double> levels) {
  LevelField field;
  const double count = static_cast<double>(std::max<std::size_t>(levels.size(), 1));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    field.mean += levels[i] / count;
    field.centre += Vec3d(positions[i]) / count;
  }
  Mat3d spread = Mat3d::diagonal({0, 0, 0});
  Vec3d along{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Vec3d p = Vec3d(positions[i]) - field.centre;
    for (std::size_t axis = 0; axis < 3; ++axis) spread[axis] = spread[axis] + p * p[axis];
    along += p * (levels[i] - field.mean);
  }
  if (determinant(spread) > 0) field.slope = inverse(spread) * along;
  return field;
}

/// Means over a vertex and its neighbours, so many times.
void smooth_normals(Mesh& surface, const Adjacency& neighbours, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<Vec3f> next = surface.normals;
    for (std::size_t v = 0; v < next.size(); ++v) {
      for (const std::uint32_t n : neighbours.of(v)) next[v] += surface.normals[n] * 0.5f;
      next[v] = normalized(next[v]);
    }
    surface.normals = std::move(next);
  }
}

}  // namespace

void refine(Mesh& surface, const Volume& image, const std::vector<bool>& fixed) {
  const std::size_t count = surface.positions.size();
  if (count == 0) return;
  const Affined to_samples = inverse(image.to_world);
  const Vec3d spacing = image.spacing();
  const double sample = std::cbrt(spacing.x * spacing.y * spacing.z);
  std::vector<Profile> profiles(count);
  parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3d p(surface.positions[v]), n(surface.normals[v]);
      for (int i = -half_steps; i <= half_steps; ++i)
        profiles[v][static_cast<std::size_t>(i + half_steps)] =
            value_at(image, to_samples.point(p + n * (i * step * sample)));
    }
  });
  // The bone as a whole tells whether it is darker or brighter than what is around it, and by how much.
  Profile mean{};
  for (const Profile& p : profiles)
    for (std::size_t i = 0; i < profile_size; ++i) mean[i] += p[i] / static_cast<double>(count);
  const double sign = -weighed_rise(mean, steepest(mean, -1)) > weighed_rise(mean, steepest(mean, 1)) ? -1 : 1;
  const double contrast = std::abs(rise(mean, steepest(mean, sign)));
  double scatter = 0;
  for (const Profile& p : profiles) scatter += std::abs(p.back() - mean.back()) / static_cast<double>(count);
  if (!(contrast * std::sqrt(static_cast<double>(count)) > least_steepness * scatter)) return;

  std::vector<int> edge(count, no_edge);
  std::vector<Vec3f> places;
  std::vector<double> levels;
  for (std::size_t v = 0; v < count; ++v) {
    const int at = steepest(profiles[v], sign);
    if ((v < fixed.size() && fixed[v]) || sign * rise(profiles[v], at) < least_contrast * contrast) continue;
    edge[v] = at;
    places.push_back(surface.positions[v]);
    levels.push_back(level_at(profiles[v], at, sign));
  }
  const LevelField level = fit_levels(places, levels);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> shift(count, unknown);  // steps outwards
  for (std::size_t v = 0; v < count; ++v) {
    if (v < fixed.size() && fixed[v]) {
      shift[v] = 0;
      continue;
    }
    if (edge[v] == no_edge) continue;
    if (const auto found = crossing(profiles[v], edge[v], sign, level.at(Vec3d(surface.positions[v]))))
      shift[v] = std::clamp(*found, -double{farthest}, double{farthest});
  }
  const Adjacency neighbours = vertex_neighbours(count, surface.triangles);
  for (int pass = 0; pass < smoothing_passes; ++pass) {
    std::vector<double> next = shift;
    for (std::size_t v = 0; v < count; ++v) {
      if (v < fixed.size() && fixed[v]) continue;
      if (pass > 0 && !std::isnan(shift[v])) continue;  // what is known is smoothed once
      double sum = std::isnan(shift[v]) ? 0 : shift[v], weight = std::isnan(shift[v]) ? 0 : 1;
      for (const std::uint32_t n : neighbours.of(v)) {
        if (std::isnan(shift[n])) continue;
        constexpr double share = 0.25;  // of a neighbour
        sum += share * shift[n];
        weight += share;
      }
      next[v] = weight > 0 ? sum / weight : unknown;
    }
    shift = std::move(next);
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (std::isnan(shift[v])) continue;
    const Vec3d p(surface.positions[v]), n(surface.normals[v]);
    surface.positions[v] = Vec3f(p + n * (shift[v] * step * sample));
  }
  compute_normals(surface.positions, surface.triangles, surface.normals);
  smooth_normals(surface, neighbours, normal_passes);
}

}  // namespace supple::scan
