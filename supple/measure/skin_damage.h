// What an eye would see wrong in a changed skin, frame by frame, beside the skin it was made from. Everything is
// relative to the size of the character: the diagonal of its bounding box at rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

/// What is wrong in one frame of a changed skin (`after`), beside the same frame of the skin it was made from
/// (`before`). Edges are counted once per pair of vertices, so an edge along a split seam counts for both sides.
struct SkinDamage {
  /// Edges more than twice as long as both before and at rest, and longer than before by 2 % of the size. An edge with
  /// an end that is finite before and not finite after is torn, too.
  std::size_t torn = 0;
  /// Pairs of neighbouring triangles that lie back on each other: the cosine between their normals is below -0.866,
  /// and above 0 at rest. Triangles are neighbours across split seams, too.
  std::size_t folded = 0, folded_before = 0;
  /// Pairs of vertices of separate pieces, closer than 0.5 % of the size at rest, that are parted by more than 2 %
  /// where `before` keeps them within 1 %.
  std::size_t parted = 0;
  /// The same with limits that are by a tenth narrower: a frame that nobody looked at may have such a pair parted.
  std::size_t nearly_parted = 0;
  /// Vertices of a seam that are more than 0.2 % of the size away from a copy of themselves (a vertex at the same place
  /// at rest) where `before` keeps the two within 0.1 %. A place that splits in two counts at least twice.
  std::size_t opened = 0;
  /// RMS of edge length / rest length - 1. Edges shorter than 1e-6 of the size at rest and edges that are not finite
  /// are left out.
  double strain = 0, strain_before = 0;
  /// Edges longer than twice their rest length by more than 0.5 % of the size.
  std::size_t stretched = 0, stretched_before = 0;
  /// Largest distance between a vertex of both skins, as a share of the size; infinite where a vertex is finite before
  /// and not finite after.
  double far = 0;
  std::uint32_t far_vertex = 0;  // the first of several

  /// Folds that `before` does not have; negative where there are fewer.
  std::ptrdiff_t new_folds() const {
    return static_cast<std::ptrdiff_t>(folded) - static_cast<std::ptrdiff_t>(folded_before);
  }
  friend bool operator==(const SkinDamage&, const SkinDamage&) = default;
};

/// Compares many frames of two skins with the same vertices. Immutable; may be used by any number of threads.
class SkinDamageTest {
 public:
  /// `rest`: #V in any unit, as drawn at rest. Vertices closer than 1e-5 of the size are one place of the surface.
  /// Triangles that name a vertex which does not exist are ignored.
  SkinDamageTest(std::span<const Vec3f> rest, std::span<const Triangle> triangles);

  /// In the unit of `rest`.
  double size() const { return size_; }
  std::size_t vertices() const { return place_of_.size(); }
  std::size_t edges() const { return edges_.size(); }
  /// Pairs that can fold.
  std::size_t pairs_of_triangles() const { return neighbours_.size(); }
  /// Pairs that can part: all there are, or 20000 of them, chosen evenly.
  std::size_t close_pairs() const { return close_.size(); }

  /// `before` and `after`: #V, in the unit of `rest`. `blame` is empty or #V: it is raised to 1, and never lowered, at
  /// the vertices of every tear, parted pair and opened place of this frame, with `blame_folds` of every new fold, and
  /// with `blame_nearly` of pairs that are nearly parted.
  SkinDamage measure(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame = {},
                     bool blame_folds = true, bool blame_nearly = false) const;

  /// The largest change of a coordinate of the skin at rest (`after`: #V), as a share of the size.
  double moved_at_rest(std::span<const Vec3f> after) const;

  /// Smooth blame (#V, 0 to 1): falls from 1 at blamed vertices to 0 at a distance of `reach` (a share of the size)
  /// along edges and across gaps between close pieces. Vertices at one place get the same value, so a correction that
  /// fades by it opens no seam. Blame between 0 and 1 counts as a blamed vertex some way off.
  std::vector<float> spread(std::span<const float> blame, double reach) const;

 private:
  using Pair = std::array<std::uint32_t, 2>;
  struct Edge {
    std::uint32_t a, b;
    double rest;
  };
  struct Link {
    std::uint32_t to;  // a place
    float length;
  };
  void find_edges();
  void find_neighbours();
  void find_seams();
  /// Returns each vertex near another piece, with the nearest vertex of one.
  std::vector<Pair> find_close_pairs();
  void find_links(std::span<const Pair> nearest);

  void measure_edges(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                     SkinDamage& damage) const;
  void measure_folds(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                     SkinDamage& damage) const;
  void measure_gaps(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                    bool blame_nearly, SkinDamage& damage) const;
  void measure_distance(std::span<const Vec3f> before, std::span<const Vec3f> after, SkinDamage& damage) const;

  double size_ = 0;
  std::vector<Vec3f> rest_;  // #V
  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> place_of_;    // #V
  std::vector<Edge> edges_;                // those too short for strain last
  std::size_t strained_ = 0;               // edges long enough
  std::vector<Pair> neighbours_;           // pairs of triangles
  std::vector<Pair> close_;                // pairs of vertices
  std::vector<std::uint32_t> seam_first_;  // the vertices of seam place s are seam_[seam_first_[s]] and following
  std::vector<std::uint32_t> seam_;
  std::vector<std::uint32_t> link_first_;  // the links of place p are links_[link_first_[p]] and following
  std::vector<Link> links_;
};

/// Sums up the damage of many frames, and decides whether the skin can be shown.
struct DamageTotals {
  std::size_t frames = 0, damaged_frames = 0;  // damaged: anything torn, parted or opened
  std::size_t torn = 0, parted = 0, opened = 0, folded = 0, folded_before = 0, stretched = 0, stretched_before = 0;
  double strain_squares = 0, strain_before_squares = 0;  // summed over frames
  double far = 0;
  /// SkinDamageTest::moved_at_rest(), set by the caller; 0 where it is not measured.
  double moved_at_rest = 0;
  /// The frame with most torn, parted and opened; of several that with most new folds, then the farthest, then the
  /// first. Counted from 0 in the order of add().
  std::size_t worst_frame = 0;
  SkinDamage worst;

  void add(const SkinDamage& frame);
  /// RMS over frames.
  double strain() const;
  double strain_before() const;
  /// Anything is torn or parted, or there are more new folds than 0.05 % of all pairs of triangles in a frame on
  /// average, or the skin at rest moved by 0.1 % of its size.
  bool bad(std::size_t pairs_of_triangles) const;
};

}  // namespace supple
