// Loop's stencils over welded points: edges are found by sorting, their kind decides every weight.
#include "supple/geometry/subdivide.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "supple/base/disjoint_sets.h"
#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::uint32_t nowhere = 0xffffffffu;

/// One side of a triangle. `corner` = 3 * triangle + k stands for the side from corner k to corner k + 1.
struct TriangleSide {
  std::uint32_t low, high, corner;
  auto operator<=>(const TriangleSide&) const = default;
};

std::uint32_t next_corner(std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
std::uint32_t previous_corner(std::uint32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }

/// The different edges of all triangles, in the order of their first sides, so that neighbours in the triangle list are
/// neighbours among the new vertices.
struct Edges {
  std::vector<std::uint32_t> of_corner;            // #T * 3: the edge of each side
  std::vector<std::array<std::uint32_t, 2>> ends;  // #edges, smaller number first
  /// #edges: the two sides of an inner edge, which run against each other; none of any other edge.
  std::vector<std::array<std::uint32_t, 2>> two_corners;
  std::vector<bool> used;  // #edges: by a triangle with an area
};

/// `number` gives the number of a corner: of its vertex, or of its point. Triangles in which two numbers agree have no
/// area: their sides are edges, but do not count as neighbours of any.
template <class Number>
Edges find_edges(std::size_t triangle_count, Number&& number) {
  const auto corners = static_cast<std::uint32_t>(3 * triangle_count);
  std::vector<TriangleSide> sides;
  sides.reserve(corners);
  for (std::uint32_t c = 0; c < corners; ++c) {
    const std::uint32_t a = number(c), b = number(next_corner(c));
    sides.push_back({std::min(a, b), std::max(a, b), c});
  }
  std::sort(sides.begin(), sides.end());

  std::vector<std::uint32_t> leader(corners);  // the first corner of its edge
  for (std::size_t i = 0, group = 0; i < sides.size(); ++i) {
    if (sides[i].low != sides[group].low || sides[i].high != sides[group].high) group = i;
    leader[sides[i].corner] = sides[group].corner;
  }
  Edges edges;
  edges.of_corner.resize(corners);
  for (std::uint32_t c = 0; c < corners; ++c) {
    if (leader[c] == c) {
      edges.of_corner[c] = static_cast<std::uint32_t>(edges.ends.size());
      const std::uint32_t a = number(c), b = number(next_corner(c));
      edges.ends.push_back({std::min(a, b), std::max(a, b)});
    } else {
      edges.of_corner[c] = edges.of_corner[leader[c]];
    }
  }

  edges.two_corners.assign(edges.ends.size(), {nowhere, nowhere});
  edges.used.assign(edges.ends.size(), false);
  std::vector<std::uint32_t> users;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    users.clear();
    for (; end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high; ++end) {
      const std::uint32_t c = sides[end].corner;
      const std::uint32_t a = number(c), b = number(next_corner(c)), opposite = number(previous_corner(c));
      if (a != b && b != opposite && opposite != a) users.push_back(c);
    }
    const std::uint32_t e = edges.of_corner[sides[begin].corner];
    edges.used[e] = !users.empty();
    if (users.size() == 2 && number(users[0]) != number(users[1])) edges.two_corners[e] = {users[0], users[1]};
  }
  return edges;
}

/// Whether the triangles round each point form one fan, told by joining corners across inner edges.
std::vector<bool> has_one_fan(std::size_t points, const Edges& edges, const auto& point) {
  const auto corners = static_cast<std::uint32_t>(edges.of_corner.size());
  DisjointSets fans(corners);
  std::vector<bool> real(corners, false);
  for (const auto& [a, b] : edges.two_corners) {
    if (a == nowhere) continue;
    for (const auto& [c, d] : {std::pair(a, next_corner(b)), std::pair(next_corner(a), b)}) {
      fans.join(c, d);
      real[c] = real[d] = true;  // corners of triangles without area never get here
    }
  }
  std::vector<std::uint32_t> fan(points, nowhere);
  std::vector<bool> one(points, true);
  for (std::uint32_t c = 0; c < corners; ++c) {
    if (!real[c]) continue;
    if (fan[point(c)] == nowhere) fan[point(c)] = fans.root(c);
    if (fan[point(c)] != fans.root(c)) one[point(c)] = false;
  }
  return one;
}

double loop_weight(std::size_t neighbours) {
  const auto n = static_cast<double>(neighbours);
  const double inner = 3.0 / 8 + std::cos(2 * std::numbers::pi / n) / 4;
  return (5.0 / 8 - inner * inner) / n;
}

/// Collects the weights of one new point after the other.
class Stencils {
 public:
  Stencils(Refinement& to, const Weld& weld) : to_(to), weld_(weld) { to_.first.assign(1, 0); }
  void add(std::uint32_t point, double weight) {
    to_.from.push_back(weld_.to_vertex[point]);
    to_.weight.push_back(static_cast<float>(weight));
  }
  void finish() { to_.first.push_back(static_cast<std::uint32_t>(to_.from.size())); }

 private:
  Refinement& to_;
  const Weld& weld_;
};

/// The neighbours of points along edges, inner ones and curve edges apart.
struct Rings {
  Adjacency inner, curve;
};

