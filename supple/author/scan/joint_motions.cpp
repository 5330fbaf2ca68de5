#include "supple/author/scan/joint_motions.h"

namespace supple::scan {

JointMotion joint_motion(std::span<const ScanBone> bones, const Alignment& scan, std::size_t bone) {
  const BoneFit &own = scan.bones[bone], &parent = scan.bones[bones[bone].parent];
  const Affined back = inverse(parent.motion);
  const Vec3d there = parent.motion.point(bones[bone].facing);
  const MotionCovariance both = about_point(own.covariance, there) + about_point(parent.covariance, there);
  return {back * own.motion, carried(both, back), 0};
}

std::vector<JointMotion> joint_motions(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                       std::size_t bone) {
  std::vector<JointMotion> result;
  if (bones[bone].parent == TemplateBone::none) return result;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    if (!scans[s].bones[bone].found || !scans[s].bones[bones[bone].parent].found) continue;
    result.push_back(joint_motion(bones, scans[s], bone));
    result.back().scan = s;
  }
  return result;
}

}  // namespace supple::scan
