// Where a bone may be: guesses to start from, and the best of them.
#pragma once

#include <span>

#include "supple/author/scan/align.h"
#include "supple/author/scan/icp.h"

namespace supple::scan {

/// Turns about `facing` that the bone's joint can make away from the base scan, as motions in the base scan: every
/// `step` degrees of flexion (the widest degree of freedom) by every two steps of the others; joints that slide twist
/// as well. Joints without freedom are tried a little to all sides.
std::vector<Affined> joint_turns(const ScanBone& bone, double step);

/// A rigid group found anywhere in another scan.
struct FoundGroup {
  Affined motion;
  double overlap = 0;
};
/// Tries where it lay in the base scan first, then all orientations about the middle of all bone. `base_centre`: the
/// middle of all bone in the base scan.
FoundGroup find_anywhere(const SurfaceSamples& group, const TargetSurface& target, Vec3d base_centre,
                         const IcpOptions& icp);

/// Bones that hardly move against each other, the largest such group: the carpus and two metacarpals.
/// Its first bone is the one nearest to the root.
std::vector<std::uint32_t> stiffest_group(std::span<const ScanBone> bones, std::span<const SurfaceSamples> samples);

}  // namespace supple::scan
