#include "supple/rig/bind_inside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/geometry/inner_paths.h"
#include "supple/rig/bind.h"

namespace supple {
namespace {

// How far beside the body a bone may lie: a share of its length, and not more than some cells of the lattice.
constexpr double close_share = 0.15, close_cells = 2;
constexpr double share_in_body = 1.0 / 3;  // of a bone must lie in the body

/// A stretch of a bone in the body, or all of one of its lines.
struct Stretch {
  Vec3f a, b;
};

/// What of a bone the ways start from.
struct Sources {
  std::vector<Vec3f> places;
  std::vector<Stretch> stretches;  // empty: the places themselves, those of a surface
  bool taking_part = false;
};

double distance_to_stretch(Vec3f p, const Stretch& s) {
  const Vec3d ab = Vec3d(s.b) - Vec3d(s.a), ap = Vec3d(p) - Vec3d(s.a);
  const double squared = dot(ab, ab);
  const double t = squared > 0 ? std::clamp(dot(ap, ab) / squared, 0.0, 1.0) : 0.0;
  return length(ap - ab * t);
}

Sources sources_on_surface(const Mesh& surface) {
  Sources result{surface.positions, {}, true};
  for (const Triangle& t : surface.triangles)
    result.places.push_back((surface.positions[t[0]] + surface.positions[t[1]] + surface.positions[t[2]]) / 3.0f);
  return result;
}

/// `everywhere`: also what is far outside.
Sources sources_on_lines(const InnerPaths& body, const Bone& bone, bool is_last, bool everywhere) {
  const std::vector<Vec3f> ends = bone.ends.empty() ? std::vector<Vec3f>{bone.tail} : bone.ends;
  Sources result;
  double in_body = 0, in_all = 0;
  for (const Vec3f end : ends) {
    const double whole = length(Vec3d(end) - Vec3d(bone.head));
    const auto steps = static_cast<std::size_t>(std::clamp(std::ceil(2 * whole / body.cell()), 1.0, 1000.0));
    const double close = std::min(close_share * whole, close_cells * body.cell());
    std::size_t run = 0;  // samples of the stretch that is being followed
    for (std::size_t i = 0; i <= steps; ++i) {
      const Vec3f at = lerp(bone.head, end, static_cast<float>(i) / static_cast<float>(steps));
      const bool held = everywhere || body.inside(at) || double{body.closest(at).distance} <= close;
      in_all += whole / static_cast<double>(steps + 1);
      if (!held) {
        run = 0;
        if (is_last && i > 0) break;  // how long a last bone is, is a guess
        continue;
      }
      in_body += whole / static_cast<double>(steps + 1);
      result.places.push_back(at);
      if (run++ == 0) result.stretches.push_back({at, at});
      result.stretches.back().b = at;
    }
  }
  result.taking_part = !result.places.empty() && in_body >= share_in_body * in_all;
  return result;
}

/// #points: how far skin is from a bone inside the body. A way is never shorter than the straight line, and where it is
/// longer only by the lattice's detours, the straight line is what it stands for.
std::vector<double> inner_distances(const InnerPaths& body, std::span<const Vec3f> points, const Sources& sources) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> distance(points.size(), never);
  if (!sources.taking_part) return distance;
  const std::vector<float> ways = body.distances(sources.places);
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (!std::isfinite(ways[v])) continue;
    double straight = sources.stretches.empty() ? 0 : never;
    for (const Stretch& s : sources.stretches) straight = std::min(straight, distance_to_stretch(points[v], s));
    distance[v] = std::max(straight, double{ways[v]} / InnerPaths::detour);
  }
  return distance;
}

