// Containing elements through a grid of cells, nearest boundary elements through a hierarchy of their faces.
#include "supple/geometry/embedding.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "supple/base/mat.h"
#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple {
namespace {

using Barycentric = std::array<double, 4>;

// Coordinates above this count as inside: rounding of a point on a face, in units of the element's height.
constexpr double tolerance = 1e-9;

double smallest(const Barycentric& l) { return *std::min_element(l.begin(), l.end()); }

Vec3d interpolate(const TetMesh& mesh, std::span<const Vec3d> nodes, std::size_t e, const Barycentric& l) {
  const auto element = mesh.element(e);
  Vec3d sum{};
  if (mesh.nodes_per_element == 4) {
    for (std::size_t a = 0; a < 4; ++a) sum += nodes[element[a]] * l[a];
  } else {
    const std::array<double, 10> shape = quadratic_shape(l);
    for (std::size_t a = 0; a < 10; ++a) sum += nodes[element[a]] * shape[a];
  }
  return sum;
}

/// Finds the coordinates of points within elements.
class Inverse {
 public:
  explicit Inverse(const TetMesh& mesh) : mesh_(mesh), bent_(mesh.element_count(), 0) {
    if (mesh.nodes_per_element == 4) return;
    for (std::size_t e = 0; e < bent_.size(); ++e) {
      const auto element = mesh.element(e);
      for (std::size_t k = 0; k < 6; ++k) {
        const Vec3d a = mesh.nodes[element[tet_edges[k][0]]], b = mesh.nodes[element[tet_edges[k][1]]];
        const double offset = length(mesh.nodes[element[4 + k]] - (a + b) * 0.5);
        if (offset > 1e-9 * length(b - a)) bent_[e] = 1;
      }
    }
  }

  bool is_bent(std::size_t e) const { return bent_[e] != 0; }

  Barycentric operator()(std::size_t e, Vec3d p) const {
    Barycentric l = straight(e, p);
    if (!is_bent(e)) return l;
    // Newton on x(l) = p with l0 = 1 - l1 - l2 - l3; far outside it may not converge, then the straight element counts.
    const double size = length(mesh_.corner(e, 1) - mesh_.corner(e, 0));
    for (int i = 0; i < 20; ++i) {
      const Vec3d miss = p - interpolate(mesh_, mesh_.nodes, e, l);
      if (!(length(miss) > 1e-14 * size)) return l;
      const Mat3d slope = jacobian(e, l);
      if (!(determinant(slope) > 0)) break;
      const Vec3d step = inverse(slope) * miss;
      l = {l[0] - step.x - step.y - step.z, l[1] + step.x, l[2] + step.y, l[3] + step.z};
      if (length(step) < 1e-13) return l;
    }
    return length(p - interpolate(mesh_, mesh_.nodes, e, l)) < 1e-9 * size ? l : straight(e, p);
  }

 private:
  Barycentric straight(std::size_t e, Vec3d p) const {
    const Vec3d x0 = mesh_.corner(e, 0), a = mesh_.corner(e, 1) - x0, b = mesh_.corner(e, 2) - x0,
                c = mesh_.corner(e, 3) - x0, d = p - x0;
    const Vec3d bc = cross(b, c);
    const double whole = dot(a, bc);
    const double l1 = dot(d, bc) / whole, l2 = dot(a, cross(d, c)) / whole, l3 = dot(a, cross(b, d)) / whole;
    return {1 - l1 - l2 - l3, l1, l2, l3};
  }
  /// dx / d(l1, l2, l3)
  Mat3d jacobian(std::size_t e, const Barycentric& l) const {
    const auto element = mesh_.element(e);
    std::array<Vec3d, 4> by_coordinate{};
    for (std::size_t a = 0; a < 4; ++a) by_coordinate[a] = mesh_.nodes[element[a]] * (4 * l[a] - 1);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto [a, b] = tet_edges[k];
      by_coordinate[a] += mesh_.nodes[element[4 + k]] * (4 * l[b]);
      by_coordinate[b] += mesh_.nodes[element[4 + k]] * (4 * l[a]);
    }
    return {by_coordinate[1] - by_coordinate[0], by_coordinate[2] - by_coordinate[0],
            by_coordinate[3] - by_coordinate[0]};
  }

  const TetMesh& mesh_;
  std::vector<std::uint8_t> bent_;  // #E
};

