#include "supple/deform/flesh/region.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {
namespace {

struct Corner {
  Vec3d middle, area;  // of the triangle; the area vector points out
  double membership;
};

Corner corner_of(const Triangle& t, std::span<const Vec3f> positions, std::span<const float> membership) {
  const Vec3d a(positions[t[0]]), b(positions[t[1]]), c(positions[t[2]]);
  return {(a + b + c) / 3.0, cross(b - a, c - a) / 2.0,
          (double{membership[t[0]]} + double{membership[t[1]]} + double{membership[t[2]]}) / 3};
}

}  // namespace

double VirtualBone::distance(Vec3d p) const {
  const double t = std::clamp((along(p) + 1) / 2, 0.0, 1.0);
  return supple::length(p - lerp(from, to, t));
}

RegionWeights region_weights(std::span<const Vec3f> positions, std::span<const float> membership,
                             const VirtualBone& bone, double thickness, const Attenuation& attenuation) {
  std::vector<double> raw(positions.size());
  RegionWeights region;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3d p(positions[v]);
    raw[v] = std::max(0.0, bone.distance(p) - thickness) * attenuation(bone.along(p)) * double{membership[v]};
    region.largest = std::max(region.largest, raw[v]);
  }
  region.weights.resize(positions.size());
  if (!(region.largest > 0)) return region;
  for (std::size_t v = 0; v < positions.size(); ++v) region.weights[v] = static_cast<float>(raw[v] / region.largest);
  return region;
}

double steepest(std::span<const Vec3f> positions, std::span<const Triangle> triangles, std::span<const float> weights) {
  double most = 0;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double change = std::abs(double{weights[a]} - double{weights[b]});
      const double edge = length(Vec3d(positions[a]) - Vec3d(positions[b]));
      if (change > most * edge && edge > 0) most = change / edge;
    }
  }
  return most;
}

double usual_distance(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                      std::span<const float> membership, const VirtualBone& bone) {
  std::vector<std::array<double, 2>> samples;  // distance, weight
  double total = 0;
  for (const Triangle& t : triangles) {
    const Corner c = corner_of(t, positions, membership);
    if (std::abs(bone.along(c.middle)) >= 1 || !(c.membership > 0)) continue;
    samples.push_back({bone.distance(c.middle), length(c.area) * c.membership});
    total += samples.back()[1];
  }
  std::sort(samples.begin(), samples.end());
  double sum = 0;
  for (const auto& [distance, weight] : samples) {
    sum += weight;
    if (2 * sum >= total) return distance;
  }
  return 0;
}

double region_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                     std::span<const float> membership, const VirtualBone& bone) {
  double volume = 0;
  const Vec3d y = bone.direction();
  for (const Triangle& t : triangles) {
    const Corner c = corner_of(t, positions, membership);
    if (std::abs(bone.along(c.middle)) >= 1) continue;
    const Vec3d from_bone = c.middle - bone.from;
    volume += dot(from_bone - y * dot(from_bone, y), c.area) / 2 * c.membership;
  }
  return volume;
}

}  // namespace supple
