// Neighbourhoods by counting, parts and welding by union-find.
#include "supple/geometry/topology.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>
#include <tuple>

#include "supple/base/disjoint_sets.h"

namespace supple {
namespace {

constexpr std::uint32_t left_out = 0xffffffffu;

/// Numbers the sets in the order of their first members: the set of each member, and the first member of each set.
void number_sets(DisjointSets& sets, std::vector<std::uint32_t>& set_of, std::vector<std::uint32_t>& first_of) {
  for (std::uint32_t v = 0; v < set_of.size(); ++v) {
    const std::uint32_t root = sets.root(v);
    if (root == v) {
      set_of[v] = static_cast<std::uint32_t>(first_of.size());
      first_of.push_back(v);
    } else {
      set_of[v] = set_of[root];
    }
  }
}

void join_equal(std::span<const Vec3f> positions, DisjointSets& sets) {
  struct Key {
    std::array<std::uint32_t, 3> bits;
    std::uint32_t vertex;
    bool operator<(const Key& other) const { return std::tie(bits, vertex) < std::tie(other.bits, other.vertex); }
  };
  std::vector<Key> keys;
  keys.reserve(positions.size());
  // Bits order every float, NaN too; adding +0 turns -0 into +0 and changes nothing else.
  const auto bits = [](float f) {
    f += 0.0f;
    std::uint32_t word;
    std::memcpy(&word, &f, sizeof word);
    return word;
  };
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    const Vec3f p = positions[v];
    keys.push_back({{bits(p.x), bits(p.y), bits(p.z)}, v});
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].bits == keys[i - 1].bits) sets.join(keys[i].vertex, keys[i - 1].vertex);
  }
}

/// A point in a grid of cells. Cell numbers are whole doubles: they never overflow, and where they lose their last
/// digit floats are already many cells apart.
struct CellPoint {
  std::array<double, 3> cell;
  std::uint32_t vertex;
  bool operator<(const CellPoint& other) const { return std::tie(cell, vertex) < std::tie(other.cell, other.vertex); }
};

void join_near(std::span<const Vec3f> positions, double tolerance, DisjointSets& sets) {
  // The diagonal of a cell is just below the tolerance: points of one cell are joined without looking, however many
  // there are, and partners in other cells lie at most two cells away along each axis.
  const double side = tolerance * 0.577;
  std::vector<CellPoint> points;
  points.reserve(positions.size());
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    const Vec3d p(positions[v]);
    if (is_finite(p)) points.push_back({{std::floor(p.x / side), std::floor(p.y / side), std::floor(p.z / side)}, v});
  }
  std::sort(points.begin(), points.end());
  const auto end_of_cell = [&](std::size_t i) {
    const std::array<double, 3> cell = points[i].cell;
    while (i < points.size() && points[i].cell == cell) ++i;
    return i;
  };
  const auto touching = [&](std::size_t a0, std::size_t a1, std::size_t b0, std::size_t b1) {
    for (std::size_t a = a0; a < a1; ++a) {
      for (std::size_t b = b0; b < b1; ++b) {
        const Vec3d gap = Vec3d(positions[points[a].vertex]) - Vec3d(positions[points[b].vertex]);
        if (squared_length(gap) <= tolerance * tolerance) return true;
      }
    }
    return false;
  };

  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].cell == points[i - 1].cell) sets.join(points[i].vertex, points[i - 1].vertex);
  }
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    end = end_of_cell(begin);
    const std::array<double, 3> cell = points[begin].cell;
    for (double dx = 0; dx <= 2; ++dx) {  // only cells that come later in the order: each pair once
      for (double dy = dx == 0 ? 0 : -2; dy <= 2; ++dy) {
        const double dz = dx == 0 && dy == 0 ? 1 : -2;
        const CellPoint row{{cell[0] + dx, cell[1] + dy, cell[2] + dz}, 0};
        const auto found = std::lower_bound(points.begin() + static_cast<std::ptrdiff_t>(begin), points.end(), row);
        auto other = static_cast<std::size_t>(found - points.begin());
        while (other < points.size() && points[other].cell[0] == row.cell[0] && points[other].cell[1] == row.cell[1] &&
               points[other].cell[2] <= cell[2] + 2) {
          const std::size_t other_end = end_of_cell(other);
          const std::uint32_t a = points[begin].vertex, b = points[other].vertex;
          if (other != begin && sets.root(a) != sets.root(b) && touching(begin, end, other, other_end)) {
            sets.join(a, b);
          }
          other = other_end;
        }
      }
    }
  }
}

}  // namespace

