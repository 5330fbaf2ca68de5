// Numbers of a kinodynamic skin for the eye: weights in space, what the flow does to volume, and where tissue lies.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/deform/kinodynamic/layer.h"

namespace supple::browser {

/// Of a joint's limb at each vertex of a part at rest.
struct FieldMap {
  std::vector<float> weights;    // 0 to 1
  std::vector<float> gradients;  // 1/m, how fast they change in space
};
FieldMap field_map(const KinodynamicLayer& layer, std::size_t part, JointIndex joint);

/// The flow's local ratio of volumes at each vertex, from the rest pose to the one that a layer is in.
class VolumeMap {
 public:
  /// The field was made anew.
  void forget() { parts_.clear(); }
  /// Six flows of the part. Kept until the next call.
  std::span<const float> determinants(const KinodynamicLayer& layer, std::size_t part);

 private:
  struct PartBlocks {
    FieldBlocks rest, moved;
    double step = 0;  // metres
  };
  void flow(const KinodynamicLayer& layer, PartBlocks& part, std::size_t axis, float step, std::span<Vec3f> positions);

  std::vector<std::optional<PartBlocks>> parts_;
  std::vector<Vec3f> ahead_, behind_;
  std::vector<Mat3f> slopes_;
  std::vector<float> determinants_;
};

/// An ellipsoid about a shape of the field as its limb carries it: of soft tissue where its weight has vanished, of a
/// bone its surface, of a segment where its weight has fallen to 1/e. Painted weights have no such shapes.
struct TissueEllipsoid {
  float to_world[16];  // of the unit ball, column by column
  float joint, bone;   // its limb's; 1: bone
};
std::vector<TissueEllipsoid> tissue(const KinodynamicLayer& layer, std::span<const Affinef> world);

}  // namespace supple::browser
