// Displacements that follow what is known and are smooth where nothing is.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/topology.h"

namespace supple::scan {

/// What is known of one vertex: how far it should go along a normal, and, weakly, where it should stay within the
/// surface. Skin that is pulled to its nearest points as they are bunches up where it has to slide.
struct Pull {
  Vec3d displacement{};
  Vec3d normal{};  // unit
  bool known = false;
};

/// How long conjugate gradients go on.
struct SolveLimits {
  int iterations = 2000;    // a hole of some hundred edges across needs that many
  double reduction = 1e-3;  // of the first residual
};

/// Minimises sum_v |d_v - t_v|^2_v + (2 s / h_v)^4 |mean of d around v - d_v|^2 over displacements d. The first norm is
/// 1 along the normal of v and `within_surface` across it, or 0 where nothing is known; h_v is the mean length of the
/// edges at v and s a length: where all is known, detail of d finer than about 2 pi s is smoothed away, however fine
/// the mesh (for equilateral triangles mean - d is h^2 / 4 of the Laplacian). Elsewhere d goes on as smoothly as it
/// can.
class SmoothDisplacement {
 public:
  static constexpr double within_surface = 0.05;

  /// `positions`: #V, gives the lengths of edges.
  SmoothDisplacement(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

  double mean_edge() const { return mean_edge_; }
  const Adjacency& neighbours() const { return neighbours_; }

  struct Outcome {
    int iterations = 0;
    double residual = 0;  // relative to the first
  };
  /// `pulls`: #V; `d`: #V, where to start and the result. The same for any number of threads.
  Outcome solve(std::span<const Pull> pulls, double smoothness, const SolveLimits& limits, std::vector<Vec3d>& d) const;

 private:
  Adjacency neighbours_;
  std::vector<double> edge_;            // #V: h
  std::vector<double> one_over_count_;  // #V: of neighbours
  double mean_edge_ = 0;
};

}  // namespace supple::scan