Adjacency vertex_neighbours(std::size_t vertex_count, std::span<const Triangle> triangles) {
  std::vector<std::uint32_t> first(vertex_count + 1, 0);
  for (const Triangle& t : triangles) {
    for (const std::uint32_t v : t) first[v + 1] += 2;
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> items(first.back()), next(first.begin(), first.end() - 1);
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      items[next[t[k]]++] = t[(k + 1) % 3];
      items[next[t[k]]++] = t[(k + 2) % 3];
    }
  }

  Adjacency adjacency;
  adjacency.first.reserve(vertex_count + 1);
  adjacency.first.push_back(0);
  adjacency.items.reserve(items.size() / 2);
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    const auto begin = items.begin() + first[v], end = items.begin() + first[v + 1];
    std::sort(begin, end);
    for (auto i = begin; i != end; ++i) {
      if (*i != v && (i == begin || *i != *(i - 1))) adjacency.items.push_back(*i);
    }
    adjacency.first.push_back(static_cast<std::uint32_t>(adjacency.items.size()));
  }
  return adjacency;
}

Weld weld(std::span<const Vec3f> positions, float tolerance) {
  DisjointSets sets(positions.size());
  if (tolerance > 0) {
    join_near(positions, tolerance, sets);
  } else {
    join_equal(positions, sets);
  }
  Weld result;
  result.to_point.resize(positions.size());
  number_sets(sets, result.to_point, result.to_vertex);
  return result;
}

std::vector<Triangle> welded_triangles(std::span<const Triangle> triangles, const Weld& weld) {
  std::vector<Triangle> welded;
  welded.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const Triangle points{weld.to_point[t[0]], weld.to_point[t[1]], weld.to_point[t[2]]};
    if (points[0] != points[1] && points[1] != points[2] && points[2] != points[0]) welded.push_back(points);
  }
  return welded;
}

Parts connected_parts(std::size_t vertex_count, std::span<const Triangle> triangles) {
  DisjointSets sets(vertex_count);
  for (const Triangle& t : triangles) {
    sets.join(t[0], t[1]);
    sets.join(t[1], t[2]);
  }
  Parts parts;
  parts.of_vertex.resize(vertex_count);
  std::vector<std::uint32_t> first_vertices;
  number_sets(sets, parts.of_vertex, first_vertices);
  parts.count = first_vertices.size();
  return parts;
}

Mesh extract_part(const Mesh& mesh, const Parts& parts, std::uint32_t part, std::vector<std::uint32_t>* source) {
  assert(parts.of_vertex.size() == mesh.positions.size());
  Mesh extracted;
  std::vector<std::uint32_t> renumbered(mesh.positions.size(), left_out);
  if (source != nullptr) source->clear();
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    if (parts.of_vertex[v] != part) continue;
    renumbered[v] = static_cast<std::uint32_t>(extracted.positions.size());
    extracted.positions.push_back(mesh.positions[v]);
    if (!mesh.normals.empty()) extracted.normals.push_back(mesh.normals[v]);
    if (source != nullptr) source->push_back(v);
  }
  for (const Triangle& t : mesh.triangles) {
    if (renumbered[t[0]] != left_out)
      extracted.triangles.push_back({renumbered[t[0]], renumbered[t[1]], renumbered[t[2]]});
  }
  return extracted;
}

}  // namespace supple
