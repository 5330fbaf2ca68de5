#include "supple/author/simulate/capsule.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace supple::simulate {
namespace {

constexpr std::size_t samples = 33;
constexpr double joint_gap = 0.06;      // of the bone's length, left free at each end
constexpr std::uint32_t segments = 16;  // around the axis
constexpr std::uint32_t rings = 5;      // from the equator to a pole

}  // namespace

std::optional<Capsule> fit_capsule(const Bone& bone, const Bvh& skin, double fraction) {
  const Vec3d head(bone.head), axis = Vec3d(bone.tail) - head;
  const double length = supple::length(axis);
  if (!(length > 0)) return std::nullopt;
  const auto at = [&](std::size_t i) { return static_cast<double>(i) / (samples - 1); };
  std::array<double, samples> depth{};
  for (std::size_t i = 0; i < samples; ++i)
    depth[i] = -static_cast<double>(skin.signed_distance(Vec3f(head + axis * at(i))));
  // The longest stretch of the axis that runs inside.
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i < samples;) {
    std::size_t j = i;
    while (j < samples && depth[j] > 0) ++j;
    if (j - i > end - begin) begin = i, end = j;
    i = j + 1;
  }
  if (end - begin < samples / 4) return std::nullopt;
  std::vector<double> sorted(depth.begin() + static_cast<std::ptrdiff_t>(begin),
                             depth.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(sorted.begin(), sorted.end());
  Capsule capsule;
  capsule.radius = std::min(fraction * sorted[sorted.size() / 2], 0.3 * length);
  double from = std::max(at(begin), joint_gap) + capsule.radius / length;
  double to = std::min(at(end - 1), 1 - joint_gap) - capsule.radius / length;
  if (from > to) from = to = (from + to) / 2;
  // Where the skin is close the ends draw in: a bone must not stick out.
  const auto fits = [&](double t) { return -skin.signed_distance(Vec3f(head + axis * t)) > 1.1 * capsule.radius; };
  while (from < to && !fits(from)) from = std::min(to, from + 0.02);
  while (to > from && !fits(to)) to = std::max(from, to - 0.02);
  if (!fits(from)) capsule.radius = std::max(0.0, -0.9 * skin.signed_distance(Vec3f(head + axis * from)));
  if (!(capsule.radius > 0)) return std::nullopt;
  capsule.from = head + axis * from;
  capsule.to = head + axis * to;
  return capsule;
}

Mesh capsule_surface(const Capsule& capsule) {
  const Vec3d along = normalized(capsule.to - capsule.from, Vec3d{0, 1, 0});
  const Vec3d side = any_perpendicular(along), other = cross(along, side);
  Mesh mesh;
  const auto add_ring = [&](Vec3d centre, double latitude) {
    const double radius = capsule.radius * std::cos(latitude), height = capsule.radius * std::sin(latitude);
    for (std::uint32_t s = 0; s < segments; ++s) {
      const double a = 2 * std::numbers::pi * s / segments;
      mesh.positions.push_back(
          Vec3f(centre + along * height + side * (radius * std::cos(a)) + other * (radius * std::sin(a))));
    }
  };
  mesh.positions.push_back(Vec3f(capsule.from - along * capsule.radius));
  const double step = std::numbers::pi / 2 / rings;
  for (std::uint32_t r = 1; r <= rings; ++r) add_ring(capsule.from, -std::numbers::pi / 2 + step * r);
  const bool sphere = !(length(capsule.to - capsule.from) > 1e-6 * capsule.radius);
  for (std::uint32_t r = sphere ? 1 : 0; r < rings; ++r) add_ring(capsule.to, step * r);
  mesh.positions.push_back(Vec3f(capsule.to + along * capsule.radius));
  const auto last = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  const std::uint32_t count = (last - 1) / segments;
  for (std::uint32_t s = 0; s < segments; ++s) {
    const std::uint32_t t = (s + 1) % segments;
    mesh.triangles.push_back({0, 1 + t, 1 + s});
    for (std::uint32_t r = 0; r + 1 < count; ++r) {
      const std::uint32_t a = 1 + r * segments, b = a + segments;
      mesh.triangles.push_back({a + s, a + t, b + t});
      mesh.triangles.push_back({a + s, b + t, b + s});
    }
    mesh.triangles.push_back({last, 1 + (count - 1) * segments + s, 1 + (count - 1) * segments + t});
  }
  return mesh;
}

}  // namespace supple::simulate
