// Quadric error edge collapse on the half-edge structure, cheapest edge first.
#include "supple/geometry/simplify.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "supple/base/mat.h"
#include "supple/geometry/half_edges.h"

namespace supple {
namespace {

// Sum of squared distances to planes: p^T a p + 2 b p + c.
struct Quadric {
  Mat3d a = Mat3d::diagonal({0, 0, 0});
  Vec3d b{};
  double c = 0;

  static Quadric plane(Vec3d normal, Vec3d through, double weight) {
    const double d = -dot(normal, through);
    return {outer(normal, normal) * weight, normal * (d * weight), d * d * weight};
  }
  Quadric& operator+=(const Quadric& q) {
    a = a + q.a;
    b += q.b;
    c += q.c;
    return *this;
  }
  double at(Vec3d p) const { return dot(p, a * p) + 2 * dot(b, p) + c; }
};

double longest_squared(Vec3d a, Vec3d b, Vec3d c) {
  return std::max({squared_length(b - a), squared_length(c - b), squared_length(a - c)});
}

class Simplifier {
 public:
  Simplifier(HalfEdges surface, const Mesh& mesh)
      : surface_(std::move(surface)), quadrics_(mesh.positions.size()), changed_(mesh.positions.size(), 0) {
    for (const Vec3f p : mesh.positions) points_.emplace_back(p);
    for (const Triangle& t : mesh.triangles) {
      const Vec3d n = cross(points_[t[1]] - points_[t[0]], points_[t[2]] - points_[t[0]]);
      const double area = length(n) / 2;
      if (!(area > 0)) continue;
      const Quadric plane = Quadric::plane(n / (2 * area), points_[t[0]], area);
      for (const std::uint32_t v : t) quadrics_[v] += plane;
    }
  }

  Mesh run(std::size_t target) {
    // An edge that was refused may be fine after its neighbourhood has changed: it gets another chance in a new round,
    // until nothing moves; then worse triangles are accepted.
    for (const double thinnest : {0.1, 0.02, 0.0}) {
      thinnest_ = thinnest;
      for (std::uint32_t before = 0; surface_.vertex_count() > target && surface_.vertex_count() != before;) {
        before = surface_.vertex_count();
        for (std::uint32_t h = 0; h < surface_.half_edges(); ++h) {
          if (!surface_.is_removed(h) && h < surface_.twin(h)) push(h);
        }
        collapse_cheapest(target);
      }
    }
    Mesh mesh;
    std::vector<std::uint32_t> source;
    mesh.triangles = surface_.compact(source);
    for (const std::uint32_t v : source) mesh.positions.emplace_back(points_[v]);
    return mesh;
  }

 private:
  struct Candidate {
    double cost;
    std::uint32_t half_edge;
    std::uint64_t age;
    bool operator<(const Candidate& other) const {  // the queue's top is its largest
      return std::tie(cost, half_edge, age) > std::tie(other.cost, other.half_edge, other.age);
    }
  };

  void collapse_cheapest(std::size_t target) {
    while (surface_.vertex_count() > target && !queue_.empty()) {
      const Candidate candidate = queue_.top();
      queue_.pop();
      const std::uint32_t h = candidate.half_edge;
      if (surface_.is_removed(h) || candidate.age != age(h)) continue;
      if (!surface_.may_collapse(h)) continue;
      const std::uint32_t a = surface_.origin(h), b = surface_.target(h);
      Vec3d p = best_place(h);
      if (folds(h, p)) p = points_[b];
      if (folds(h, p)) p = points_[a];
      if (folds(h, p)) continue;
      surface_.collapse(h);
      points_[b] = p;
      quadrics_[b] += quadrics_[a];
      ++changed_[b];
      surface_.around(b, [&](std::uint32_t i) { push(i); });
    }
  }

  // Grows whenever an end of the edge moves: older candidates are out of date.
  std::uint64_t age(std::uint32_t h) const {
    return std::uint64_t{changed_[surface_.origin(h)]} + changed_[surface_.target(h)];
  }
  void push(std::uint32_t h) {
    Quadric q = quadrics_[surface_.origin(h)];
    q += quadrics_[surface_.target(h)];
    // Where planes agree every place is free: short edges go first there.
    const Vec3d edge = points_[surface_.target(h)] - points_[surface_.origin(h)];
    const double squared = squared_length(edge);
    queue_.push({std::max(q.at(best_place(h)), 0.0) + 1e-3 * squared * squared, h, age(h)});
  }

  // The minimum of the quadric near the edge, or the best of its ends and middle where the minimum is far or undefined.
  Vec3d best_place(std::uint32_t h) const {
    const Vec3d a = points_[surface_.origin(h)], b = points_[surface_.target(h)], middle = (a + b) * 0.5;
    Quadric q = quadrics_[surface_.origin(h)];
    q += quadrics_[surface_.target(h)];
    const double size = norm(q.a);
    if (determinant(q.a) > 1e-4 * size * size * size) {
      const Vec3d p = inverse(q.a) * -q.b;
      if (squared_length(p - middle) <= squared_length(b - a)) return p;
    }
    Vec3d best = middle;
    for (const Vec3d p : {a, b}) best = q.at(p) < q.at(best) ? p : best;
    return best;
  }

  bool folds(std::uint32_t h, Vec3d p) const {
    const std::uint32_t ends[2] = {surface_.origin(h), surface_.target(h)};
    bool folded = false;
    for (int side = 0; side < 2; ++side) {
      surface_.around(ends[side], [&](std::uint32_t i) {
        const std::uint32_t c = surface_.target(i), d = surface_.opposite(i);
        if (c == ends[1 - side] || d == ends[1 - side]) return;
        const Vec3d before = cross(points_[c] - points_[ends[side]], points_[d] - points_[ends[side]]);
        const Vec3d after = cross(points_[c] - p, points_[d] - p);
        folded = folded || dot(before, after) <= 0.2 * length(before) * length(after);
        // Needles shade badly whatever they cost; those that are there already may get fatter.
        const double fatness = length(after) / longest_squared(p, points_[c], points_[d]);
        folded = folded || (fatness < thinnest_ &&
                            fatness * longest_squared(points_[ends[side]], points_[c], points_[d]) < length(before));
      });
    }
    return folded;
  }

  HalfEdges surface_;
  std::vector<Vec3d> points_;
  std::vector<Quadric> quadrics_;
  std::vector<std::uint32_t> changed_;
  std::priority_queue<Candidate> queue_;
  double thinnest_ = 0;  // least ratio of a triangle's doubled area to its longest edge squared
};

}  // namespace

Result<Mesh> simplify(const Mesh& mesh, std::size_t vertices) {
  Result<HalfEdges> surface = HalfEdges::build(mesh.positions.size(), mesh.triangles);
  if (!surface) return surface.error();
  return Simplifier(std::move(*surface), mesh).run(vertices);
}

}  // namespace supple
