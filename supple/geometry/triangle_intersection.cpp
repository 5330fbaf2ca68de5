// Two triangles that lie on both sides of each other's planes meet the line common to both planes in an interval each;
// they cross where these overlap. Which end comes first is again an orientation (after Guigue and Devillers 2003, "Fast
// and Robust Triangle-Triangle Overlap Test Using Orientation Predicates").
#include "supple/geometry/triangle_intersection.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "supple/geometry/orientation.h"

namespace supple {
namespace {

using Signs = std::array<int, 3>;

Signs sides_of(const TriangleCorners& plane, const TriangleCorners& t) {
  return {orientation(plane[0], plane[1], plane[2], t[0]), orientation(plane[0], plane[1], plane[2], t[1]),
          orientation(plane[0], plane[1], plane[2], t[2])};
}

/// Only then does a triangle without its sides meet the plane in more than what it has in it altogether.
bool on_both_sides(const Signs& s) { return std::min({s[0], s[1], s[2]}) < 0 && std::max({s[0], s[1], s[2]}) > 0; }

bool within(const Signs& s) { return s == Signs{}; }

/// The corner that no other is on the same side with. Of corners above, below and in the plane: the one above.
std::size_t lone_corner(const Signs& s) {
  const int lone = s[0] + s[1] + s[2] > 0 ? -1 : 1;
  return static_cast<std::size_t>(std::find(s.begin(), s.end(), lone) - s.begin());
}

/// The axis along which a triangle's shadow has an area; none of a triangle without area.
std::optional<std::size_t> shadow_axis(const TriangleCorners& t) {
  for (std::size_t along = 0; along < 3; ++along)
    if (orientation(t[0], t[1], t[2], along) != 0) return along;
  return std::nullopt;
}

/// Whether some side of `t` has the whole of `other` beyond it, both in one plane.
bool side_separates(const TriangleCorners& t, const TriangleCorners& other, std::size_t along) {
  const int turn = orientation(t[0], t[1], t[2], along);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3f from = t[k], to = t[(k + 1) % 3];
    if (std::all_of(other.begin(), other.end(), [&](Vec3f p) { return orientation(from, to, p, along) * turn <= 0; }))
      return true;
  }
  return false;
}

/// Of triangles in one plane.
bool overlap(const TriangleCorners& a, const TriangleCorners& b) {
  const auto along = shadow_axis(a);
  if (!along || orientation(b[0], b[1], b[2], *along) == 0) return false;
  return !side_separates(a, b, *along) && !side_separates(b, a, *along);
}

/// Of triangles on both sides of each other's planes. With p and q the lone corners, p to p' crosses the common line at
/// s and q to q' at t; orientation(p, p', q, q') has the sign of t - s, up to one sign for all four pairs of such
/// sides.
bool intervals_overlap(const TriangleCorners& a, const Signs& of_a, const TriangleCorners& b, const Signs& of_b) {
  const std::size_t p = lone_corner(of_a), q = lone_corner(of_b);
  bool before = false, after = false;
  for (std::size_t i = 1; i < 3; ++i) {
    for (std::size_t j = 1; j < 3; ++j) {
      const int sign = orientation(a[p], a[(p + i) % 3], b[q], b[(q + j) % 3]);
      before = before || sign < 0;
      after = after || sign > 0;
      if (before && after) return true;
    }
  }
  return false;
}

/// In double, seen from some place nearby.
using CornersFrom = std::array<Vec3d, 3>;

CornersFrom relative(const TriangleCorners& t, Vec3d origin) {
  return {Vec3d(t[0]) - origin, Vec3d(t[1]) - origin, Vec3d(t[2]) - origin};
}

Vec3d normal_of(const CornersFrom& t) { return cross(t[1] - t[0], t[2] - t[0]); }

/// Where the triangle meets the plane through `origin`; `side` says which corners lie where.
LineSegment cut(const CornersFrom& t, Vec3d origin, Vec3d normal, const Signs& side) {
  const std::size_t p = lone_corner(side);
  const double from = dot(t[p] - origin, normal);
  const auto meet = [&](std::size_t other) {
    const double to = dot(t[other] - origin, normal);
    const double share = from != to ? std::clamp(from / (from - to), 0.0, 1.0) : 0.5;
    return lerp(t[p], t[other], share);
  };
  return {meet((p + 1) % 3), meet((p + 2) % 3)};
}

/// The part that two segments of one line have in common.
LineSegment common_part(LineSegment a, LineSegment b) {
  const Vec3d line = a.to - a.from;
  const auto along = [&](Vec3d p) { return dot(p - a.from, line); };
  if (along(b.from) > along(b.to)) std::swap(b.from, b.to);
  const Vec3d from = along(b.from) > 0 ? b.from : a.from, to = along(b.to) < along(a.to) ? b.to : a.to;
  // Intervals that barely overlap may do so by less than rounding.
  return along(from) <= along(to) ? LineSegment{from, to} : LineSegment{(from + to) * 0.5, (from + to) * 0.5};
}

/// Cuts off what lies beyond each side of `t` (Sutherland and Hodgman).
std::vector<Vec3d> clipped(const CornersFrom& t, const CornersFrom& other) {
  const Vec3d normal = normal_of(t);
  std::vector<Vec3d> polygon(other.begin(), other.end());
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d from = t[k], inward = cross(normal, t[(k + 1) % 3] - from);
    std::vector<Vec3d> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3d p = polygon[i], q = polygon[(i + 1) % polygon.size()];
      const double at_p = dot(p - from, inward), at_q = dot(q - from, inward);
      if (at_p >= 0) kept.push_back(p);
      if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) kept.push_back(lerp(p, q, at_p / (at_p - at_q)));
    }
    polygon = std::move(kept);
  }
  return polygon;
}

LineSegment longest_diagonal(const std::vector<Vec3d>& polygon) {
  LineSegment longest;
  double length = -1;
  for (const Vec3d p : polygon) {
    for (const Vec3d q : polygon) {
      if (squared_length(q - p) <= length) continue;
      length = squared_length(q - p);
      longest = {p, q};
    }
  }
  return longest;
}

}  // namespace

bool triangles_cross(const TriangleCorners& a, const TriangleCorners& b) {
  const Signs of_b = sides_of(a, b);
  if (within(of_b)) return overlap(a, b);
  if (!on_both_sides(of_b)) return false;
  const Signs of_a = sides_of(b, a);
  return on_both_sides(of_a) && intervals_overlap(a, of_a, b, of_b);
}

LineSegment crossing_of(const TriangleCorners& a, const TriangleCorners& b) {
  const Vec3d origin(a[0]);  // differences of close places keep their digits
  const CornersFrom p = relative(a, origin), q = relative(b, origin);
  const Signs of_b = sides_of(a, b), of_a = sides_of(b, a);
  LineSegment segment;
  if (on_both_sides(of_a) && on_both_sides(of_b)) {
    segment = common_part(cut(p, q[0], normal_of(q), of_a), cut(q, p[0], normal_of(p), of_b));
  } else {
    segment = longest_diagonal(clipped(p, q));
  }
  return {segment.from + origin, segment.to + origin};
}

}  // namespace supple
