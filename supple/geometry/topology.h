// Neighbourhoods, connected parts and welding of indexed triangle meshes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// Flat neighbour lists: those of vertex v are items[first[v]] .. items[first[v + 1]] (sorted, each once).
struct Adjacency {
  std::vector<std::uint32_t> first;  // #V + 1
  std::vector<std::uint32_t> items;
  std::span<const std::uint32_t> of(std::size_t v) const { return {items.data() + first[v], first[v + 1] - first[v]}; }
};
Adjacency vertex_neighbours(std::size_t vertex_count, std::span<const Triangle> triangles);

/// Files split a vertex along texture and normal seams. Welding finds which vertices are one point of the surface and
/// leaves the vertices themselves alone.
struct Weld {
  std::vector<std::uint32_t> to_point;   // #V: number of the surface point
  std::vector<std::uint32_t> to_vertex;  // #points: its first vertex
  std::size_t points() const { return to_vertex.size(); }
};
/// Joins vertices at most `tolerance` apart (metres; 0: equal positions only, +0 and -0 being equal), and so also the
/// ends of a chain of such vertices. Points are numbered in the order of their first vertices.
Weld weld(std::span<const Vec3f> positions, float tolerance = 0);
/// Triangles over welded points; those that collapse are dropped.
std::vector<Triangle> welded_triangles(std::span<const Triangle> triangles, const Weld& weld);

/// Connected parts by shared vertices: a part number for each vertex, in order of their first vertex. A vertex of no
/// triangle is a part by itself. Give welded triangles where seams should not separate.
struct Parts {
  std::vector<std::uint32_t> of_vertex;  // #V
  std::size_t count = 0;
};
Parts connected_parts(std::size_t vertex_count, std::span<const Triangle> triangles);
/// The triangles of one part with vertices renumbered; `source` receives the old number of each new vertex.
Mesh extract_part(const Mesh& mesh, const Parts& parts, std::uint32_t part,
                  std::vector<std::uint32_t>* source = nullptr);

}  // namespace supple
