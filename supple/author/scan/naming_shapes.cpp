#include "supple/author/scan/naming_shapes.h"

#include <algorithm>
#include <limits>

#include "supple/base/decompose.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

// An end is the middle of this share of the piece, seen along its axis: metacarpals are bent, and their ends lie beside
// the straight line through the centre.
constexpr double end_share = 0.12;
constexpr std::size_t points_of_a_piece = 300;

}  // namespace

PieceShape shape_of(const BonePart& part) {
  const Mesh& mesh = part.surface;
  PieceShape shape;
  shape.volume = part.volume;
  double area = 0;
  const auto corner = [&](const Triangle& t, std::size_t k) { return Vec3d(mesh.positions[t[k]]); };
  const auto area_of = [&](const Triangle& t) {
    return length(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)));
  };
  // By area, since triangles of a scan are of all sizes.
  for (const Triangle& t : mesh.triangles) {
    const double a = area_of(t);
    area += a;
    shape.centre += (corner(t, 0) + corner(t, 1) + corner(t, 2)) * (a / 3);
  }
  if (!(area > 0)) return {part.centre, {1, 0, 0}, {part.centre, part.centre}, 0, part.volume, {}};
  shape.centre = shape.centre / area;
  const std::size_t step = std::max<std::size_t>(1, mesh.positions.size() / points_of_a_piece);
  for (std::size_t v = 0; v < mesh.positions.size(); v += step) shape.points.push_back(mesh.positions[v]);
  Mat3d spread = Mat3d::diagonal({});
  for (const Triangle& t : mesh.triangles) {
    const Vec3d d = (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0 - shape.centre;
    spread = spread + outer(d, d) * area_of(t);
  }
  shape.axis = symmetric_eigen(spread).vectors.c2;

  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3f& p : mesh.positions) {
    const double t = dot(Vec3d(p) - shape.centre, shape.axis);
    low = std::min(low, t);
    high = std::max(high, t);
  }
  shape.length = high - low;
  std::array<Vec3d, 2> sums{};
  std::array<double, 2> counts{};
  for (const Vec3f& p : mesh.positions) {
    const Vec3d d = Vec3d(p) - shape.centre;
    const double t = dot(d, shape.axis);
    for (const std::size_t side : {0u, 1u}) {
      const double depth = side == 0 ? t - low : high - t;
      if (depth > end_share * shape.length) continue;
      sums[side] += d - shape.axis * t;
      counts[side] += 1;
    }
  }
  for (const std::size_t side : {0u, 1u}) {
    shape.ends[side] = shape.centre + shape.axis * (side == 0 ? low : high) + sums[side] / std::max(counts[side], 1.0);
  }
  return shape;
}

BonePart put_together(std::span<const BonePart> parts, std::span<const std::uint32_t> pieces) {
  BonePart whole;
  for (const std::uint32_t p : pieces) {
    const BonePart& part = parts[p];
    const auto first = static_cast<std::uint32_t>(whole.surface.positions.size());
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(whole.surface.positions, part.surface.positions);
    append(whole.surface.normals, part.surface.normals);
    for (const Triangle& t : part.surface.triangles) {
      whole.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    append(whole.touches, part.touches);
    whole.touches.resize(whole.surface.positions.size());
    whole.centre += part.centre * part.volume;
    whole.volume += part.volume;
  }
  if (whole.volume > 0) whole.centre = whole.centre / whole.volume;
  Mesh& mesh = whole.surface;
  if (mesh.normals.size() != mesh.positions.size()) {
    mesh.normals.resize(mesh.positions.size());
    compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  }
  return whole;
}

bool are_close(const BonePart& a, const BonePart& b, double distance) {
  const auto reach = static_cast<float>(distance);
  const Box box_a = bounds(a.surface.positions), box_b = bounds(b.surface.positions);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box_a.low[axis] - reach > box_b.high[axis] || box_b.low[axis] - reach > box_a.high[axis]) return false;
  }
  const Bvh surface(b.surface.positions, b.surface.triangles);
  return std::any_of(a.surface.positions.begin(), a.surface.positions.end(),
                     [&](const Vec3f& p) { return surface.closest(p, reach).distance < reach; });
}

std::vector<std::size_t> assign(std::span<const double> costs, std::size_t rows, std::size_t columns) {
  // Shortest augmenting paths with potentials; row and column 0 are a start outside the table.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> row_potential(rows + 1), column_potential(columns + 1);
  std::vector<std::size_t> row_of(columns + 1), before(columns + 1);
  for (std::size_t row = 1; row <= rows; ++row) {
    row_of[0] = row;
    std::size_t column = 0;
    std::vector<double> least(columns + 1, infinity);
    std::vector<char> visited(columns + 1);
    do {
      visited[column] = 1;
      const std::size_t r = row_of[column];
      std::size_t next = 0;
      double step = infinity;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (visited[c]) continue;
        const double reduced = costs[(r - 1) * columns + c - 1] - row_potential[r] - column_potential[c];
        if (reduced < least[c]) {
          least[c] = reduced;
          before[c] = column;
        }
        if (least[c] < step) {
          step = least[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= columns; ++c) {
        if (visited[c]) {
          row_potential[row_of[c]] += step;
          column_potential[c] -= step;
        } else {
          least[c] -= step;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[before[column]];
      column = before[column];
    }
  }
  std::vector<std::size_t> result(rows);
  for (std::size_t c = 1; c <= columns; ++c) {
    if (row_of[c] != 0) result[row_of[c] - 1] = c - 1;
  }
  return result;
}

}  // namespace supple::scan
