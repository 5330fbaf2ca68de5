#include "supple/rig/bind.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/rig/bind_inside.h"

namespace supple {
namespace {

constexpr std::uint32_t no_bone = 0xffffffffu;
constexpr std::size_t points_a_chunk = 256;
constexpr int straight_smoothing = 10;
constexpr double fading_share = 0.04;
constexpr double thickest_radii = 1.25;  // skin farther from its bone than so many radii of the body is a flap

double segment_distance(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d ab = b - a;
  const double squared = dot(ab, ab);
  const double t = squared > 0 ? std::clamp(dot(p - a, ab) / squared, 0.0, 1.0) : 0.0;
  return length(p - a - ab * t);
}

bool is_ancestor(std::span<const Bone> bones, std::uint32_t above, std::uint32_t b) {
  while (b != no_bone && b != above) b = bones[b].parent;
  return b == above;
}

/// near[i * #bones + k]: whether skin nearest to bone i may follow bone k.
std::vector<char> kinematic_neighbourhood(std::span<const Bone> bones) {
  const auto n = static_cast<std::uint32_t>(bones.size());
  std::vector<char> near(std::size_t{n} * n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const bool siblings = bones[i].parent != no_bone && bones[i].parent == bones[k].parent;
      near[std::size_t{i} * n + k] = siblings || is_ancestor(bones, i, k) || is_ancestor(bones, k, i);
    }
  }
  return near;
}

Result<void> check(const Mesh& skin, std::span<const Bone> bones) {
  if (auto ok = validate(skin); !ok) return ok;
  if (skin.positions.empty()) return Error{"skin", "has no vertices", ""};
  if (bones.empty()) return Error{"bones", "there are none to bind to", "give the rig at least one joint"};
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].parent != no_bone && bones[b].parent >= b) {
      return Error{"bone " + std::to_string(b), "comes before its parent", "list parents first"};
    }
  }
  return {};
}

/// Distances of one point to every bone, never below `floor`: skin that touches a bone follows it and stays finite.
class BoneDistances {
 public:
  BoneDistances(std::span<const Bone> bones, double floor) : bones_(bones), floor_(floor) {
    by_surface_ = std::all_of(bones.begin(), bones.end(), [](const Bone& b) { return !b.surface.triangles.empty(); });
    if (!by_surface_) return;
    for (const Bone& b : bones) surfaces_.emplace_back(b.surface.positions, b.surface.triangles);
  }
  bool by_surface() const { return by_surface_; }
  double axis(Vec3f p, std::size_t b) const {
    return segment_distance(Vec3d(p), Vec3d(bones_[b].head), Vec3d(bones_[b].tail));
  }
  double operator()(Vec3f p, std::size_t b) const {
    const double d = by_surface_ ? surfaces_[b].closest(p).distance : axis(p, b);
    return std::max(d, floor_);
  }

 private:
  std::span<const Bone> bones_;
  double floor_;
  bool by_surface_ = false;
  std::vector<Bvh> surfaces_;
};

/// (nearest / d)^p over the allowed bones: #points by #bones, largest entry of a row about 1.
std::vector<double> distance_weights(std::span<const Vec3f> points, std::span<const Bone> bones,
                                     const BindOptions& options) {
  const std::size_t n = bones.size();
  const BoneDistances distance(bones, std::max(1.5e-3 * bounds(points).diagonal(), 1e-9));
  const double power = distance.by_surface() ? options.surface_power : options.segment_power;
  const std::vector<char> near = kinematic_neighbourhood(bones);
  std::vector<double> weights(points.size() * n);
  parallel_for(points.size(), points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      // Which chain a vertex belongs to is decided by axes: the surfaces of neighbouring bones nearly touch.
      std::size_t nearest = 0;
      for (std::size_t b = 1; b < n; ++b) {
        if (distance.axis(points[v], b) < distance.axis(points[v], nearest)) nearest = b;
      }
      double* row = &weights[v * n];
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < n; ++b) {
        if (near[nearest * n + b]) least = std::min(least, row[b] = distance(points[v], b));
      }
      for (std::size_t b = 0; b < n; ++b) row[b] = near[nearest * n + b] ? std::pow(least / row[b], power) : 0.0;
    }
  });
  return weights;
}

