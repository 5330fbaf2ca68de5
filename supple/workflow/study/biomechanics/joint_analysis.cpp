#include "supple/workflow/study/biomechanics/joint_analysis.h"

namespace supple::workflow {

JointAnalysis analyse_joints(const Chain& chain) { return {chain.kinds, chain.frames}; }

scan::AnatomicalAngles angles_in(const Chain& chain, const JointAnalysis& joints, std::size_t scan, std::size_t bone) {
  scan::JointMotion motion;
  if (scan > 0) motion = scan::joint_motion(chain.bones, chain.scans[scan].alignment, bone);
  return scan::anatomical_angles(scan::joint_frames(chain.bones, joints.frames, bone), motion,
                                 chain.joints[bone].centre, chain.project.right);
}

}  // namespace supple::workflow