/// Which elements may contain a point: a regular grid of cells, each with the elements whose boxes it meets.
class ElementGrid {
 public:
  ElementGrid(const TetMesh& mesh, const Inverse& inverse) {
    const std::size_t count = mesh.element_count();
    std::vector<std::array<Vec3d, 2>> boxes(count);
    Vec3d low = mesh.nodes[mesh.elements[0]], high = low, sum{};
    for (std::size_t e = 0; e < count; ++e) {
      Vec3d a = mesh.corner(e, 0), b = a;
      for (const std::uint32_t n : mesh.element(e)) {
        a = min(a, mesh.nodes[n]);
        b = max(b, mesh.nodes[n]);
      }
      if (inverse.is_bent(e)) {  // may bulge beyond its nodes, by less than an eighth of its size for usable elements
        const Vec3d bulge = (b - a) * 0.25;
        a -= bulge;
        b += bulge;
      }
      boxes[e] = {a, b};
      low = min(low, a);
      high = max(high, b);
      sum += b - a;
    }
    low_ = low;
    const Vec3d size = high - low;
    const double mean = (sum.x + sum.y + sum.z) / (3.0 * static_cast<double>(count));
    // About as large as the elements, but not many more cells than elements where the box is mostly empty.
    cell_ = std::max(mean, std::cbrt(size.x * size.y * size.z / (4.0 * static_cast<double>(count))));
    for (std::size_t axis = 0; axis < 3; ++axis) size_[axis] = static_cast<std::size_t>(size[axis] / cell_) + 1;

    first_.assign(size_[0] * size_[1] * size_[2] + 1, 0);
    const auto for_each_cell = [&](std::size_t e, auto&& visit) {
      const auto from = cell(boxes[e][0]), to = cell(boxes[e][1]);
      for (std::size_t k = from[2]; k <= to[2]; ++k)
        for (std::size_t j = from[1]; j <= to[1]; ++j)
          for (std::size_t i = from[0]; i <= to[0]; ++i) visit(i + size_[0] * (j + size_[1] * k));
    };
    for (std::size_t e = 0; e < count; ++e) for_each_cell(e, [&](std::size_t c) { ++first_[c + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    items_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t e = 0; e < count; ++e) {
      for_each_cell(e, [&](std::size_t c) { items_[next[c]++] = static_cast<std::uint32_t>(e); });
    }
  }

  std::span<const std::uint32_t> candidates(Vec3d p) const {
    const Vec3d q = (p - low_) / cell_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!(q[axis] >= 0) || !(q[axis] < static_cast<double>(size_[axis]))) return {};
    }
    const auto c = cell(p);
    const std::size_t at = c[0] + size_[0] * (c[1] + size_[1] * c[2]);
    return {items_.data() + first_[at], first_[at + 1] - first_[at]};
  }

 private:
  std::array<std::size_t, 3> cell(Vec3d p) const {
    std::array<std::size_t, 3> result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double q = std::max((p[axis] - low_[axis]) / cell_, 0.0);
      result[axis] = std::min(static_cast<std::size_t>(q), size_[axis] - 1);
    }
    return result;
  }

  Vec3d low_{};
  double cell_ = 1;
  std::array<std::size_t, 3> size_{};
  std::vector<std::size_t> first_;  // #cells + 1
  std::vector<std::uint32_t> items_;
};

