// Which skin faces which: for every vertex, the patch of skin in front of it, and the plane that stands for the patch.
#pragma once

#include <span>
#include <vector>

#include "supple/author/simulate/body.h"
#include "supple/author/simulate/tissue.h"
#include "supple/geometry/mesh.h"
#include "supple/geometry/topology.h"

namespace supple::simulate {

/// Weighted vertices of the skin; weights add up to 1.
struct SkinPatch {
  struct Vertex {
    std::uint32_t vertex = 0;
    double weight = 0;
  };
  std::vector<Vertex> vertices;

  Vec3d mean(std::span<const Vec3d> positions) const;
};

/// A vertex of the skin and the patch of skin that faces it.
struct FacingPatch {
  std::uint32_t vertex = 0, faced = 0;  // faced: of the patch, the vertex nearest to it
  SkinPatch patch;
  Vec3d away{};         // normal of the patch
  double offset = 0;    // metres that the patch bulges out of the mean of its points
  double gap = 0;       // away . (vertex - mean of the patch) + offset, metres; negative where skins overlap
  double strength = 0;  // 1 before or behind the patch, 0 beside it and where it does not face the vertex
};

/// Immutable; may be shared by threads. Which skin a vertex faces is found where nothing overlaps (watch), and followed
/// from there (follow): a vertex that has gone through is then known to be on the wrong side, which its place alone
/// does not tell, since the far side of its own flesh faces it, too. Planes come from patches as wide as a few edges,
/// not from the nearest triangle: that jumps from side to side in every valley, and equilibrium would never be reached.
class FacingSkin {
 public:
  /// `reach`: metres within which skins are watched. `overlap`: metres that may have gone through where that starts.
  FacingSkin(const Body& body, const Tissue& tissue, double reach, double overlap);

  /// Every vertex that has skin in front of it, in order, for node positions x (#N) at which skins hardly overlap.
  std::vector<FacingPatch> watch(std::span<const Vec3d> x) const;

  /// Where the skin is, for node positions x.
  struct Posed {
    std::vector<Vec3d> positions, normals;  // #V
  };
  Posed pose(std::span<const Vec3d> x) const;
  /// The same vertex in a skin that has moved, and the patch that it faced, where that is now.
  FacingPatch follow(const FacingPatch& before, const Posed& skin) const;

  std::span<const double> areas() const { return areas_; }  // #V, metres^2; 0 of vertices that seams repeat

 private:
  /// 1 where normals are opposite, 0 where they are not, or where the other is a part of the skin around the vertex.
  double facing(const Posed& skin, std::uint32_t vertex, std::uint32_t other) const;
  FacingPatch facing_patch(const Posed& skin, std::uint32_t vertex, std::uint32_t faced) const;

  const Tissue* tissue_;
  double reach_, overlap_;
  std::vector<Triangle> triangles_;  // of the skin, its seams welded
  std::vector<double> areas_;        // #V
  std::vector<double> edges_;        // #V: mean length of the edges at rest, metres
  Adjacency around_;                 // vertices at most three edges away, sorted
};

}  // namespace supple::simulate
