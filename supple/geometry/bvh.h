// Bounding volume hierarchy over triangles: closest point, ray casting, inside test, neighbours by their boxes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

struct ClosestPoint {
  float distance = std::numeric_limits<float>::infinity();
  Vec3f point{};
  std::uint32_t triangle = 0;
  Vec3f barycentric{};  // of `point` in `triangle`
};

struct RayHit {
  float distance = 0;  // in units of the direction's length
  std::uint32_t triangle = 0;
};

/// Immutable; keeps its own copy of the triangles' corners. Queries may run on any number of threads. Triangles with a
/// corner that is not finite are left out; those without area are there for closest(), not for rays.
class Bvh {
 public:
  Bvh() = default;
  Bvh(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

  bool empty() const { return corners_.empty(); }
  /// The nearest point closer than `within` (metres); distance is infinite where there is none.
  ClosestPoint closest(Vec3f query, float within = std::numeric_limits<float>::infinity()) const;
  /// The first hit, from either side, with distance in (from, to). Watertight: no ray slips between two triangles.
  std::optional<RayHit> first_hit(Vec3f origin, Vec3f direction, float from = 0,
                                  float to = std::numeric_limits<float>::infinity()) const;
  /// Whether anything lies in (from, to) along the ray; cheaper than first_hit.
  bool occluded(Vec3f origin, Vec3f direction, float from, float to) const;
  /// How often a closed surface surrounds the point: 1 inside, 0 outside, 2 where two parts overlap, negative where it
  /// is inside out. Signed crossings along rays, each exactly once also at edges and corners; a third ray decides where
  /// two disagree (open surfaces, points on the surface).
  int winding_number(Vec3f query) const;
  /// Whether the winding number is not 0.
  bool inside(Vec3f query) const;
  /// Negative inside.
  float signed_distance(Vec3f query) const;
  /// Calls visit(triangle) for every triangle whose own box reaches the box from `low` to `high`, touching included.
  template <class Visit>
  void each_in_box(Vec3f low, Vec3f high, Visit&& visit) const;

 private:
  /// Below this depth nodes are halved, which ends after at most 32 more levels: no stack of a walk overflows, however
  /// unlucky the triangles lie.
  static constexpr std::size_t heuristic_depth = 56;
  static constexpr std::size_t stack_size = heuristic_depth + 34;

  struct Node {
    Vec3f low, high;
    std::uint32_t first = 0;  // leaf: first triangle; inner: right child (the left one follows the node)
    std::uint32_t count = 0;  // 0: inner
  };
  struct Corners {
    Vec3f a, b, c;
  };
  /// Calls visit(i) for the triangles whose boxes the ray may meet, until it returns false. `to` may shrink meanwhile.
  template <class Visit>
  void walk(Vec3f origin, Vec3f direction, float from, const float& to, Visit&& visit) const;
  int crossings(Vec3f origin, Vec3f direction) const;

  std::vector<Node> nodes_;
  std::vector<Corners> corners_;        // in leaf order
  std::vector<std::uint32_t> numbers_;  // original triangle numbers, in leaf order
};

template <class Visit>
void Bvh::each_in_box(Vec3f low, Vec3f high, Visit&& visit) const {
  const auto reaches = [&](Vec3f l, Vec3f h) {
    return l.x <= high.x && h.x >= low.x && l.y <= high.y && h.y >= low.y && l.z <= high.z && h.z >= low.z;
  };
  std::array<std::uint32_t, stack_size> stack;
  std::size_t waiting = 0;
  if (!nodes_.empty()) stack[waiting++] = 0;
  while (waiting > 0) {
    const std::uint32_t number = stack[--waiting];
    const Node& node = nodes_[number];
    if (!reaches(node.low, node.high)) continue;
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Corners& t = corners_[i];
      if (reaches(min(t.a, min(t.b, t.c)), max(t.a, max(t.b, t.c)))) visit(numbers_[i]);
    }
    if (node.count > 0) continue;
    stack[waiting++] = node.first;
    stack[waiting++] = number + 1;
  }
}

/// Closest point of one triangle, which may be a segment or a point; `triangle` is 0.
ClosestPoint closest_on_triangle(Vec3f query, Vec3f a, Vec3f b, Vec3f c);

}  // namespace supple
