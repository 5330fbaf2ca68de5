// Shortest ways inside a body: over the points of its skin and a lattice of places inside, never across a gap. So an
// ear that lies on a shoulder is as far from the shoulder as head and neck are long. The idea is that of Dionne and de
// Lasa, Geodesic Voxel Binding for Production Character Meshes, 2013; the skin's own points keep parts together that
// are thinner than a cell, and ways between places are tested against the triangles, so that gaps may be thinner too.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "supple/geometry/bvh.h"
#include "supple/geometry/winding_field.h"

namespace supple {

/// Immutable; may be asked on any number of threads. The body may have holes and several parts, which may overlap or
/// be inside out: what counts as inside is decided by the winding number.
class InnerPaths {
 public:
  /// `points` are welded (equal places are one point) and finite. `cells`: along the longest side of the body
  /// at most.
  InnerPaths(std::span<const Vec3f> points, std::span<const Triangle> triangles, std::size_t cells = 128);

  double cell() const { return cell_; }
  bool inside(Vec3f place) const { return surrounded(place) > 0; }
  /// The nearest point of the skin.
  ClosestPoint closest(Vec3f place) const { return surface_.closest(place); }

  /// How far the skin is in a direction; infinity where there is none. `direction` is a unit vector.
  float skin_along(Vec3f place, Vec3f direction) const;

  /// #points: length of the shortest way from the nearest of the sources, metres; infinity where there is none that is
  /// shorter than `farthest`. A source outside the body starts at the triangle nearest to it. Ways go along the lattice
  /// and the edges of the skin: they are up to `detour` times longer than the shortest of all where the body is wide.
  std::vector<float> distances(std::span<const Vec3f> sources,
                               float farthest = std::numeric_limits<float>::infinity()) const;
  /// Longest way by steps to the 26 neighbours on a lattice, relative to the straight line: that to (1, 0.41, 0.32).
  static constexpr double detour = 1.128;

 private:
  struct Step {
    std::uint32_t to;
    float length;
  };
  /// How many parts of the body surround a place, at least one where it is inside.
  int surrounded(Vec3f place) const;
  /// Whether the straight line from a place that `depth` parts surround leaves the body before its end; triangles at
  /// the point `end_point` do not count.
  bool leaves(Vec3f from, int depth, Vec3f to, std::uint32_t end_point) const;
  Vec3f centre(std::size_t x, std::size_t y, std::size_t z) const;
  /// Calls visit(node, place, depth) for the lattice's places inside within `reach` cells.
  template <class Visit>
  void each_inside_near(Vec3f place, double reach, Visit&& visit) const;
  void fill_lattice();
  void connect();

  std::vector<Vec3f> points_;
  std::vector<Triangle> triangles_;  // none inside out
  Bvh surface_;
  WindingField winding_;
  double cell_ = 1;
  Vec3d low_{};
  std::size_t size_[3]{};                // of the lattice
  std::vector<std::uint32_t> node_;      // of the lattice's places: nodes after the points, or none outside
  std::vector<std::uint8_t> near_skin_;  // of the lattice's places: whether a triangle's box reaches their cell
  std::vector<Vec3f> place_;             // of the nodes after the points
  std::vector<std::int8_t> depth_;       // the same
  std::vector<std::uint32_t> first_;     // #nodes + 1
  std::vector<Step> steps_;
};

}  // namespace supple
