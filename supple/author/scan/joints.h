// Centres of rotation and joint angles from how bones moved between scans (Kurihara and Miyata 2004, eq. 1).
#pragma once

#include <span>

#include "supple/author/scan/align.h"
#include "supple/rig/pose.h"

namespace supple::scan {

struct JointOptions {
  // Standard deviation of the midpoint of facing ends about the joint's centre, metres: about the radius of a head.
  double prior_deviation = 0.003;
};

/// What the scans say about one joint.
struct JointEstimate {
  Vec3d centre{};       // base scan, metres
  Vec3d prior{};        // midpoint of the facing ends
  double residual = 0;  // metres: root mean square of |M c - c| over the scans
  double worst = 0;     // metres, and the scan it occurs in
  std::size_t worst_scan = 0;
  int seen = 0;            // directions of the centre that the motion determines: 0 to 3
  Vec3d uncertainty{};     // metres, standard deviation along x, y, z of the base scan
  double along_axis = 0;   // metres, standard deviation along `axis`: of a hinge, all that is known is the prior's
  double across_axis = 0;  // metres, across it, in the mean; both are the mean of all directions where there is no axis
  bool slides = false;     // six degrees of freedom
  Vec3d axis{};            // mean axis of its turns, unit, base scan; 0 where it hardly turned
  double axis_spread = 0;  // radians: how far single turns leave that axis, root mean square
};

/// One per bone; the root's joint stays at its own prior. `scans`: alignments of the scans other than the base.
std::vector<JointEstimate> estimate_joints(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                           const JointOptions& options = {});
/// Moves the joint of `bone` to a centre that somebody chose, and measures eq. 1 there: residual and worst scan. What
/// the motion determines, and how well, stays as it was estimated.
void place_centre(std::span<const ScanBone> bones, std::span<const Alignment> scans, std::size_t bone, Vec3d centre,
                  JointEstimate& joint);

/// A rig from estimated joints in the base pose, in the space of the base scan, and each scan's pose of it. Local
/// transforms carry the bones exactly as they were found: joints turn about their centres, and the little that is left
/// (all of it, where a joint slides) is translation. Hinges whose axis was well seen turn about it; limits are widened
/// to what was measured. `ends`: in the base scan, see scan_ends().
struct ScanRig {
  Skeleton skeleton;              // joints named as the bones, then the template's ends
  std::vector<JointIndex> joint;  // of each bone
  std::vector<Pose> poses;        // one per alignment
};
Result<ScanRig> build_rig(std::span<const ScanBone> bones, std::span<const JointEstimate> joints,
                          std::span<const BoneTemplate::End> ends, std::span<const Alignment> scans);

/// Angles about the joint's degrees of freedom, degrees of a table: rows scans, columns dofs, by get_angles(); with
/// what rotation they leave.
struct JointAngleRow {
  std::vector<double> radians;
  double left = 0;  // radians
};
std::vector<JointAngleRow> joint_angles(const ScanRig& rig, std::size_t bone);

}  // namespace supple::scan
