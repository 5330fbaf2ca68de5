// Which vertices an element has, and how much of its motion each takes part in.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/rig/attenuation.h"

namespace supple {

/// From the driver to the barycentre of the ends, in the rest pose.
struct VirtualBone {
  Vec3d from, to;
  double length() const { return supple::length(to - from); }
  Vec3d middle() const { return (from + to) / 2.0; }
  Vec3d direction() const { return normalized(to - from); }
  /// -1 at the driver, 1 at the ends.
  double along(Vec3d p) const { return 2 * dot(p - middle(), direction()) / length(); }
  double distance(Vec3d p) const;  // to the segment
};

/// Membership of each vertex, 0 to 1, is for the caller to say: mostly the skin weights of the element's joints.
struct RegionWeights {
  std::vector<float> weights;  // alpha_2, #V: shape * attenuation * membership, the largest is 1
  double largest = 0;          // the largest before that, metres: how far the spring may go; 0: no flesh anywhere
};

/// shape = max(0, distance to the bone - thickness), as the paper's equation 4.
RegionWeights region_weights(std::span<const Vec3f> positions, std::span<const float> membership,
                             const VirtualBone& bone, double thickness, const Attenuation& attenuation);

/// The largest change of weight along an edge, by its length (per metre): displaced by u, skin is squeezed by up to
/// this times u, and folds over where that is more than one.
double steepest(std::span<const Vec3f> positions, std::span<const Triangle> triangles, std::span<const float> weights);

/// The distance to the bone that half of the skin exceeds, by area times membership, between the ends.
double usual_distance(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                      std::span<const float> membership, const VirtualBone& bone);

/// Volume between the bone and the skin: the flux of half the vector across the bone, whose divergence is one. The cut
/// ends are across the bone and add nothing, so the region need not be closed.
double region_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                     std::span<const float> membership, const VirtualBone& bone);

}  // namespace supple
