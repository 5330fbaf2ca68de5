#include "supple/author/scan/icp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "supple/author/scan/rigid_fit.h"
#include "supple/base/decompose.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

constexpr std::size_t icp_points_a_chunk = 64;
constexpr std::size_t fewest_pairs = 20;
constexpr double least_reach = 0.3e-3;                       // metres: trimming never cuts into the noise of a good fit
constexpr double overlapping = 1.5e-3;                       // metres
constexpr double least_shown = 0.25;                         // of a bone: fewer points count as if they were so many
constexpr double claimed_within = 0.7e-3;                    // metres
constexpr double settled_shift = 3e-7, settled_turn = 1e-5;  // metres, radians: far below what noise allows
constexpr double float_slack = 1e-6;                         // metres: the tree is searched in floats
constexpr Vec3d nowhere = {std::numeric_limits<double>::infinity(), 0, 0};
constexpr double ridge = 1e-9;  // of the mean diagonal: keeps a ball, which may turn freely, from spinning

struct Pair {
  Vec3d from{}, to{}, normal{};  // moved point, its target, the target's normal
  double distance = 0;
};

/// Pairs with agreeing normals that are not among the longest. `last` (#samples) are the targets of the iteration
/// before, or infinite: no target is farther than the last one is now, which is where most of a query's work is saved.
std::vector<Pair> find_pairs(const SurfaceSamples& bone, const TargetSurface& target, const Affined& motion,
                             const IcpOptions& options, std::vector<Vec3d>& last) {
  std::vector<Pair> all(bone.size());
  parallel_for(bone.size(), icp_points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d p = motion.point(bone.points[i]);
      const double bound = length(p - last[i]) + float_slack;
      const TargetSurface::Hit hit = target.closest(p, std::min(bound, options.reach));
      last[i] = std::isfinite(hit.distance) ? hit.point : nowhere;
      const bool agrees = dot(motion.vector(bone.normals[i]), hit.normal) > options.least_cosine;
      all[i] = {p, hit.point, hit.normal, agrees ? hit.distance : std::numeric_limits<double>::infinity()};
    }
  });
  std::erase_if(all, [](const Pair& p) { return !std::isfinite(p.distance); });
  if (all.empty()) return all;
  std::vector<double> distances;
  for (const Pair& p : all) distances.push_back(p.distance);
  const auto nth = distances.begin() + static_cast<std::ptrdiff_t>(options.trim * static_cast<double>(all.size() - 1));
  std::nth_element(distances.begin(), nth, distances.end());
  const double limit = std::max(*nth, least_reach);
  std::erase_if(all, [&](const Pair& p) { return p.distance > limit; });
  return all;
}

using Mat6 = std::array<std::array<double, 6>, 6>;
using Vec6 = std::array<double, 6>;

/// The normal equations of point-to-plane distances in (turn * size, shift), about `centre`.
struct PlaneSystem {
  Mat6 matrix{};
  Vec6 right{};
  Vec3d centre{};
  double size = 1;  // metres: makes turns and shifts alike
};

PlaneSystem plane_system(std::span<const Pair> pairs) {
  PlaneSystem s;
  const auto n = static_cast<double>(pairs.size());
  for (const Pair& p : pairs) s.centre += p.from / n;
  double spread = 0;
  for (const Pair& p : pairs) spread += squared_length(p.from - s.centre) / n;
  s.size = std::max(std::sqrt(spread), 1e-6);
  for (const Pair& p : pairs) {
    const Vec3d turn = cross(p.from - s.centre, p.normal) / s.size;
    const Vec6 row{turn.x, turn.y, turn.z, p.normal.x, p.normal.y, p.normal.z};
    const double left = dot(p.to - p.from, p.normal);
    for (std::size_t a = 0; a < 6; ++a) {
      s.right[a] += row[a] * left;
      for (std::size_t b = 0; b <= a; ++b) s.matrix[a][b] += row[a] * row[b];
    }
  }
  double trace = 0;
  for (std::size_t a = 0; a < 6; ++a) trace += s.matrix[a][a];
  for (std::size_t a = 0; a < 6; ++a) s.matrix[a][a] += ridge * trace / 6;
  return s;
}

/// matrix = l l^T, lower triangle; the ridge keeps it positive.
void factor(Mat6& m) {
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
    m[j][j] = std::sqrt(std::max(m[j][j], std::numeric_limits<double>::min()));
    for (std::size_t i = j + 1; i < 6; ++i) {
      for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
      m[i][j] /= m[j][j];
    }
  }
}

Vec6 solve_factored(const Mat6& l, Vec6 x) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t k = i + 1; k < 6; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

Affined plane_step(std::span<const Pair> pairs) {
  PlaneSystem s = plane_system(pairs);
  factor(s.matrix);
  const Vec6 x = solve_factored(s.matrix, s.right);
  const Mat3d turn = to_matrix(exp_rotation(Vec3d{x[0], x[1], x[2]} / s.size));
  return {turn, s.centre + Vec3d{x[3], x[4], x[5]} - turn * s.centre};
}

