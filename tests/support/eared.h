// A small creature whose ears hang over its arms without touching them: nearer to the arms than to the head they are
// part of.
#pragma once

#include <algorithm>
#include <cmath>

#include "supple/geometry/isosurface.h"
#include "supple/rig/skeleton.h"

namespace supple::test {

/// What a place on the skin belongs to.
enum class EaredPart { body, head, arm, ear };

struct Eared {
  Mesh skin;                     // closed
  std::vector<EaredPart> truth;  // #V: the solid that the vertex lies on
  Skeleton skeleton;             // "hips", "chest", "head", "arm-left", "forearm-left", "arm-right", "forearm-right"
};

inline double capsule_distance(Vec3d p, Vec3d a, Vec3d b, double radius) {
  const Vec3d ab = b - a;
  const double t = std::clamp(dot(p - a, ab) / dot(ab, ab), 0.0, 1.0);
  return length(p - a - ab * t) - radius;
}

/// Metres: arms 2 cm below the ears, which are discs 2 cm thick on the sides of the head and reach 0.28 from the
/// middle.
inline double eared_distance(Vec3d p, EaredPart part) {
  p.x = std::abs(p.x);
  if (part == EaredPart::body)
    return std::min(capsule_distance(p, {0, 0.1, 0}, {0, 0.33, 0}, 0.09),
                    capsule_distance(p, {0, 0.33, 0}, {0, 0.6, 0}, 0.05));  // trunk and neck
  if (part == EaredPart::head) return capsule_distance(p, {0, 0.6, 0}, {0, 0.64, 0}, 0.1);
  if (part == EaredPart::arm) return capsule_distance(p, {0.05, 0.37, 0}, {0.36, 0.37, 0}, 0.04);
  const Vec3d q = p - Vec3d{0.17, 0.54, 0};
  const double rim = std::max(std::hypot(q.x, q.y) - 0.1, 0.0);
  return std::hypot(rim, q.z) - 0.01;
}

inline Eared eared(double spacing = 0.01) {
  constexpr EaredPart parts[] = {EaredPart::body, EaredPart::head, EaredPart::arm, EaredPart::ear};
  Eared made;
  made.skin = isosurface(
      [&](Vec3d p) {
        double least = 1e9;
        for (const EaredPart part : parts) least = std::min(least, eared_distance(p, part));
        return least;
      },
      grid_around({-0.42, -0.02, -0.13}, {0.42, 0.77, 0.13}, spacing));
  for (const Vec3f v : made.skin.positions)
    made.truth.push_back(*std::min_element(std::begin(parts), std::end(parts), [&](EaredPart a, EaredPart b) {
      return eared_distance(Vec3d(v), a) < eared_distance(Vec3d(v), b);
    }));
  const auto at = [](float x, float y) { return Transformf{{x, y, 0}, {}, {1, 1, 1}}; };
  const std::vector<RawJoint> joints{
      {"hips", std::nullopt, at(0, 0.08f), {}},
      {"chest", 0, at(0, 0.16f), {}},
      {"head", 1, at(0, 0.32f), {}},
      {"arm-left", 1, at(0.09f, 0.13f), {}},
      {"forearm-left", 3, at(0.14f, 0), {}},
      {"arm-right", 1, at(-0.09f, 0.13f), {}},
      {"forearm-right", 5, at(-0.14f, 0), {}},
  };
  made.skeleton = build_skeleton(joints).value().skeleton;
  return made;
}

}  // namespace supple::test
