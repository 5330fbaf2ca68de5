// Isotropic remeshing by local operations, with a sizing field and an exact number of vertices on demand.
#include "supple/geometry/remesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/patch_order.h"

namespace supple {
namespace {

constexpr double too_long = 4.0 / 3.0, too_short = 4.0 / 5.0;  // of the wanted length; a split edge is not too short
constexpr std::size_t points_at_once = 512;

Vec3d area_vector(Vec3d a, Vec3d b, Vec3d c) { return cross(b - a, c - a) * 0.5; }

double angle_at(Vec3d a, Vec3d b, Vec3d c) { return std::atan2(length(cross(b - a, c - a)), dot(b - a, c - a)); }

double min_angle(Vec3d a, Vec3d b, Vec3d c) {
  return std::min({angle_at(a, b, c), angle_at(b, c, a), angle_at(c, a, b)});
}

class Remesher {
 public:
  Remesher(HalfEdges surface, const Mesh& mesh, const RemeshOptions& options)
      : surface_(std::move(surface)), options_(options), length_(mesh.positions.size(), 0) {
    points_.reserve(mesh.positions.size());
    for (const Vec3f p : mesh.positions) points_.emplace_back(p);
  }

  Result<Mesh> run(const Progress& progress) {
    const Error stopped{"remesh", "stopped on request", ""};
    if (!measure_lengths()) return bad_length();
    for (int i = 0; i < options_.iterations; ++i) {
      if (!report(progress, "remesh", static_cast<double>(i) / options_.iterations)) return stopped;
      fit_scale();
      split_long_edges();
      collapse_short_edges();
      flip_towards_valence_six();
      relax();
      if (!measure_lengths()) return bad_length();
    }
    if (options_.vertices > 0) meet_vertex_count();
    for (int i = 0; i < 3; ++i) {
      widen_angles();
      relax();
    }
    widen_angles();
    return in_patches(result());
  }

 private:
  Error bad_length() const { return {"edge length", "is not a positive number everywhere on the surface", ""}; }

  Vec3d at(std::uint32_t h) const { return points_[surface_.origin(h)]; }
  double edge(std::uint32_t h) const { return length(at(HalfEdges::next(h)) - at(h)); }
  double wanted(std::uint32_t a, std::uint32_t b) const { return scale_ * 0.5 * (length_[a] + length_[b]); }
  double relative_length(std::uint32_t h) const { return edge(h) / wanted(surface_.origin(h), surface_.target(h)); }
  bool first_of_edge(std::uint32_t h) const { return !surface_.is_removed(h) && h < surface_.twin(h); }

  bool measure_lengths() {
    length_.resize(points_.size(), 0);
    parallel_for(points_.size(), points_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (surface_.is_vertex(static_cast<std::uint32_t>(v))) length_[v] = options_.edge_length(points_[v]);
      }
    });
    for (std::uint32_t v = 0; v < surface_.vertices(); ++v) {
      if (surface_.is_vertex(v) && !(length_[v] > 0 && std::isfinite(length_[v]))) return false;
    }
    return true;
  }

  // Equilateral triangles of edge s have the area sqrt(3)/4 s^2, and a closed surface has two for each vertex: that
  // predicts the number of vertices at scale 1. How far the last iteration missed its prediction corrects the next.
  void fit_scale() {
    if (options_.vertices == 0) return;
    double predicted = 0;
    for (std::uint32_t h = 0; h < surface_.half_edges(); h += 3) {
      if (surface_.is_removed(h)) continue;
      const double s =
          (length_[surface_.origin(h)] + length_[surface_.origin(h + 1)] + length_[surface_.origin(h + 2)]) / 3;
      predicted += 0.5 * length(area_vector(at(h), at(h + 1), at(h + 2))) / (std::sqrt(3.0) / 4 * s * s);
    }
    const double target = static_cast<double>(options_.vertices);
    if (iterations_done_++ > 0) correction_ *= std::clamp(surface_.vertex_count() / target, 0.8, 1.25);
    scale_ = std::sqrt(predicted * correction_ / target);
  }

  void split(std::uint32_t h) {
    const std::uint32_t a = surface_.origin(h), b = surface_.target(h);
    points_.push_back((points_[a] + points_[b]) * 0.5);
    length_.push_back(0.5 * (length_[a] + length_[b]));
    surface_.split(h);
  }

