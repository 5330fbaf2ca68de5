// The two ends of a metacarpal or phalanx, read off its surface.
#pragma once

#include "supple/author/scan/icp.h"
#include "supple/author/scan/naming.h"

namespace supple::scan {

/// Metacarpals and phalanges: those that have a base and a head.
bool is_long(const ScanBone& bone);
/// Along the bone from its head to its base, unit, as the template has it.
inline Vec3d towards_base(const ScanBone& bone) { return bone.axes.c2; }

struct BoneEnds {
  Vec3d base{}, head{};  // centres of the outermost 15 % and 20 % of its length
};
/// `y`: towards the base, about.
BoneEnds ends_of(const SurfaceSamples& samples, Vec3d y);

/// Six samples of the same surface: what they differ by is how well it shows something. Fewer where it has none.
std::vector<SurfaceSamples> repeated_samples(const ScanBone& bone);

}  // namespace supple::scan
