// Iterated closest points: samples of one bone brought onto all bone of another scan.
#pragma once

#include <span>
#include <vector>

#include "supple/author/scan/motion_covariance.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {

/// Points of a bone, evenly over its surface.
struct SurfaceSamples {
  std::vector<Vec3d> points, normals;  // metres; unit
  Vec3d centre{};                      // mean of the points
  std::size_t vertices = 0;            // that they lie between: points nearer than that say no more than these
  std::size_t size() const { return points.size(); }
};
/// `count` points, the same for the same seed. None lies on a triangle of a vertex that `left_out` marks (#V or none).
SurfaceSamples sample_surface(const Mesh& mesh, const std::vector<bool>& left_out, std::size_t count,
                              std::uint64_t seed);
/// About `count` of them, evenly chosen.
SurfaceSamples thinned(const SurfaceSamples& samples, std::size_t count);

/// Of a surface, by area.
Vec3d surface_centre(const Mesh& mesh);

/// What is aligned to: a surface with interpolated normals, and which triangles belong to bones found already.
class TargetSurface {
 public:
  explicit TargetSurface(const Mesh& mesh);

  struct Hit {
    double distance = 0;
    Vec3d point{}, normal{};
    std::uint32_t triangle = 0;
  };
  /// `distance` is infinite where nothing is nearer than `within`.
  Hit closest(Vec3d p, double within) const;
  /// Whether a point is not beyond all bone of the scan.
  bool may_show(Vec3d p) const;
  bool claimed(std::uint32_t triangle) const { return claimed_[triangle] != 0; }
  /// Marks the triangles on which the moved bone lies. `bone`: its surface before the motion.
  void claim(const Mesh& bone, const Affined& motion);
  Vec3d centre() const { return centre_; }  // of its area
  /// Its longest direction, as long as the standard deviation of its vertices along it.
  Vec3d spread() const { return spread_; }

 private:
  Mesh mesh_;
  Bvh bvh_;
  std::vector<char> claimed_;  // #T
  Box box_;
  Vec3d centre_{}, spread_{};
};

struct IcpOptions {
  double trim = 0.85;         // share of pairs kept
  double least_cosine = 0.5;  // between normals of a pair
  double reach = 0.006;       // metres: longer pairs are never kept
  int iterations = 60;
};
/// Minimises distances between points (sure to approach) or to tangent planes (quick and exact at the end).
Affined align_points(const SurfaceSamples& bone, const TargetSurface& target, Affined start, const IcpOptions& options);
Affined align_planes(const SurfaceSamples& bone, const TargetSurface& target, Affined start, const IcpOptions& options);

/// Mean over the samples of the distance to the target, at most `cap` (metres); `cap` where normals disagree or the
/// target is another bone's.
double misfit(const SurfaceSamples& bone, const TargetSurface& target, const Affined& motion, double cap);

struct FitMeasure {
  double residual = 0;                   // metres: root mean square of the pairs kept
  double overlap = 0;                    // share of the points in the scan within 1.5 mm of what no other bone has
  double rotation_sd = 0, shift_sd = 0;  // radians; metres, of the bone's centre
  MotionCovariance covariance{};         // in the target's space; 0 where too little of the bone is seen
};
FitMeasure measure_fit(const SurfaceSamples& bone, const TargetSurface& target, const Affined& motion,
                       const IcpOptions& options);

}  // namespace supple::scan