  // Edges from the shortest relative length (or the longest, with `longest_first`) on, ties by number.
  std::vector<std::pair<double, std::uint32_t>> sorted_edges(bool longest_first) const {
    std::vector<std::pair<double, std::uint32_t>> edges;
    for (std::uint32_t h = 0; h < surface_.half_edges(); ++h) {
      if (first_of_edge(h)) edges.emplace_back(longest_first ? -relative_length(h) : relative_length(h), h);
    }
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  // The longest first: an edge that is split before a longer one of its triangle leaves slivers, and those split
  // forever.
  void split_long_edges() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [minus_length, h] : sorted_edges(true)) {
        if (-minus_length <= too_long) break;
        if (relative_length(h) != -minus_length) continue;  // an earlier split gave this number to another edge
        split(h);
        again = true;
      }
    }
  }

  enum class Care { edges_and_folds, folds };

  bool try_collapse(std::uint32_t h, Care care) {
    if (!surface_.may_collapse(h)) return false;
    const std::uint32_t a = surface_.origin(h), b = surface_.target(h);
    const Vec3d middle = (points_[a] + points_[b]) * 0.5;
    const double middle_length = 0.5 * (length_[a] + length_[b]);
    bool good = true;
    const auto check = [&](std::uint32_t center, std::uint32_t other) {
      surface_.around(center, [&](std::uint32_t i) {
        const std::uint32_t c = surface_.target(i), d = surface_.opposite(i);
        if (c == other || d == other) return;
        const double limit = too_long * scale_ * 0.5 * (middle_length + length_[c]);
        if (care == Care::edges_and_folds && length(points_[c] - middle) > limit) good = false;
        const Vec3d before = area_vector(points_[center], points_[c], points_[d]);
        const Vec3d after = area_vector(middle, points_[c], points_[d]);
        if (dot(before, after) <= 0.3 * length(before) * length(after)) good = false;
      });
    };
    check(a, b);
    if (good) check(b, a);
    if (!good) return false;
    points_[b] = middle;
    length_[b] = middle_length;
    surface_.collapse(h);
    return true;
  }

  void collapse_short_edges() {
    for (std::uint32_t h = 0; h < surface_.half_edges(); ++h) {
      if (first_of_edge(h) && relative_length(h) < too_short) try_collapse(h, Care::edges_and_folds);
    }
  }

  // The two triangles of an edge and the two that a flip would make: (a, b, c), (b, a, d) -> (d, b, c), (c, a, d).
  struct Quad {
    Vec3d a, b, c, d;
    // A flip may not turn a triangle away from the plane of the old pair.
    bool stays_unfolded() const {
      const Vec3d s = area_vector(a, b, c), t = area_vector(b, a, d), normal = s + t;
      const Vec3d u = area_vector(d, b, c), v = area_vector(c, a, d);
      const double n = length(normal);
      return dot(u, normal) > 0.5 * length(u) * n && dot(v, normal) > 0.5 * length(v) * n;
    }
    double angle() const { return std::min(min_angle(a, b, c), min_angle(b, a, d)); }
    double flipped_angle() const { return std::min(min_angle(d, b, c), min_angle(c, a, d)); }
  };
  Quad quad(std::uint32_t h) const {
    return {at(h), at(HalfEdges::next(h)), at(HalfEdges::previous(h)), at(HalfEdges::previous(surface_.twin(h)))};
  }

  void flip_towards_valence_six() {
    const auto excess = [&](std::uint32_t v, int change) {
      const int e = static_cast<int>(surface_.valence(v)) + change - 6;
      return e * e;
    };
    for (std::uint32_t h = 0; h < surface_.half_edges(); ++h) {
      if (!first_of_edge(h)) continue;
      const std::uint32_t a = surface_.origin(h), b = surface_.target(h);
      const std::uint32_t c = surface_.opposite(h), d = surface_.opposite(surface_.twin(h));
      const int now = excess(a, 0) + excess(b, 0) + excess(c, 0) + excess(d, 0);
      const int then = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
      if (then >= now || !surface_.may_flip(h)) continue;
      const Quad q = quad(h);
      if (q.stays_unfolded() && q.flipped_angle() > 0.5 * q.angle()) surface_.flip(h);
    }
  }

  void widen_angles() {
    constexpr double enough = 1e-6;  // radians; equal angles must not flip forever
    for (int pass = 0; pass < 4; ++pass) {
      bool changed = false;
      for (std::uint32_t h = 0; h < surface_.half_edges(); ++h) {
        if (!first_of_edge(h)) continue;
        const Quad q = quad(h);
        if (q.flipped_angle() <= q.angle() + enough || !q.stays_unfolded() || !surface_.may_flip(h)) continue;
        surface_.flip(h);
        changed = true;
      }
      if (!changed) return;
    }
  }

  // Splits the longest or collapses the shortest edges, measured by their wanted length, until the number is right.
  void meet_vertex_count() {
    const auto target = static_cast<std::uint32_t>(options_.vertices);
    for (const Care care : {Care::edges_and_folds, Care::folds}) {
      for (int round = 0; round < 8 && surface_.vertex_count() != target; ++round) {
        const bool grow = surface_.vertex_count() < target;
        const auto edges = sorted_edges(grow);
        // At most a quarter of the edges a round, so that lengths are measured again before neighbours follow.
        std::size_t left = edges.size() / 4 + 1;
        for (const auto& [order, h] : edges) {
          if (surface_.vertex_count() == target || left == 0) break;
          if (!first_of_edge(h) || (grow && relative_length(h) != -order)) continue;
          if (grow) {
            split(h);
            --left;
          } else if (try_collapse(h, care)) {
            --left;
          }
        }
        flip_towards_valence_six();
        relax();
      }
    }
  }

  // Moves every vertex towards the centroid of its triangles, weighted by area / length^4 (the density that makes
  // centroidal Voronoi cells of that size), in its tangent plane, and back onto the surface.
  void relax() {
    moved_ = points_;
    parallel_for(points_.size(), points_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (surface_.is_vertex(static_cast<std::uint32_t>(v))) moved_[v] = relaxed(static_cast<std::uint32_t>(v));
      }
    });
    undo_folds();
    points_.swap(moved_);
  }

  Vec3d relaxed(std::uint32_t v) const {
    const Vec3d p = points_[v];
    Vec3d normal{}, sum{};
    double weight = 0;
    surface_.around(v, [&](std::uint32_t h) {
      const std::uint32_t b = surface_.target(h), c = surface_.opposite(h);
      const Vec3d area = area_vector(p, points_[b], points_[c]);
      const double s = (length_[v] + length_[b] + length_[c]) / (3 * length_[v]);
      const double w = length(area) / (s * s * s * s);
      normal += area;
      sum += (p + points_[b] + points_[c]) * (w / 3);
      weight += w;
    });
    if (!(weight > 0)) return p;
    normal = normalized(normal);
    const Vec3d step = sum / weight - p;
    const Vec3d q = p + step - normal * dot(normal, step);
    const Vec3d projected = options_.project ? options_.project(q) : q;
    return is_finite(projected) ? projected : p;
  }

  // A triangle that would turn over holds its vertices back; in the worst case everything stays where it was.
  void undo_folds() {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t h = 0; h < surface_.half_edges(); h += 3) {
        if (surface_.is_removed(h)) continue;
        const std::uint32_t v[3] = {surface_.origin(h), surface_.origin(h + 1), surface_.origin(h + 2)};
        const Vec3d before = area_vector(points_[v[0]], points_[v[1]], points_[v[2]]);
        const Vec3d after = area_vector(moved_[v[0]], moved_[v[1]], moved_[v[2]]);
        if (dot(before, after) > 0.1 * length(before) * length(after)) continue;
        for (const std::uint32_t i : v) {
          again = again || !(moved_[i] == points_[i]);
          moved_[i] = points_[i];
        }
      }
    }
  }

  Mesh result() const {
    Mesh mesh;
    std::vector<std::uint32_t> source;
    mesh.triangles = surface_.compact(source);
    mesh.positions.reserve(source.size());
    for (const std::uint32_t v : source) mesh.positions.emplace_back(points_[v]);
    return mesh;
  }

  HalfEdges surface_;
  const RemeshOptions& options_;
  std::vector<Vec3d> points_, moved_;  // #V
  std::vector<double> length_;         // #V: wanted edge length before scale_
  double scale_ = 1, correction_ = 1;
  int iterations_done_ = 0;
};

}  // namespace

