// Contact of the skin with itself: places where posed skin overlaps other skin, or nearly touches it, as linear
// constraints on the nodes of the lattice. Lengths are in edges of a cell.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "supple/author/lattice/lattice.h"
#include "supple/geometry/bvh.h"

namespace supple::lattice {

/// A point of the skin against another place of it. The sum of weight * position over the nodes, along `away`, changes
/// as the gap between them does.
struct Contact {
  std::array<std::uint32_t, 2> cells{};  // of the point and of the place: no two contacts have the same
  std::vector<std::uint32_t> nodes;
  std::vector<float> weights;  // #nodes; they add up to 0
  Vec3f away{};                // outward normal of the place that is touched
  float gap = 0;               // beyond the margin that is kept, or beyond the gap at rest where that is smaller
  float area = 0;              // of the skin that this contact stands for
};

/// Immutable; may be shared by threads.
class SkinContact {
 public:
  /// `surface`: what the lattice was made around. Nodes must have their final numbers.
  SkinContact(const Surface& surface, const Lattice& lattice);

  /// The contacts of a posed skin (#V), deepest first; for each pair of cells the deepest one. `lattice` as above.
  std::vector<Contact> find(const Lattice& lattice, std::span<const Vec3f> posed) const;

 private:
  /// A vertex that is tested, for all vertices in its eighth of a cell.
  struct Probe {
    std::uint32_t vertex = 0;
    float area = 0;
  };
  struct Touched;
  template <class Counts>
  std::optional<Touched> nearest_facing(const Bvh& tree, std::span<const Vec3f> posed, std::span<const Vec3f> normals,
                                        std::uint32_t vertex, const Counts& counts) const;
  bool may_touch(std::uint32_t piece, std::uint32_t other) const;

  std::vector<Vec3f> rest_, rest_normals_;  // #V
  std::vector<float> deepest_;              // #V: an overlap there that is deeper comes from the other side
  std::vector<Triangle> triangles_;         // all facing outwards
  std::vector<std::uint32_t> piece_;        // #V: connected piece of the surface
  /// Pieces that were modelled inside each other, as the arms of a toy in its chest: rising pairs, the smaller first.
  std::vector<std::array<std::uint32_t, 2>> nested_;
  std::vector<Probe> probes_;
};

}  // namespace supple::lattice