Rings rings_of(std::size_t points, const Edges& edges) {
  std::vector<Triangle> inner, curve;  // edges written as triangles without area, as vertex_neighbours reads them
  for (std::size_t e = 0; e < edges.ends.size(); ++e) {
    if (!edges.used[e]) continue;
    const auto [a, b] = edges.ends[e];
    (edges.two_corners[e][0] == nowhere ? curve : inner).push_back({a, b, b});
  }
  return {vertex_neighbours(points, inner), vertex_neighbours(points, curve)};
}

}  // namespace

Result<Refinement> refine_loop(std::size_t vertex_count, std::span<const Triangle> triangles, const Weld& weld) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t]) {
      if (v >= vertex_count)
        return Error{"triangle " + std::to_string(t), "names vertex " + std::to_string(v) + ", which does not exist",
                     ""};
    }
  }
  if (weld.to_point.size() != vertex_count)
    return Error{"weld", "is of another mesh", "weld the positions that are refined"};
  // Three edges a triangle at most, each with four weights of its own and two in the stencils of its ends.
  if (18 * triangles.size() + vertex_count > nowhere)
    return Error{"mesh", "has too many triangles to be refined (" + std::to_string(triangles.size()) + ")",
                 "use fewer levels"};

  const auto vertex = [&](std::uint32_t c) { return triangles[c / 3][c % 3]; };
  const auto point = [&](std::uint32_t c) { return weld.to_point[vertex(c)]; };
  const Edges drawn = find_edges(triangles.size(), vertex), welded = find_edges(triangles.size(), point);
  const Rings rings = rings_of(weld.points(), welded);
  const std::vector<bool> one_fan = has_one_fan(weld.points(), welded, point);

  Refinement r;
  r.edges = drawn.ends;
  const auto old = static_cast<std::uint32_t>(vertex_count);
  r.triangles.reserve(4 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const auto [a, b, c] = triangles[t];
    const std::uint32_t ab = old + drawn.of_corner[3 * t], bc = old + drawn.of_corner[3 * t + 1],
                        ca = old + drawn.of_corner[3 * t + 2];
    r.triangles.insert(r.triangles.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
  }

  Stencils stencils(r, weld);
  for (std::uint32_t p = 0; p < weld.points(); ++p) {
    const auto inner = rings.inner.of(p), curve = rings.curve.of(p);
    if (curve.size() == 2) {
      stencils.add(p, 3.0 / 4);
      for (const std::uint32_t q : curve) stencils.add(q, 1.0 / 8);
    } else if (curve.empty() && inner.size() >= 3 && one_fan[p]) {
      const double b = loop_weight(inner.size());
      stencils.add(p, 1 - static_cast<double>(inner.size()) * b);
      for (const std::uint32_t q : inner) stencils.add(q, b);
    } else {
      stencils.add(p, 1);
    }
    stencils.finish();
  }
  std::vector<std::uint32_t> point_on(welded.ends.size());
  for (std::size_t e = 0; e < welded.ends.size(); ++e) {
    const auto [a, b] = welded.ends[e];
    if (a == b) {  // of a triangle without area
      point_on[e] = a;
      continue;
    }
    point_on[e] = static_cast<std::uint32_t>(r.first.size() - 1);
    const auto [c, d] = welded.two_corners[e];
    const double end = c == nowhere ? 1.0 / 2 : 3.0 / 8;
    stencils.add(a, end);
    stencils.add(b, end);
    if (c != nowhere) {
      stencils.add(point(previous_corner(c)), 1.0 / 8);
      stencils.add(point(previous_corner(d)), 1.0 / 8);
    }
    stencils.finish();
  }

  r.weld = weld;
  r.weld.to_point.resize(vertex_count + drawn.ends.size(), nowhere);
  r.weld.to_vertex.resize(r.first.size() - 1, nowhere);
  for (std::uint32_t c = 0; c < drawn.of_corner.size(); ++c) {
    const std::uint32_t v = old + drawn.of_corner[c], p = point_on[welded.of_corner[c]];
    r.weld.to_point[v] = p;
    r.weld.to_vertex[p] = std::min(r.weld.to_vertex[p], v);
  }
  return r;
}

std::vector<Vec3f> refine(const Refinement& r, std::span<const Vec3f> values) {
  std::vector<Vec3f> points(r.weld.points()), refined(r.vertices());
  parallel_for(points.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      Vec3d sum{};
      for (std::uint32_t i = r.first[p]; i < r.first[p + 1]; ++i) sum += Vec3d(values[r.from[i]]) * double{r.weight[i]};
      points[p] = Vec3f(sum);
    }
  });
  for (std::size_t v = 0; v < refined.size(); ++v) refined[v] = points[r.weld.to_point[v]];
  return refined;
}

Result<Mesh> subdivide(const Mesh& mesh) {
  if (auto ok = validate(mesh); !ok) return ok.error();
  const auto refinement = refine_loop(mesh.positions.size(), mesh.triangles, weld(mesh.positions));
  if (!refinement) return refinement.error();
  Mesh fine{refine(*refinement, mesh.positions), {}, refinement->triangles};
  if (!mesh.normals.empty()) {
    fine.normals.resize(fine.positions.size());
    compute_normals(fine.positions, fine.triangles, fine.normals, refinement->weld.to_point);
  }
  return fine;
}

}  // namespace supple