/// The same with distances inside the body. Points that no bone reaches take the weights of the nearest skin that is
/// reached.
std::vector<double> inside_weights(std::span<const Vec3f> points, std::span<const Triangle> triangles,
                                   std::span<const Bone> bones, const BindOptions& options, BindNotes& notes) {
  const std::size_t n = bones.size();
  const double floor = std::max(1.5e-3 * double{bounds(points).diagonal()}, 1e-9);
  const InnerBones inner = bones_inside(points, triangles, bones);
  notes.outside = inner.outside;
  notes.none_inside = inner.none_inside;
  const bool by_surface =
      std::all_of(bones.begin(), bones.end(), [](const Bone& b) { return !b.surface.triangles.empty(); });
  const double power = by_surface ? options.surface_power : options.segment_power;
  const std::vector<char> near = kinematic_neighbourhood(bones);
  std::vector<double> weights(points.size() * n);
  std::vector<char> reached(points.size());
  parallel_for(points.size(), points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double* distance = &inner.distance[v * n];
      const std::size_t nearest = static_cast<std::size_t>(std::min_element(distance, distance + n) - distance);
      if (!std::isfinite(distance[nearest])) continue;
      reached[v] = 1;
      const double least = std::max(distance[nearest], floor);
      // Ways from far out have their first part in common, which must not make bones alike: what counts is how much
      // longer they are, relative to the body's own thickness. So flaps follow what their root follows.
      const double scale = std::max(std::min(least, thickest_radii * inner.radius[nearest]), floor);
      for (std::size_t b = 0; b < n; ++b) {
        if (!near[nearest * n + b]) continue;
        const double excess = std::max(distance[b], floor) - least;
        weights[v * n + b] = std::pow(scale / (scale + excess), power);  // 0 where there is no way
      }
    }
  });
  std::vector<Triangle> body;
  for (const Triangle& t : triangles)
    if (reached[t[0]] != 0 && reached[t[1]] != 0 && reached[t[2]] != 0) body.push_back(t);
  const Bvh surface(points, body);
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (reached[v] != 0) continue;
    const ClosestPoint closest = surface.closest(points[v]);
    ++notes.attached;
    for (std::size_t corner = 0; corner < 3; ++corner)
      for (std::size_t b = 0; b < n; ++b)
        weights[v * n + b] += double{closest.barycentric[corner]} * weights[body[closest.triangle][corner] * n + b];
  }
  return weights;
}

/// Smoothing steps that reach over 4 % of the root of the skin's area: n steps of edges e reach sqrt(n) * e.
int fading_steps(std::span<const Vec3f> points, std::span<const Triangle> triangles, const Adjacency& neighbours) {
  double sum = 0;
  for (std::size_t v = 0; v < points.size(); ++v)
    for (const std::uint32_t u : neighbours.of(v)) sum += double{length(points[u] - points[v])};
  if (!(sum > 0)) return 0;
  const double edge = sum / static_cast<double>(neighbours.items.size());
  const double reach = fading_share / edge;
  return static_cast<int>(std::lround(std::min(reach * reach * surface_area(points, triangles), 400.0)));
}

/// One umbrella step with lambda = 1/2: halfway to the mean of the neighbours.
void smooth(std::vector<double>& weights, std::vector<double>& next, std::size_t n, const Adjacency& neighbours) {
  parallel_for(neighbours.first.size() - 1, points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::span<const std::uint32_t> around = neighbours.of(v);
      for (std::size_t b = 0; b < n; ++b) {
        double sum = 0;
        for (const std::uint32_t u : around) sum += weights[u * n + b];
        const double own = weights[v * n + b];
        next[v * n + b] = around.empty() ? own : 0.5 * own + 0.5 * sum / static_cast<double>(around.size());
      }
    }
  });
  std::swap(weights, next);
}

SkinWeights to_sparse(std::span<const double> dense, std::size_t n, const Weld& points) {
  SkinWeights result;
  std::vector<Influence> row;
  for (const std::uint32_t point : points.to_point) {
    row.clear();
    for (std::size_t b = 0; b < n; ++b) {
      const double w = dense[point * n + b];
      if (w > 0) row.push_back({static_cast<std::uint32_t>(b), static_cast<float>(w)});
    }
    result.push_vertex(row);
  }
  return result;
}

}  // namespace

Result<SkinWeights> bind_skin(const Mesh& skin, std::span<const Bone> bones, const BindOptions& options,
                              const Progress& progress, BindNotes* notes) {
  if (auto ok = check(skin, bones); !ok) return ok.error();
  for (const double power : {options.surface_power, options.segment_power}) {
    if (!(power > 0 && std::isfinite(power))) return Error{"power", "must be positive and finite", "3 to 8 are usual"};
  }
  const Error stopped{"bind", "was stopped", ""};
  const Weld points = weld(skin.positions);
  std::vector<Vec3f> positions;
  for (const std::uint32_t v : points.to_vertex) positions.push_back(skin.positions[v]);
  if (!report(progress, "distances to bones", 0)) return stopped;
  const std::vector<Triangle> triangles = welded_triangles(skin.triangles, points);
  BindNotes noted;
  const bool inside = options.distance == BoneDistance::inside && !triangles.empty();
  std::vector<double> weights = inside ? inside_weights(positions, triangles, bones, options, noted)
                                       : distance_weights(positions, bones, options);
  std::vector<double> next(weights.size());
  const Adjacency neighbours = vertex_neighbours(points.points(), triangles);
  const int smoothing =
      options.smoothing.value_or(inside ? fading_steps(positions, triangles, neighbours) : straight_smoothing);
  for (int i = 0; i < smoothing; ++i) {
    if (!report(progress, "smoothing weights", static_cast<double>(i) / smoothing)) return stopped;
    smooth(weights, next, bones.size(), neighbours);
  }
  SkinWeights sparse = to_sparse(weights, bones.size(), points);
  clean(sparse, bones.size());
  sparse = top_influences(sparse, options.max_influences);
  clean(sparse, bones.size());
  report(progress, "smoothing weights", 1);
  if (notes != nullptr) *notes = std::move(noted);
  return sparse;
}

}  // namespace supple
