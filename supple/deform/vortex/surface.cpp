#include "supple/deform/vortex/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

namespace supple {
namespace {

constexpr double thinned_from = 1.25;  // times the wanted number: fewer are not worth thinning

/// On the unit sphere.
struct UnitSphere {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
};

UnitSphere icosahedron() {
  const double t = std::numbers::phi;
  UnitSphere s;
  for (const Vec3d p :
       {Vec3d{-1, t, 0}, Vec3d{1, t, 0}, Vec3d{-1, -t, 0}, Vec3d{1, -t, 0}, Vec3d{0, -1, t}, Vec3d{0, 1, t},
        Vec3d{0, -1, -t}, Vec3d{0, 1, -t}, Vec3d{t, 0, -1}, Vec3d{t, 0, 1}, Vec3d{-t, 0, -1}, Vec3d{-t, 0, 1}})
    s.points.push_back(normalized(p));
  s.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  return s;
}

UnitSphere halved(const UnitSphere& s) {
  UnitSphere out{s.points, {}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(out.points.size()));
    if (is_new) out.points.push_back(normalized(s.points[a] + s.points[b]));
    return found->second;
  };
  for (const auto& [a, b, c] : s.triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    out.triangles.insert(out.triangles.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
  }
  return out;
}

UnitSphere sphere_of(std::uint32_t points) {
  UnitSphere s = icosahedron();
  while (s.points.size() < points) s = halved(s);
  return s;
}

/// A third of the triangles about each point.
std::vector<double> point_areas(std::span<const Vec3d> points, std::span<const Triangle> triangles) {
  std::vector<double> areas(points.size());
  for (const Triangle& t : triangles) {
    const double area = length(cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]])) / 6;
    for (const std::uint32_t v : t) areas[v] += area;
  }
  return areas;
}

/// How a patch of the unit sphere grows on the ellipsoid, as a vector: area times normal.
Vec3d stretched(Vec3d direction, Vec3d radii) {
  return {direction.x * radii.y * radii.z, direction.y * radii.z * radii.x, direction.z * radii.x * radii.y};
}

/// Midpoint rule over height and longitude; good to 1e-5 for muscles ten times as long as thick.
double ellipsoid_area(Vec3d radii) {
  constexpr int heights = 256, longitudes = 64;
  double sum = 0;
  for (int i = 0; i < heights; ++i) {
    const double z = (2 * i + 1.0) / heights - 1, across = std::sqrt(1 - z * z);
    for (int j = 0; j < longitudes; ++j) {
      const double angle = 2 * std::numbers::pi * (j + 0.5) / longitudes;
      sum += length(stretched({across * std::cos(angle), across * std::sin(angle), z}, radii));
    }
  }
  return sum * 4 * std::numbers::pi / (heights * longitudes);
}

/// Analytic normals and areas. By the icosahedron's symmetry they integrate polynomials up to the fifth degree exactly.
VortexSamples sample_ellipsoid(const VortexMuscle& muscle) {
  const UnitSphere sphere = sphere_of(muscle.samples);
  const Vec3d radii(muscle.radii);
  std::vector<double> areas = point_areas(sphere.points, sphere.triangles);
  VortexSamples s;
  double total = 0;
  for (std::size_t i = 0; i < sphere.points.size(); ++i) {
    const Vec3d patch = stretched(sphere.points[i], radii) * areas[i];
    s.positions.push_back(scaled(sphere.points[i], radii));
    s.normals.push_back(normalized(patch));
    s.areas.push_back(length(patch));
    s.sample_of.push_back(static_cast<std::uint32_t>(i));
    s.share.push_back(1);
    total += s.areas.back();
  }
  const double exact = ellipsoid_area(radii) / total;
  for (double& area : s.areas) area *= exact;
  return s;
}

/// Farthest points first: each next one is where no sample is near. Returns the nearest sample of every point.
std::vector<std::uint32_t> cluster(std::span<const Vec3d> points, std::size_t wanted) {
  std::vector<std::uint32_t> nearest(points.size(), 0);
  std::vector<double> distance(points.size(), std::numeric_limits<double>::max());
  std::size_t next = 0;
  for (std::uint32_t sample = 0; sample < wanted; ++sample) {
    const Vec3d at = points[next];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double d = squared_length(points[i] - at);
      if (d < distance[i]) {
        distance[i] = d;
        nearest[i] = sample;
      }
    }
    next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  return nearest;
}

VortexSamples sample_mesh(const VortexMuscle& muscle, const Mesh& surface) {
  std::vector<Vec3d> points;
  for (const Vec3f p : surface.positions) points.push_back(Vec3d(p));
  const std::size_t count = points.size();
  std::vector<double> areas = point_areas(points, surface.triangles);
  std::vector<Vec3d> patches(count);
  for (const Triangle& t : surface.triangles) {
    const Vec3d patch = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]) / 6.0;
    for (const std::uint32_t v : t) patches[v] += patch;
  }
  VortexSamples s;
  const bool thinned = static_cast<double>(count) > thinned_from * muscle.samples;
  const std::size_t samples = thinned ? muscle.samples : count;
  s.sample_of = cluster(points, samples);
  std::vector<double> gathered(samples);
  for (std::size_t i = 0; i < count; ++i) gathered[s.sample_of[i]] += areas[i];
  s.positions.resize(samples);
  s.normals.resize(samples);
  s.areas.resize(samples);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t k = s.sample_of[i];
    s.share.push_back(gathered[k] > 0 ? areas[i] / gathered[k] : 0);
    s.positions[k] += points[i] * s.share[i];
    s.normals[k] += patches[i];
  }
  for (std::size_t k = 0; k < samples; ++k) {
    s.areas[k] = length(s.normals[k]);
    s.normals[k] = normalized(s.normals[k], Vec3d{0, 1, 0});
  }
  return s;
}

/// Along the longest axis, so that neighbours in memory are neighbours in space.
VortexSamples sorted(const VortexSamples& s, Vec3f radii) {
  const std::size_t axis = radii.y >= radii.x && radii.y >= radii.z ? 1 : radii.x >= radii.z ? 0 : 2;
  std::vector<std::uint32_t> order(s.positions.size()), rank(order.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return s.positions[a][axis] < s.positions[b][axis]; });
  VortexSamples out;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    out.positions.push_back(s.positions[order[i]]);
    out.normals.push_back(s.normals[order[i]]);
    out.areas.push_back(s.areas[order[i]]);
  }
  for (const std::uint32_t k : s.sample_of) out.sample_of.push_back(rank[k]);
  out.share = s.share;
  return out;
}

}  // namespace

Mesh muscle_surface(const VortexMuscle& muscle) {
  Mesh mesh;
  if (!muscle.surface_triangles.empty()) {
    mesh = {muscle.surface_positions, {}, muscle.surface_triangles};
    mesh.normals.resize(mesh.positions.size());
    compute_normals(mesh.positions, mesh.triangles, mesh.normals);
    return mesh;
  }
  const UnitSphere sphere = sphere_of(muscle.samples);
  for (const Vec3d p : sphere.points) {
    mesh.positions.push_back(Vec3f(scaled(p, Vec3d(muscle.radii))));
    mesh.normals.push_back(Vec3f(normalized(stretched(p, Vec3d(muscle.radii)))));
  }
  mesh.triangles = sphere.triangles;
  return mesh;
}

VortexSamples sample_surface(const VortexMuscle& muscle, const Mesh& surface) {
  return sorted(muscle.surface_triangles.empty() ? sample_ellipsoid(muscle) : sample_mesh(muscle, surface),
                muscle.radii);
}

}  // namespace supple
