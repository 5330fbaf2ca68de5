#include "supple/deform/field/star.h"

#include <cmath>
#include <numbers>

#include "supple/base/transform.h"
#include "supple/geometry/bvh.h"

namespace supple {
namespace {

constexpr std::size_t count = TissuePrimitive::star_size;
/// Keeps the fit from swinging between directions: next to entries of the normal matrix of about one.
constexpr double ridge = 1e-3;
/// Directions looked into per number that is fitted.
constexpr std::size_t looks = 8;

Vec3d even_direction(std::size_t i, std::size_t n) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(n), r = std::sqrt(1 - z * z);
  const double turn = golden * static_cast<double>(i);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

/// x^16
double bump(double x) {
  const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return x8 * x8;
}
double bump_slope(double x) {
  const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return 16 * x8 * x4 * x2 * x;
}

using Row = std::array<double, count>;

/// Solves the symmetric positive definite system by elimination without pivots.
Row solve(std::array<Row, count>& a, Row b) {
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = k + 1; i < count; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < count; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = count; k-- > 0;) {
    for (std::size_t j = k + 1; j < count; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Of the solid, not of its surface.
Vec3d center_of_mass(const Mesh& m) {
  const Vec3d middle = Vec3d(bounds(m.positions).center());
  double volume = 0;
  Vec3d sum{};
  for (const Triangle& t : m.triangles) {
    const Vec3d a = Vec3d(m.positions[t[0]]) - middle, b = Vec3d(m.positions[t[1]]) - middle,
                c = Vec3d(m.positions[t[2]]) - middle;
    const double v = dot(a, cross(b, c)) / 6;
    volume += v;
    sum += (a + b + c) * (v / 4);
  }
  return middle + sum / volume;
}

}  // namespace

const std::array<Vec3d, count>& star_directions() {
  static const std::array<Vec3d, count> directions = [] {
    std::array<Vec3d, count> d;
    for (std::size_t i = 0; i < count; ++i) d[i] = even_direction(i, count);
    return d;
  }();
  return directions;
}

StarRadius star_radius(std::span<const float> star, Vec3d point) {
  const double distance = length(point);
  if (!(distance > 0)) return {};
  const Vec3d u = point / distance;
  double sum = 0;
  Vec3d slope{};
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3d& direction = star_directions()[k];
    const double x = (1 + dot(u, direction)) / 2;
    sum += double{star[k]} * bump(x);
    slope += direction * (double{star[k]} * bump_slope(x) / 2);
  }
  return {std::exp(sum), (slope - u * dot(u, slope)) / distance};
}

double greatest_star_radius(std::span<const float> star) {
  double greatest = 0;
  constexpr std::size_t n = 16 * count;  // fine enough that bumps are missed by less than the margin below
  for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, star_radius(star, even_direction(i, n)).radius);
  return greatest * 1.02;
}

Result<TissuePrimitive> fit_star(const Mesh& surface, JointIndex joint, const Affinef& joint_world,
                                 const StarFit& options) {
  if (auto ok = validate(surface); !ok) return ok.error();
  if (!find_defects(surface.positions, surface.triangles).closed())
    return Error{"surface", "is not closed", "close its holes first"};
  if (!(enclosed_volume(surface.positions, surface.triangles) > 0))
    return Error{"surface", "is inside out or flat", "turn its triangles round"};
  const Vec3d center = center_of_mass(surface);
  const Bvh bvh(surface.positions, surface.triangles);
  if (!bvh.inside(Vec3f(center)))
    return Error{"surface", "does not surround its own centre of mass", "cut it into parts that bulge outwards"};
  const Mat3d turn = unscaled_axes(Mat3d(joint_world.linear));
  // Farthest hits: a dent that folds back is covered, not cut off.
  std::array<Row, count> normal{};
  Row right{};
  double mean = 0;
  std::vector<double> logs(looks * count);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const Vec3d direction = turn * even_direction(i, logs.size());
    double from = 0;
    while (const auto hit = bvh.first_hit(Vec3f(center), Vec3f(direction), static_cast<float>(from) * 1.0001f + 1e-9f))
      from = double{hit->distance};
    if (!(from > 0)) return Error{"surface", "is too thin about its centre of mass", "use an ellipsoid"};
    logs[i] = std::log(from);
    mean += logs[i] / static_cast<double>(logs.size());
  }
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Row row;
    for (std::size_t k = 0; k < count; ++k)
      row[k] = bump((1 + dot(even_direction(i, logs.size()), star_directions()[k])) / 2);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < count; ++j) normal[k][j] += row[k] * row[j];
      right[k] += row[k] * (logs[i] - mean);
    }
  }
  for (std::size_t k = 0; k < count; ++k) normal[k][k] += ridge;
  const Row star = solve(normal, right);

  TissuePrimitive p;
  p.joint = joint;
  p.kind = options.kind;
  p.center = Vec3f(transpose(turn) * (center - Vec3d(joint_world.translation)));
  const auto radius = static_cast<float>(std::exp(mean) * (options.kind == TissueKind::soft ? options.margin : 1.0));
  p.radii = {radius, radius, radius};
  for (const double s : star) p.star.push_back(static_cast<float>(s));
  return p;
}

}  // namespace supple
