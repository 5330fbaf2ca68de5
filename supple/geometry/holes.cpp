// Boundary loops by walking around vertices, caps by the triangulation of least area (Barequet and Sharir, Filling Gaps
// in the Boundary of a Polyhedron, 1995).
#include "supple/geometry/holes.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

constexpr std::uint32_t none = 0xffffffffu;
constexpr std::size_t longest_planned = 300;  // vertices; the plan takes the cube of their number
// How much of a cap's cost are the squares of its edges: decides between flat caps, which all have the same area.
constexpr double edge_share = 1e-3;

using Edge = std::uint64_t;
Edge directed(std::uint32_t from, std::uint32_t to) { return Edge{from} << 32 | to; }
Edge undirected(std::uint32_t a, std::uint32_t b) { return directed(std::min(a, b), std::max(a, b)); }

std::uint32_t next(std::uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

/// Triangle sides over welded points; side 3 t + i runs from corner i of triangle t to the next.
class Sides {
 public:
  Sides(const Mesh& mesh, const Weld& weld) : mesh_(mesh), weld_(weld), twin_(3 * mesh.triangles.size(), none) {
    std::vector<std::pair<Edge, std::uint32_t>> sorted;
    for (std::uint32_t h = 0; h < twin_.size(); ++h) {
      if (!is_collapsed(h / 3)) sorted.emplace_back(undirected(origin(h), origin(next(h))), h);
    }
    std::sort(sorted.begin(), sorted.end());
    crowded_.assign(weld.points(), 0);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      std::vector<std::uint32_t> there, back;
      for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
        const std::uint32_t h = sorted[end].second;
        (origin(h) < origin(next(h)) ? there : back).push_back(h);
      }
      for (std::size_t i = 0; i < std::min(there.size(), back.size()); ++i) {
        twin_[there[i]] = back[i];
        twin_[back[i]] = there[i];
      }
      if (there.size() > 1 || back.size() > 1) {
        const std::uint32_t h = sorted[begin].second;
        crowded_[origin(h)] = crowded_[origin(next(h))] = 1;
      }
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(twin_.size()); }
  std::uint32_t vertex(std::uint32_t h) const { return mesh_.triangles[h / 3][h % 3]; }
  std::uint32_t origin(std::uint32_t h) const { return weld_.to_point[vertex(h)]; }
  bool is_boundary(std::uint32_t h) const { return twin_[h] == none && !is_collapsed(h / 3); }
  /// At an edge of three or more triangles, or with two in the same direction.
  bool is_crowded(std::uint32_t point) const { return crowded_[point] != 0; }
  /// The boundary side that follows: around its end through all triangles there. Ends, because sides are twins in
  /// pairs.
  std::uint32_t following(std::uint32_t h) const {
    std::uint32_t g = next(h);
    while (twin_[g] != none) g = next(twin_[g]);
    return g;
  }

 private:
  bool is_collapsed(std::size_t t) const {
    const auto p = [&](std::size_t i) { return weld_.to_point[mesh_.triangles[t][i]]; };
    return p(0) == p(1) || p(1) == p(2) || p(2) == p(0);
  }

  const Mesh& mesh_;
  const Weld& weld_;
  std::vector<std::uint32_t> twin_;    // #sides
  std::vector<std::uint8_t> crowded_;  // #points
};

void measure(const Mesh& mesh, Hole& hole) {
  const std::size_t n = hole.vertices.size();
  const auto at = [&](std::size_t i) { return Vec3d(mesh.positions[hole.vertices[i % n]]); };
  for (std::size_t i = 0; i < n; ++i) {
    const double side = length(at(i + 1) - at(i));
    hole.perimeter += side;
    hole.centre += (at(i) + at(i + 1)) * (0.5 * side);
  }
  hole.centre = hole.perimeter > 0 ? hole.centre / hole.perimeter : at(0);
  Vec3d area{};
  for (std::size_t i = 0; i < n; ++i) area += cross(at(i) - hole.centre, at(i + 1) - hole.centre) * 0.5;
  hole.area = length(area);
  hole.normal = normalized(area, {0, 1, 0});
  for (std::size_t i = 0; i < n; ++i) {
    hole.off_plane = std::max(hole.off_plane, std::abs(dot(at(i) - hole.centre, hole.normal)));
  }
}

/// Triangles over the positions of a loop by least cost, or none where every triangulation needs a forbidden edge.
class CapPlan {
 public:
  template <class IsTaken>
  CapPlan(std::span<const Vec3d> loop, IsTaken&& is_taken) : n_(loop.size()), cost_(n_ * n_, 0), apex_(n_ * n_, 0) {
    constexpr double impossible = std::numeric_limits<double>::infinity();
    for (std::size_t span = 2; span < n_; ++span) {
      for (std::size_t i = 0; i + span < n_; ++i) {
        const std::size_t k = i + span;
        double best = impossible;
        const bool is_side = span + 1 == n_;  // the loop's own edge from the last vertex to the first
        if (is_side || !is_taken(i, k)) {
          const double edge = is_side ? 0 : edge_share * squared_length(loop[k] - loop[i]);
          for (std::size_t j = i + 1; j < k; ++j) {
            const double area = 0.5 * length(cross(loop[j] - loop[i], loop[k] - loop[i]));
            const double cost = cost_[i * n_ + j] + cost_[j * n_ + k] + area + edge;
            if (cost < best) {
              best = cost;
              apex_[i * n_ + k] = j;
            }
          }
        }
        cost_[i * n_ + k] = best;
      }
    }
  }

