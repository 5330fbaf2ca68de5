// How the hierarchy is walked: nearest boxes first for closest points, front to back for rays.
#include <algorithm>
#include <array>
#include <cassert>

#include "supple/geometry/bvh.h"
#include "supple/geometry/ray_triangle.h"

namespace supple {
namespace {

/// How far `p` is beyond one of the ends. Without branches, which no processor could predict: one of the terms is
/// exactly 0.
inline float beyond(float p, float low, float high) { return (std::max(low, p) - p) + (p - std::min(high, p)); }

inline float squared_distance(const Vec3f& p, const Vec3f& low, const Vec3f& high) {
  const float x = beyond(p.x, low.x, high.x), y = beyond(p.y, low.y, high.y), z = beyond(p.z, low.z, high.z);
  return x * x + y * y + z * z;
}

/// The nearest point found so far.
struct Foot {
  double squared;  // distance
  Vec3d weights;   // of its triangle's corners
};

/// Replaces `foot` where the triangle has a nearer point. In double, so that slivers of float corners still have a
/// side.
bool improve(Foot& foot, Vec3f query, Vec3f corner_a, Vec3f corner_b, Vec3f corner_c) {
  const std::array<Vec3d, 3> corners{Vec3d(corner_a), Vec3d(corner_b), Vec3d(corner_c)};
  const Vec3d p(query), ab = corners[1] - corners[0], ac = corners[2] - corners[0], ap = p - corners[0];
  const Vec3d normal = cross(ab, ac);
  const double area = squared_length(normal);  // (2 * area)^2
  const double size = std::max(squared_length(ab), squared_length(ac));
  Vec3d weights{-1, -1, -1};
  // A triangle lower than 1e-10 of its length lies on its sides.
  if (area > 1e-20 * size * size) {
    const double height = dot(ap, normal);
    if (!(height * height < foot.squared * area)) return false;
    weights.y = dot(cross(ap, ac), normal);
    weights.z = dot(cross(ab, ap), normal);
    weights.x = area - weights.y - weights.z;
    if (weights.x >= 0 && weights.y >= 0 && weights.z >= 0) {
      foot = {height * height / area, weights / area};
      return true;
    }
  }
  // The nearest point lies on a side that the query is beyond.
  bool improved = false;
  for (std::size_t opposite = 0; opposite < 3; ++opposite) {
    if (weights[opposite] >= 0) continue;
    const std::size_t from = (opposite + 1) % 3, to = (opposite + 2) % 3;
    const Vec3d side = corners[to] - corners[from], to_p = p - corners[from];
    const double along = dot(to_p, side), whole = squared_length(side);
    const double t = along <= 0 ? 0 : along >= whole ? 1 : along / whole;
    const double squared = squared_length(to_p - side * t);
    if (squared < foot.squared) {
      foot = {squared, {}};
      foot.weights[from] = 1 - t;
      foot.weights[to] = t;
      improved = true;
    }
  }
  return improved;
}

ClosestPoint to_closest(const Foot& foot, Vec3f a, Vec3f b, Vec3f c) {
  const Vec3d w = foot.weights, point = Vec3d(a) * w.x + Vec3d(b) * w.y + Vec3d(c) * w.z;
  return {static_cast<float>(std::sqrt(foot.squared)), Vec3f(point), 0, Vec3f(w)};
}

}  // namespace

ClosestPoint Bvh::closest(Vec3f query, float within) const {
  if (nodes_.empty() || !is_finite(query)) return {};
  struct Entry {
    std::uint32_t node;
    float squared;  // distance of its box
  };
  const auto entry = [&](std::uint32_t n) { return Entry{n, squared_distance(query, nodes_[n].low, nodes_[n].high)}; };
  std::array<Entry, stack_size> stack;
  std::size_t waiting = 0;
  Foot foot{double{within} * double{within}, {}};
  std::optional<std::uint32_t> best;
  for (Entry here = entry(0);;) {
    if (here.squared < foot.squared) {
      const Node& node = nodes_[here.node];
      if (node.count == 0) {
        const Entry left = entry(here.node + 1), right = entry(node.first);
        const bool right_first = right.squared < left.squared;
        const Entry near{right_first ? right.node : left.node, right_first ? right.squared : left.squared};
        const Entry far{right_first ? left.node : right.node, right_first ? left.squared : right.squared};
        assert(waiting < stack.size());
        stack[waiting++] = far;
        here = near;
        continue;
      }
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (improve(foot, query, corners_[i].a, corners_[i].b, corners_[i].c)) best = i;
      }
    }
    if (waiting == 0) break;
    here = stack[--waiting];
  }
  if (!best) return {};
  ClosestPoint closest = to_closest(foot, corners_[*best].a, corners_[*best].b, corners_[*best].c);
  closest.triangle = numbers_[*best];
  return closest;
}