Affined point_step(std::span<const Pair> pairs) {
  std::vector<Vec3d> from, to;
  for (const Pair& p : pairs) {
    from.push_back(p.from);
    to.push_back(p.to);
  }
  return fit_rigid(from, to);
}

template <class Step>
Affined iterate(const SurfaceSamples& bone, const TargetSurface& target, Affined motion, const IcpOptions& options,
                Step&& step) {
  std::vector<Vec3d> last(bone.size(), nowhere);
  for (int i = 0; i < options.iterations; ++i) {
    const std::vector<Pair> pairs = find_pairs(bone, target, motion, options, last);
    if (pairs.size() < fewest_pairs) break;
    const Affined moved = step(pairs) * motion;
    const double turned = norm(moved.linear - motion.linear);
    const double shifted = length(moved.point(bone.centre) - motion.point(bone.centre));
    motion = {to_matrix(from_matrix(moved.linear)), moved.translation};  // rounding never adds up to a stretch
    if (turned < settled_turn && shifted < settled_shift) break;
  }
  return motion;
}

}  // namespace

SurfaceSamples sample_surface(const Mesh& mesh, const std::vector<bool>& left_out, std::size_t count,
                              std::uint64_t seed) {
  SurfaceSamples result;
  std::vector<double> until(mesh.triangles.size());  // area up to and with each triangle
  double area = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    const bool cut = !left_out.empty() && (left_out[a] || left_out[b] || left_out[c]);
    const Vec3d p = Vec3d(mesh.positions[a]);
    if (!cut) area += length(cross(Vec3d(mesh.positions[b]) - p, Vec3d(mesh.positions[c]) - p)) / 2;
    until[t] = area;
  }
  if (!(area > 0) || mesh.normals.size() != mesh.positions.size()) return result;
  const auto dropped = std::count(left_out.begin(), left_out.end(), true);
  result.vertices = mesh.positions.size() - static_cast<std::size_t>(dropped);
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    // One point in every stretch of equal area: evenly, as triangles come in an order that goes along the surface.
    const double at = (static_cast<double>(i) + rng.uniform()) * area / static_cast<double>(count);
    const auto t = std::min<std::ptrdiff_t>(std::upper_bound(until.begin(), until.end(), at) - until.begin(),
                                            static_cast<std::ptrdiff_t>(until.size()) - 1);
    const auto [a, b, c] = mesh.triangles[static_cast<std::size_t>(t)];
    double u = rng.uniform(), v = rng.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const auto mix = [&](const std::vector<Vec3f>& x) {
      return Vec3d(x[a]) * (1 - u - v) + Vec3d(x[b]) * u + Vec3d(x[c]) * v;
    };
    result.points.push_back(mix(mesh.positions));
    result.normals.push_back(normalized(mix(mesh.normals), Vec3d(mesh.normals[a])));
    result.centre += result.points.back() / static_cast<double>(count);
  }
  return result;
}

SurfaceSamples thinned(const SurfaceSamples& samples, std::size_t count) {
  if (samples.size() <= count) return samples;
  SurfaceSamples result;
  result.vertices = samples.vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * samples.size() / count;
    result.points.push_back(samples.points[at]);
    result.normals.push_back(samples.normals[at]);
    result.centre += samples.points[at] / static_cast<double>(count);
  }
  return result;
}

Vec3d surface_centre(const Mesh& mesh) {
  Vec3d sum{};
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3d p = Vec3d(mesh.positions[a]), q = Vec3d(mesh.positions[b]), r = Vec3d(mesh.positions[c]);
    const double size = length(cross(q - p, r - p));
    area += size;
    sum += (p + q + r) * (size / 3);
  }
  return area > 0 ? sum / area : sum;
}

TargetSurface::TargetSurface(const Mesh& mesh)
    : mesh_(mesh), bvh_(mesh.positions, mesh.triangles), claimed_(mesh.triangles.size()) {
  if (mesh_.normals.size() != mesh_.positions.size()) {
    mesh_.normals.resize(mesh_.positions.size());
    compute_normals(mesh_.positions, mesh_.triangles, mesh_.normals);
  }
  box_ = bounds(mesh_.positions);
  centre_ = surface_centre(mesh_);
  Mat3d covariance = Mat3d::diagonal({});
  for (const Vec3f& p : mesh_.positions) {
    const Vec3d d = Vec3d(p) - centre_;
    covariance = covariance + outer(d, d) * (1 / static_cast<double>(mesh_.positions.size()));
  }
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  spread_ = eigen.vectors.c2 * std::sqrt(std::max(eigen.values.z, 0.0));
}

