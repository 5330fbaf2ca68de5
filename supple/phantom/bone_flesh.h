// Flesh laid around measured bones: the procedural hand's, fitted to their joints, and never thinner than skin.
#pragma once

#include <memory>
#include <vector>

#include "supple/geometry/bvh.h"
#include "supple/make/hand_shape.h"
#include "supple/phantom/bone_anatomy.h"

namespace supple::phantom {

/// Surfaces as a signed distance, in their own units; may be copied and used on any number of threads.
class SurfaceDistance {
 public:
  explicit SurfaceDistance(std::span<const Mesh> pieces);
  double operator()(Vec3d p) const;
  /// The same where it is below `bound`, otherwise some value that is not.
  double below(Vec3d p, double bound) const;
  Vec3d low() const { return low_; }
  Vec3d high() const { return high_; }

 private:
  std::vector<std::shared_ptr<const Bvh>> pieces_;
  std::vector<Box> boxes_;
  Vec3d low_{}, high_{};
};

/// The skin as a field in anatomical space, millimetres; negative inside.
class BoneFlesh {
 public:
  explicit BoneFlesh(const MeasuredHand& hand);

  double operator()(Vec3d p) const;
  static constexpr double lipschitz = make::HandShape::lipschitz;
  /// A point of the surface near p.
  Vec3d project(Vec3d p) const;
  Vec3d gradient(Vec3d p, double step) const;
  double relative_edge(Vec3d p) const { return shape_.relative_edge(p * scale_); }
  Vec3d low() const { return low_; }
  Vec3d high() const { return high_; }
  /// y where forearm bones end, a little inside the flat end of the skin.
  double bones_end() const;

 private:
  double scale_;  // of the procedural hand over this one
  make::HandShape shape_;
  std::vector<SurfaceDistance> bones_;
  Vec3d low_{}, high_{};
};

}  // namespace supple::phantom