Result<Mesh> remesh(const Mesh& mesh, const RemeshOptions& options, const Progress& progress) {
  if (!options.edge_length) return Error{"remesh", "no edge length is given", "set RemeshOptions::edge_length"};
  Result<HalfEdges> surface = HalfEdges::build(mesh.positions.size(), mesh.triangles);
  if (!surface) return surface.error();
  return Remesher(std::move(*surface), mesh, options).run(progress);
}

MeshQuality quality(const Mesh& mesh) {
  MeshQuality result;
  result.min_angle_degrees = mesh.triangles.empty() ? 0 : 180;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Vec3d p[3];
    for (std::size_t i = 0; i < 3; ++i) p[i] = Vec3d(mesh.positions[mesh.triangles[t][i]]);
    const double angle = min_angle(p[0], p[1], p[2]) * 180 / std::numbers::pi;
    result.mean_min_angle_degrees += angle;
    if (angle < result.min_angle_degrees) {
      result.min_angle_degrees = angle;
      result.worst_triangle = t;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double edge = length(p[(i + 1) % 3] - p[i]);
      result.mean_edge += edge / 3;
      result.max_edge = std::max(result.max_edge, edge);
    }
  }
  const double count = static_cast<double>(std::max<std::size_t>(mesh.triangles.size(), 1));
  result.mean_min_angle_degrees /= count;
  result.mean_edge /= count;
  return result;
}

}  // namespace supple
