// How a bone moved against its parent between the base scan and the others, and how well that is known.
#pragma once

#include <span>

#include "supple/author/scan/align.h"

namespace supple::scan {

struct JointMotion {
  Affined motion;               // rigid, in the base scan's space: the parent lies as it does there
  MotionCovariance covariance;  // in the same space, about the facing ends as the motion leaves them with the parent
  std::size_t scan = 0;         // place in the list of alignments
};

/// Of the scans in which both bones were found; none for the root.
std::vector<JointMotion> joint_motions(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                       std::size_t bone);
/// In one scan, found or not.
JointMotion joint_motion(std::span<const ScanBone> bones, const Alignment& scan, std::size_t bone);

}  // namespace supple::scan
