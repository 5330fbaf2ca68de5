#include "supple/geometry/winding_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace supple {
namespace {

constexpr std::uint32_t leaf_triangles = 8;
constexpr double far_radii = 2.5;  // from here on a dipole stands for a node; its error falls with the cube

/// Solid angle of a triangle over 4 pi [Van Oosterom and Strackee 1983], positive seen from inside.
double solid_angle(const std::array<Vec3d, 3>& corners, Vec3d query) {
  const Vec3d a = corners[0] - query, b = corners[1] - query, c = corners[2] - query;
  const double la = length(a), lb = length(b), lc = length(c);
  const double volume = dot(a, cross(b, c));
  const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return std::atan2(volume, below) / (2 * std::numbers::pi);
}

}  // namespace

WindingField::WindingField(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<Vec3d> centres;
  for (const Triangle& t : triangles) {
    corners_.push_back({Vec3d(positions[t[0]]), Vec3d(positions[t[1]]), Vec3d(positions[t[2]])});
    centres.push_back((corners_.back()[0] + corners_.back()[1] + corners_.back()[2]) / 3.0);
  }
  if (!corners_.empty()) build(0, static_cast<std::uint32_t>(corners_.size()), centres);
}

std::uint32_t WindingField::build(std::uint32_t first, std::uint32_t count, std::vector<Vec3d>& centres) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  Node node;
  node.first = first;
  node.count = count;
  double area = 0;
  Vec3d low = centres[first], high = low, plain{};
  for (std::uint32_t i = first; i < first + count; ++i) {
    const auto& [a, b, c] = corners_[i];
    const Vec3d normal = cross(b - a, c - a) * 0.5;
    node.dipole += normal / (4 * std::numbers::pi);
    node.centre += centres[i] * length(normal);
    plain += centres[i];
    area += length(normal);
    low = min(low, centres[i]);
    high = max(high, centres[i]);
  }
  node.centre = area > 0 ? node.centre / area : plain / static_cast<double>(count);
  for (std::uint32_t i = first; i < first + count; ++i)
    for (const Vec3d& corner : corners_[i]) node.radius = std::max(node.radius, length(corner - node.centre));
  if (count > leaf_triangles) {
    const Vec3d size = high - low;
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), first);
    const std::uint32_t half = count / 2;
    std::nth_element(order.begin(), order.begin() + half, order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return centres[a][axis] != centres[b][axis] ? centres[a][axis] < centres[b][axis] : a < b;
    });
    std::vector<Vec3d> moved_centres;
    std::vector<std::array<Vec3d, 3>> moved_corners;
    for (const std::uint32_t i : order) moved_centres.push_back(centres[i]), moved_corners.push_back(corners_[i]);
    std::copy(moved_centres.begin(), moved_centres.end(), centres.begin() + first);
    std::copy(moved_corners.begin(), moved_corners.end(), corners_.begin() + first);
    build(first, half, centres);
    node.right = build(first + half, count - half, centres);
  }
  nodes_[number] = node;
  return number;
}

double WindingField::at(Vec3f query) const {
  if (nodes_.empty()) return 0;
  const Vec3d q(query);
  double sum = 0;
  std::array<std::uint32_t, 64> waiting;  // nodes are halved, so that the tree is at most 32 deep
  std::size_t n = 0;
  waiting[n++] = 0;
  while (n > 0) {
    const std::uint32_t number = waiting[--n];
    const Node& node = nodes_[number];
    const Vec3d to = node.centre - q;
    const double squared = dot(to, to);
    if (squared > far_radii * far_radii * node.radius * node.radius && squared > 0) {
      sum += dot(node.dipole, to) / (squared * std::sqrt(squared));
    } else if (node.right == 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) sum += solid_angle(corners_[i], q);
    } else {
      waiting[n++] = number + 1;
      waiting[n++] = node.right;
    }
  }
  return sum;
}

}  // namespace supple