template <class Visit>
void Bvh::walk(Vec3f origin, Vec3f direction, float from, const float& to, Visit&& visit) const {
  if (nodes_.empty() || !is_finite(origin)) return;
  const Vec3f inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
  // Slab test. A ray in the plane of a slab gives 0 * infinity: such a comparison is false and excludes nothing. The
  // far end is stretched by more than the rounding of the six distances, so no box that the ray touches is missed.
  const auto meets = [&](const Node& node) {
    float enter = from, leave = to;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float near = (node.low[axis] - origin[axis]) * inverse[axis];
      float far = (node.high[axis] - origin[axis]) * inverse[axis];
      if (std::signbit(inverse[axis])) std::swap(near, far);
      far += std::abs(far) * 1e-6f;
      if (near > enter) enter = near;
      if (far < leave) leave = far;
    }
    return enter <= leave;
  };
  std::array<std::uint32_t, stack_size> stack;
  std::size_t waiting = 1;
  stack[0] = 0;
  const std::size_t major = RayFrame(origin, direction).depth_axis();
  while (waiting > 0) {
    const std::uint32_t number = stack[--waiting];
    const Node& node = nodes_[number];
    if (!meets(node)) continue;
    if (node.count > 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (!visit(i)) return;
      }
      continue;
    }
    assert(waiting + 2 <= stack.size());
    const Node &left = nodes_[number + 1], &right = nodes_[node.first];
    const bool left_first =
        (left.low[major] + left.high[major] <= right.low[major] + right.high[major]) == (direction[major] >= 0);
    stack[waiting++] = left_first ? node.first : number + 1;
    stack[waiting++] = left_first ? number + 1 : node.first;
  }
}

std::optional<RayHit> Bvh::first_hit(Vec3f origin, Vec3f direction, float from, float to) const {
  const RayFrame frame(origin, direction);
  std::optional<RayHit> first;
  walk(origin, direction, from, to, [&](std::uint32_t i) {
    const std::optional<double> depth = frame.hit(corners_[i].a, corners_[i].b, corners_[i].c);
    if (depth && *depth > from && *depth < to) {
      to = static_cast<float>(*depth);
      first = RayHit{to, numbers_[i]};
    }
    return true;
  });
  return first;
}

bool Bvh::occluded(Vec3f origin, Vec3f direction, float from, float to) const {
  const RayFrame frame(origin, direction);
  bool found = false;
  walk(origin, direction, from, to, [&](std::uint32_t i) {
    const std::optional<double> depth = frame.hit(corners_[i].a, corners_[i].b, corners_[i].c);
    found = depth && *depth > from && *depth < to;
    return !found;
  });
  return found;
}

int Bvh::crossings(Vec3f origin, Vec3f direction) const {
  const RayFrame frame(origin, direction);
  int sum = 0;
  walk(origin, direction, 0, std::numeric_limits<float>::infinity(), [&](std::uint32_t i) {
    sum += frame.crossing(corners_[i].a, corners_[i].b, corners_[i].c);
    return true;
  });
  return sum;
}

int Bvh::winding_number(Vec3f query) const {
  // Directions without any symmetry of their own; crossings at edges are counted once anyway.
  const int first = crossings(query, {0.8153f, 0.3691f, 0.4459f});
  const int second = crossings(query, {-0.3127f, 0.8917f, -0.3271f});
  if (first == second) return first;
  const int third = crossings(query, {-0.2689f, -0.4283f, 0.8627f});
  return std::max(std::min(first, second), std::min(third, std::max(first, second)));  // the median
}

bool Bvh::inside(Vec3f query) const { return winding_number(query) != 0; }

float Bvh::signed_distance(Vec3f query) const {
  const float distance = closest(query).distance;
  return inside(query) ? -distance : distance;
}

ClosestPoint closest_on_triangle(Vec3f query, Vec3f a, Vec3f b, Vec3f c) {
  Foot foot{std::numeric_limits<double>::infinity(), {1, 0, 0}};
  improve(foot, query, a, b, c);
  return to_closest(foot, a, b, c);
}

}  // namespace supple
