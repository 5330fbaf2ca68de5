// Normals, area, volume and defects of triangle meshes.
#include "supple/geometry/mesh.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t chunk = 4096;

/// Twice the area vector, from exact differences: float coordinates convert to double without loss.
Vec3d doubled_area(std::span<const Vec3f> positions, const Triangle& t) {
  const Vec3d a(positions[t[0]]);
  return cross(Vec3d(positions[t[1]]) - a, Vec3d(positions[t[2]]) - a);
}

bool has_no_area(std::span<const Vec3f> positions, const Triangle& t) {
  double longest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    longest = std::max(longest, squared_length(Vec3d(positions[t[(k + 1) % 3]]) - Vec3d(positions[t[k]])));
  }
  return !(length(doubled_area(positions, t)) > degenerate_height * longest);
}

/// One of the two or more sides of an edge.
struct Side {
  std::uint32_t low, high;  // surface points
  std::uint64_t number;     // 3 * triangle + corner: the order of the triangles
  bool forward;             // runs from low to high
};

}  // namespace

Box bounds(std::span<const Vec3f> points) {
  if (points.empty()) return {};
  Box box{points[0], points[0]};
  for (const Vec3f& p : points) {
    box.low = min(box.low, p);
    box.high = max(box.high, p);
  }
  return box;
}

Result<void> validate(const Mesh& mesh) {
  const std::size_t vertices = mesh.positions.size();
  for (std::size_t v = 0; v < vertices; ++v) {
    if (!is_finite(mesh.positions[v])) {
      return Error{"vertex " + std::to_string(v), "the position is not finite", "repair or remove the vertex"};
    }
  }
  if (!mesh.normals.empty() && mesh.normals.size() != vertices) {
    return Error{"normals",
                 std::to_string(mesh.normals.size()) + " normals for " + std::to_string(vertices) + " vertices",
                 "give one normal per vertex, or none"};
  }
  for (std::size_t v = 0; v < mesh.normals.size(); ++v) {
    if (!is_finite(mesh.normals[v])) {
      return Error{"vertex " + std::to_string(v), "the normal is not finite", "recompute the normals"};
    }
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::uint32_t v : mesh.triangles[t]) {
      if (v >= vertices) {
        return Error{"triangle " + std::to_string(t),
                     "names vertex " + std::to_string(v) + " of " + std::to_string(vertices),
                     "vertex numbers start at 0"};
      }
    }
  }
  return {};
}

void compute_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles, std::span<Vec3f> normals,
                     std::span<const std::uint32_t> weld) {
  assert(normals.size() == positions.size() && (weld.empty() || weld.size() == positions.size()));
  const auto point = [&](std::uint32_t v) { return weld.empty() ? v : weld[v]; };
  std::vector<Vec3d> sums(positions.size());  // by surface point; there are at most #V
  for (const Triangle& t : triangles) {
    const Vec3d face = normalized(doubled_area(positions, t));
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d corner(positions[t[k]]);
      const Vec3d to_next = Vec3d(positions[t[(k + 1) % 3]]) - corner;
      const Vec3d to_last = Vec3d(positions[t[(k + 2) % 3]]) - corner;
      // atan2 keeps its accuracy at angles near 0 and pi, where acos of a dot product loses half of the digits.
      const double angle = std::atan2(length(cross(to_next, to_last)), dot(to_next, to_last));
      sums[point(t[k])] += face * angle;
    }
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    normals[v] = Vec3f(normalized(sums[point(static_cast<std::uint32_t>(v))], Vec3d{0, 1, 0}));
  }
}

double enclosed_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  const Box box = bounds(positions);
  const Vec3d center = (Vec3d(box.low) + Vec3d(box.high)) * 0.5;
  const auto six_volumes = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (const Triangle& t : triangles.subspan(begin, end - begin)) {
      sum +=
          dot(Vec3d(positions[t[0]]) - center, cross(Vec3d(positions[t[1]]) - center, Vec3d(positions[t[2]]) - center));
    }
    return sum;
  };
  return parallel_sum(triangles.size(), chunk, 0.0, six_volumes) / 6;
}

double surface_area(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  const auto two_areas = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (const Triangle& t : triangles.subspan(begin, end - begin)) sum += length(doubled_area(positions, t));
    return sum;
  };
  return parallel_sum(triangles.size(), chunk, 0.0, two_areas) / 2;
}

Defects find_defects(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                     std::span<const std::uint32_t> weld) {
  assert(weld.empty() || weld.size() == positions.size());
  const auto point = [&](std::uint32_t v) { return weld.empty() ? v : weld[v]; };
  Defects found;
  std::vector<bool> used(positions.size(), false);
  std::vector<Side> sides;
  sides.reserve(triangles.size() * 3);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& corners = triangles[t];
    for (const std::uint32_t v : corners) used[v] = true;
    const Triangle points{point(corners[0]), point(corners[1]), point(corners[2])};
    const bool collapsed = points[0] == points[1] || points[1] == points[2] || points[2] == points[0];
    if (collapsed || has_no_area(positions, corners)) {
      if (found.degenerate_triangles++ == 0) found.first_degenerate = corners;
    }
    // A collapsed triangle fills no gap; one that is only thin may (a T-junction's), so its sides count.
    if (collapsed) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = points[k], to = points[(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), 3 * std::uint64_t{t} + k, from < to});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.number < b.number;
  });

  const auto vertices_of = [&](const Side& side) {
    const Triangle& t = triangles[side.number / 3];
    return std::array<std::uint32_t, 2>{t[side.number % 3], t[(side.number + 1) % 3]};
  };
  std::uint64_t first_boundary = ~std::uint64_t{0}, first_non_manifold = first_boundary,
                first_unbalanced = first_boundary;
  const auto count = [&](const Side& side, std::size_t& edges, std::uint64_t& number,
                         std::array<std::uint32_t, 2>& vertices) {
    ++edges;
    if (side.number < number) {
      number = side.number;
      vertices = vertices_of(side);
    }
  };
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    const Side& first = sides[begin];
    std::ptrdiff_t balance = 0;
    for (; end < sides.size() && sides[end].low == first.low && sides[end].high == first.high; ++end) {
      balance += sides[end].forward ? 1 : -1;
    }
    if (end - begin == 1) {
      count(first, found.boundary_edges, first_boundary, found.first_boundary);
    } else if (end - begin > 2 || balance != 0) {
      count(first, found.non_manifold_edges, first_non_manifold, found.first_non_manifold);
    }
    if (balance != 0) count(first, found.unbalanced_edges, first_unbalanced, found.first_unbalanced);
  }
  found.unused_vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  return found;
}

}  // namespace supple