TargetSurface::Hit TargetSurface::closest(Vec3d p, double within) const {
  const ClosestPoint found = bvh_.closest(Vec3f(p), static_cast<float>(within));
  if (!std::isfinite(found.distance)) return {std::numeric_limits<double>::infinity(), {}, {}, 0};
  const auto [a, b, c] = mesh_.triangles[found.triangle];
  const Vec3f normal = mesh_.normals[a] * found.barycentric.x + mesh_.normals[b] * found.barycentric.y +
                       mesh_.normals[c] * found.barycentric.z;
  return {found.distance, Vec3d(found.point), normalized(Vec3d(normal)), found.triangle};
}

bool TargetSurface::may_show(Vec3d p) const {
  const Vec3d low = Vec3d(box_.low), high = Vec3d(box_.high);
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) inside = inside && p[k] > low[k] - overlapping && p[k] < high[k] + overlapping;
  return inside;
}

void TargetSurface::claim(const Mesh& bone, const Affined& motion) {
  std::vector<Vec3f> moved;
  for (const Vec3f& p : bone.positions) moved.push_back(Vec3f(motion.point(Vec3d(p))));
  const Bvh there(moved, bone.triangles);
  const Box box = bounds(moved);
  bvh_.each_in_box(box.low, box.high, [&](std::uint32_t t) {
    const auto [a, b, c] = mesh_.triangles[t];
    const Vec3f middle = (mesh_.positions[a] + mesh_.positions[b] + mesh_.positions[c]) / 3.0f;
    if (std::isfinite(there.closest(middle, static_cast<float>(claimed_within)).distance)) claimed_[t] = 1;
  });
}

Affined align_points(const SurfaceSamples& bone, const TargetSurface& target, Affined start,
                     const IcpOptions& options) {
  return iterate(bone, target, start, options, point_step);
}

Affined align_planes(const SurfaceSamples& bone, const TargetSurface& target, Affined start,
                     const IcpOptions& options) {
  return iterate(bone, target, start, options, plane_step);
}

double misfit(const SurfaceSamples& bone, const TargetSurface& target, const Affined& motion, double cap) {
  double sum = 0;
  for (std::size_t i = 0; i < bone.size(); ++i) {
    const TargetSurface::Hit hit = target.closest(motion.point(bone.points[i]), cap);
    const bool counts = hit.distance < cap && dot(motion.vector(bone.normals[i]), hit.normal) > 0;
    sum += counts && !target.claimed(hit.triangle) ? hit.distance : cap;
  }
  return bone.size() > 0 ? sum / static_cast<double>(bone.size()) : cap;
}

FitMeasure measure_fit(const SurfaceSamples& bone, const TargetSurface& target, const Affined& motion,
                       const IcpOptions& options) {
  FitMeasure result;
  // A forearm is cut off by the scan somewhere: what lies beyond is neither here nor there.
  std::size_t within = 0, on_bone = 0;
  for (const Vec3d& p : bone.points) {
    const Vec3d moved = motion.point(p);
    if (!target.may_show(moved)) continue;
    ++within;
    const TargetSurface::Hit hit = target.closest(moved, overlapping);
    if (hit.distance < overlapping && !target.claimed(hit.triangle)) ++on_bone;
  }
  const auto counted = std::max(static_cast<double>(within), least_shown * static_cast<double>(bone.size()));
  result.overlap = counted > 0 ? static_cast<double>(on_bone) / counted : 0;
  std::vector<Vec3d> last(bone.size(), nowhere);
  const std::vector<Pair> pairs = find_pairs(bone, target, motion, options, last);
  if (pairs.size() < fewest_pairs) return result;
  double squares = 0, along = 0;
  for (const Pair& p : pairs) {
    squares += p.distance * p.distance;
    along += std::pow(dot(p.to - p.from, p.normal), 2);
  }
  const auto n = static_cast<double>(pairs.size());
  result.residual = std::sqrt(squares / n);
  PlaneSystem s = plane_system(pairs);
  factor(s.matrix);
  // Noise belongs to vertices: samples that share some count as one.
  const double shared = static_cast<double>(bone.size()) / static_cast<double>(std::max<std::size_t>(bone.vertices, 1));
  const double variance = along / (n - 6) * std::max(1.0, shared);
  double turn = 0, shift = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    Vec6 unit{};
    unit[k] = 1;
    const Vec6 column = solve_factored(s.matrix, unit);
    (k < 3 ? turn : shift) += column[k];
    for (std::size_t j = 0; j < 6; ++j)
      result.covariance.matrix[j][k] = variance * column[j] / ((j < 3 ? s.size : 1) * (k < 3 ? s.size : 1));
  }
  result.covariance.about = s.centre;
  result.rotation_sd = std::sqrt(variance * turn) / s.size;
  result.shift_sd = std::sqrt(variance * shift);
  return result;
}

}  // namespace supple::scan