/// The boundary, and around each of its nodes the elements that have a face there.
class Boundary {
 public:
  explicit Boundary(const TetMesh& mesh) : mesh_(mesh), faces_(boundary_faces(mesh)) {
    std::vector<Vec3f> positions;
    positions.reserve(mesh.nodes.size());
    for (const Vec3d& p : mesh.nodes) positions.emplace_back(p);
    bvh_ = Bvh(positions, faces_.triangles);
    first_.assign(mesh.nodes.size() + 1, 0);
    for (const Triangle& t : faces_.triangles) {
      for (const std::uint32_t v : t) ++first_[v + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    items_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t t = 0; t < faces_.triangles.size(); ++t) {
      for (const std::uint32_t v : faces_.triangles[t]) items_[next[v]++] = t;
    }
  }

  struct Nearest {
    double distance = 0;
    Triangle corners{};
    Vec3d weights{};
    std::uint32_t element = 0;
  };
  Nearest nearest(Vec3d p) const {
    const ClosestPoint closest = bvh_.closest(Vec3f(p));
    const Triangle& t = faces_.triangles[closest.triangle];
    const Vec3d w(closest.barycentric);
    const Vec3d foot = mesh_.nodes[t[0]] * w.x + mesh_.nodes[t[1]] * w.y + mesh_.nodes[t[2]] * w.z;
    return {length(p - foot), t, w, faces_.elements[closest.triangle]};
  }
  /// Calls visit(element) for the elements with a boundary face at the nearest point: several at an edge or a corner.
  template <class Visit>
  void around(const Nearest& nearest, Visit&& visit) const {
    visit(nearest.element);
    constexpr double at_edge = 1e-5;  // weights come from float positions
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(nearest.weights[i] > at_edge)) continue;
      for (std::uint32_t at = first_[nearest.corners[i]]; at < first_[nearest.corners[i] + 1]; ++at) {
        const Triangle& other = faces_.triangles[items_[at]];
        bool touches = true;
        for (std::size_t k = 0; k < 3; ++k) {
          const bool has = std::find(other.begin(), other.end(), nearest.corners[k]) != other.end();
          touches = touches && (has || !(nearest.weights[k] > at_edge));
        }
        if (touches) visit(faces_.elements[items_[at]]);
      }
      return;  // all of them have this corner
    }
  }

 private:
  const TetMesh& mesh_;
  TetBoundary faces_;
  Bvh bvh_;
  std::vector<std::uint32_t> first_, items_;  // boundary triangles of each node
};

template <class Point>
Embedding embed_points(std::span<const Point> points, const TetMesh& mesh) {
  assert(mesh.element_count() > 0);
  const Inverse inverse(mesh);
  const ElementGrid grid(mesh, inverse);
  const Boundary boundary(mesh);
  Embedding result;
  result.elements.resize(points.size());
  result.coordinates.resize(points.size());
  result.outside.resize(points.size());
  parallel_for(points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d p(points[i]);
      double best = -std::numeric_limits<double>::infinity();
      const auto consider = [&](std::uint32_t e) {
        const Barycentric l = inverse(e, p);
        const double depth = smallest(l);
        if (depth > best || (depth == best && e < result.elements[i])) {
          best = depth;
          result.elements[i] = e;
          result.coordinates[i] = l;
        }
      };
      for (const std::uint32_t e : grid.candidates(p)) consider(e);
      if (best >= -tolerance) continue;
      best = -std::numeric_limits<double>::infinity();
      const typename Boundary::Nearest nearest = boundary.nearest(p);
      boundary.around(nearest, consider);
      result.outside[i] = static_cast<float>(nearest.distance);
    }
  });
  return result;
}

template <class Point>
void apply_to(const Embedding& embedding, const TetMesh& topology, std::span<const Vec3d> node_positions,
              std::span<Point> out) {
  assert(out.size() == embedding.elements.size() && node_positions.size() == topology.nodes.size());
  parallel_for(out.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = Point(interpolate(topology, node_positions, embedding.elements[i], embedding.coordinates[i]));
    }
  });
}

}  // namespace

std::array<double, 10> quadratic_shape(const std::array<double, 4>& l) {
  std::array<double, 10> shape{};
  for (std::size_t a = 0; a < 4; ++a) shape[a] = l[a] * (2 * l[a] - 1);
  for (std::size_t k = 0; k < 6; ++k) shape[4 + k] = 4 * l[tet_edges[k][0]] * l[tet_edges[k][1]];
  return shape;
}

Embedding embed(std::span<const Vec3f> points, const TetMesh& mesh) { return embed_points(points, mesh); }
Embedding embed(std::span<const Vec3d> points, const TetMesh& mesh) { return embed_points(points, mesh); }

EmbeddingError embedding_error(const Embedding& embedding) {
  EmbeddingError error;
  double squares = 0;
  for (std::size_t i = 0; i < embedding.outside.size(); ++i) {
    const double distance = embedding.outside[i];
    if (!(distance > 0)) continue;
    ++error.count_outside;
    squares += distance * distance;
    if (distance > error.max_distance) {
      error.max_distance = distance;
      error.worst_point = i;
    }
  }
  if (!embedding.outside.empty()) error.rms = std::sqrt(squares / static_cast<double>(embedding.outside.size()));
  return error;
}

void apply(const Embedding& embedding, const TetMesh& topology, std::span<const Vec3d> node_positions,
           std::span<Vec3f> out) {
  apply_to(embedding, topology, node_positions, out);
}
void apply(const Embedding& embedding, const TetMesh& topology, std::span<const Vec3d> node_positions,
           std::span<Vec3d> out) {
  apply_to(embedding, topology, node_positions, out);
}

}  // namespace supple