/// The median of how far the skin is to the sides of a bone.
double radius_around(const InnerPaths& body, const Sources& sources) {
  constexpr int directions = 8;
  std::vector<double> widths;
  for (const Stretch& s : sources.stretches) {
    const Vec3f along = normalized(s.b - s.a);
    if (along == Vec3f{}) continue;
    const Vec3f side = normalized(cross(along, std::abs(along.x) < 0.6f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0}));
    for (const float t : {0.1f, 0.3f, 0.5f, 0.7f, 0.9f}) {
      const Vec3f at = lerp(s.a, s.b, t);
      if (!body.inside(at)) continue;
      for (int i = 0; i < directions; ++i) {
        const auto angle = static_cast<float>(2 * std::numbers::pi * i / directions);
        const float width = body.skin_along(at, side * std::cos(angle) + cross(along, side) * std::sin(angle));
        if (std::isfinite(width)) widths.push_back(double{width});
      }
    }
  }
  if (widths.empty()) return std::numeric_limits<double>::infinity();
  std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
  return widths[widths.size() / 2];
}

/// A last bone leads, besides on in the direction of its parent, as far as there is skin that no other bone is nearer
/// to than its head: feet go to the heel and to the toes. `distances`: of all bones, #bones by #points.
Sources last_bone(const InnerPaths& body, std::span<const Vec3f> points, std::span<const Bone> bones, std::size_t b,
                  const std::vector<std::vector<double>>& distances, const Sources& guessed) {
  constexpr double nearly_equal = 1.02, most = 0.85;
  Sources head;
  head.places.push_back(bones[b].head);
  head.stretches.push_back({bones[b].head, bones[b].head});
  head.taking_part = true;
  const std::vector<double> from_head = inner_distances(body, points, head);
  double farthest = 0;
  Vec3f end{};
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (!(from_head[v] > farthest) || !std::isfinite(from_head[v])) continue;
    bool own = true;
    for (std::size_t k = 0; k < bones.size() && own; ++k)
      own = k == b || from_head[v] <= nearly_equal * distances[k][v];
    if (own) farthest = from_head[v], end = points[v];
  }
  if (!(farthest > 0)) return guessed;
  Bone found = bones[b];
  found.tail = lerp(found.head, end, static_cast<float>(most));
  const Sources led = sources_on_lines(body, found, true, false);
  Sources both = guessed;
  both.places.insert(both.places.end(), led.places.begin(), led.places.end());
  both.stretches.insert(both.stretches.end(), led.stretches.begin(), led.stretches.end());
  return both;
}

}  // namespace

InnerBones bones_inside(std::span<const Vec3f> points, std::span<const Triangle> triangles,
                        std::span<const Bone> bones) {
  const InnerPaths body(points, triangles);
  const auto n = static_cast<std::uint32_t>(bones.size());
  std::vector<char> is_last(n, 1);
  for (std::uint32_t b = 0; b < n; ++b) {
    if (!bones[b].ends.empty() || !bones[b].surface.triangles.empty()) is_last[b] = 0;
    if (bones[b].parent < n) is_last[bones[b].parent] = 0;
  }
  std::vector<Sources> sources(n);
  bool everywhere = false;
  for (;; everywhere = true) {
    parallel_for(n, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        sources[b] = bones[b].surface.triangles.empty() ? sources_on_lines(body, bones[b], is_last[b] != 0, everywhere)
                                                        : sources_on_surface(bones[b].surface);
      }
    });
    if (everywhere || std::any_of(sources.begin(), sources.end(), [](const Sources& s) { return s.taking_part; }))
      break;
  }
  std::vector<std::vector<double>> distances(n);
  const auto each_bone = [&](auto&& act) {
    parallel_for(n, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) act(b);
    });
  };
  each_bone([&](std::size_t b) { distances[b] = inner_distances(body, points, sources[b]); });
  std::vector<std::vector<double>> led(n);
  each_bone([&](std::size_t b) {
    if (!is_last[b] || !sources[b].taking_part) return;
    led[b] = inner_distances(body, points, last_bone(body, points, bones, b, distances, sources[b]));
  });
  InnerBones result;
  for (const Sources& s : sources) result.radius.push_back(radius_around(body, s));
  result.none_inside = everywhere;
  result.distance.resize(points.size() * n);
  for (std::uint32_t b = 0; b < n; ++b) {
    const std::vector<double>& of_bone = led[b].empty() ? distances[b] : led[b];
    for (std::size_t v = 0; v < points.size(); ++v) result.distance[v * n + b] = of_bone[v];
    if (!sources[b].taking_part) result.outside.push_back(b);
  }
  return result;
}

}  // namespace supple