  bool exists() const { return std::isfinite(cost_[n_ - 1]); }
  /// Calls emit(i, j, k) for each triangle of loop places.
  template <class Emit>
  void triangles(Emit&& emit) const {
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, n_ - 1}};
    while (!waiting.empty()) {
      const auto [i, k] = waiting.back();
      waiting.pop_back();
      if (k - i < 2) continue;
      const std::size_t j = apex_[i * n_ + k];
      emit(i, j, k);
      waiting.emplace_back(j, k);
      waiting.emplace_back(i, j);
    }
  }

 private:
  std::size_t n_;
  std::vector<double> cost_;       // n * n: of the part of the loop between two places
  std::vector<std::size_t> apex_;  // n * n
};

/// Undirected edges over welded points, kept sorted.
class EdgeSet {
 public:
  EdgeSet(const Mesh& mesh, const Weld& weld) {
    for (const Triangle& t : mesh.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        edges_.push_back(undirected(weld.to_point[t[i]], weld.to_point[t[(i + 1) % 3]]));
      }
    }
    std::sort(edges_.begin(), edges_.end());
  }
  bool has(Edge edge) const { return std::binary_search(edges_.begin(), edges_.end(), edge); }
  void add(Edge edge) { edges_.insert(std::lower_bound(edges_.begin(), edges_.end(), edge), edge); }

 private:
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<Hole> find_holes(const Mesh& mesh, const Weld& weld) {
  const Sides sides(mesh, weld);
  std::vector<std::uint8_t> walked(sides.count(), 0);
  std::vector<std::uint32_t> place(weld.points(), none);  // on the present walk
  std::vector<Hole> holes;
  const auto add = [&](std::span<const std::uint32_t> loop) {
    Hole hole;
    hole.simple = loop.size() >= 3;
    for (const std::uint32_t h : loop) {
      hole.vertices.push_back(sides.vertex(h));
      hole.simple = hole.simple && !sides.is_crowded(sides.origin(h));
    }
    // The surface's triangles run along their sides; those of the cap run against them.
    std::reverse(hole.vertices.begin(), hole.vertices.end());
    measure(mesh, hole);
    holes.push_back(std::move(hole));
  };
  for (std::uint32_t seed = 0; seed < sides.count(); ++seed) {
    if (!sides.is_boundary(seed) || walked[seed] != 0) continue;
    std::vector<std::uint32_t> walk;
    // Where the walk comes back to a point it has been at, it has been around a hole.
    const auto arrive = [&](std::uint32_t point) {
      if (place[point] == none) return;
      const std::uint32_t from = place[point];
      for (std::size_t i = from; i < walk.size(); ++i) place[sides.origin(walk[i])] = none;
      add(std::span(walk).subspan(from));
      walk.resize(from);
    };
    std::uint32_t h = seed;
    for (; walked[h] == 0; h = sides.following(h)) {
      arrive(sides.origin(h));
      walked[h] = 1;
      place[sides.origin(h)] = static_cast<std::uint32_t>(walk.size());
      walk.push_back(h);
    }
    arrive(sides.origin(h));
  }
  return holes;
}

std::vector<Hole> find_holes(const Mesh& mesh) { return find_holes(mesh, weld(mesh.positions)); }

ClosedSurface close_holes(const Mesh& mesh, const CloseOptions& options) {
  const Weld points = weld(mesh.positions, options.weld_tolerance);
  ClosedSurface result;
  result.mesh = mesh;
  EdgeSet edges(mesh, points);
  for (Hole& hole : find_holes(mesh, points)) {
    if ((!hole.simple && options.manifold_only) || hole.perimeter > options.max_perimeter) {
      result.open.push_back(std::move(hole));
      continue;
    }
    Cap cap;
    cap.first_triangle = static_cast<std::uint32_t>(result.mesh.triangles.size());
    const std::vector<std::uint32_t>& loop = hole.vertices;
    const auto point = [&](std::size_t i) { return points.to_point[loop[i]]; };
    bool planned = false;
    if (loop.size() <= longest_planned) {
      std::vector<Vec3d> positions;
      for (const std::uint32_t v : loop) positions.emplace_back(mesh.positions[v]);
      const CapPlan plan(positions,
                         [&](std::size_t i, std::size_t k) { return edges.has(undirected(point(i), point(k))); });
      planned = plan.exists();
      if (planned) {
        plan.triangles([&](std::size_t i, std::size_t j, std::size_t k) {
          result.mesh.triangles.push_back({loop[i], loop[j], loop[k]});
          if (k - i + 1 < loop.size()) edges.add(undirected(point(i), point(k)));
        });
      }
    }
    if (!planned) {
      const auto centre = static_cast<std::uint32_t>(result.mesh.positions.size());
      result.mesh.positions.emplace_back(hole.centre);
      if (!mesh.normals.empty()) result.mesh.normals.emplace_back(hole.normal);
      for (std::size_t i = 0; i < loop.size(); ++i) {
        result.mesh.triangles.push_back({loop[i], loop[(i + 1) % loop.size()], centre});
      }
      cap.centre_vertex = centre;
    }
    cap.triangle_count = static_cast<std::uint32_t>(result.mesh.triangles.size()) - cap.first_triangle;
    cap.hole = std::move(hole);
    result.caps.push_back(std::move(cap));
  }
  return result;
}

}  // namespace supple
