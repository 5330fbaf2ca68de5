// A closed triangle surface whose connectivity can be changed: half-edges with split, flip and collapse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// Half-edge h belongs to triangle h / 3 and runs from origin(h) to origin(next(h)). Removed triangles and vertices
/// keep their numbers until compact().
class HalfEdges {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// The error says which edge or vertex keeps the triangles from being a closed manifold.
  static Result<HalfEdges> build(std::size_t vertex_count, std::span<const Triangle> triangles);

  static std::uint32_t next(std::uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
  static std::uint32_t previous(std::uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }
  std::uint32_t twin(std::uint32_t h) const { return twin_[h]; }
  std::uint32_t origin(std::uint32_t h) const { return origin_[h]; }
  std::uint32_t target(std::uint32_t h) const { return origin_[next(h)]; }
  std::uint32_t opposite(std::uint32_t h) const { return origin_[previous(h)]; }
  std::uint32_t valence(std::uint32_t v) const { return valence_[v]; }

  /// Numbers in use and removed together.
  std::uint32_t half_edges() const { return static_cast<std::uint32_t>(origin_.size()); }
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(outgoing_.size()); }
  bool is_removed(std::uint32_t h) const { return origin_[h] == none; }
  bool is_vertex(std::uint32_t v) const { return outgoing_[v] != none; }
  std::uint32_t vertex_count() const { return live_vertices_; }

  /// Calls visit(h) for each half-edge that starts at v, clockwise seen from outside.
  template <class Visit>
  void around(std::uint32_t v, Visit&& visit) const {
    const std::uint32_t start = outgoing_[v];
    std::uint32_t h = start;
    do {
      visit(h);
      h = next(twin_[h]);
    } while (h != start);
  }
  bool connected(std::uint32_t a, std::uint32_t b) const;

  /// Puts a new vertex on the edge; returns its number, which is always vertices() before the call.
  std::uint32_t split(std::uint32_t h);
  /// Turns the edge between its two triangles; not where the new edge exists already or a vertex would have two edges.
  bool may_flip(std::uint32_t h) const;
  void flip(std::uint32_t h);
  /// Merges origin(h) into target(h). Allowed where the two have exactly the two common neighbours that the edge's
  /// triangles give them (the link condition): everything else would pinch the surface.
  bool may_collapse(std::uint32_t h) const;
  void collapse(std::uint32_t h);

  /// Triangles with vertices renumbered without gaps; `source` receives the old number of each.
  std::vector<Triangle> compact(std::vector<std::uint32_t>& source) const;

 private:
  void pair(std::uint32_t a, std::uint32_t b) {
    twin_[a] = b;
    twin_[b] = a;
  }
  void set_triangle(std::uint32_t first, std::uint32_t a, std::uint32_t b, std::uint32_t c);

  std::vector<std::uint32_t> origin_, twin_;       // #H; origin none: removed
  std::vector<std::uint32_t> outgoing_, valence_;  // #V; outgoing none: removed or never used
  std::uint32_t live_vertices_ = 0;
};

}  // namespace supple
