#include "supple/workflow/study/biomechanics/joint_analysis.h"

namespace supple::workflow {

JointAnalysis analyse_joints(const Chain& chain) {
  std::vector<scan::Alignment> training;
  for (std::size_t s = 1; s < chain.scans.size(); ++s)
    if (chain.scans[s].entry->role == Role::train) training.push_back(chain.scans[s].alignment);
  std::vector<Vec3d> centres;
  for (const scan::JointEstimate& joint : chain.joints) centres.push_back(joint.centre);
  return {scan::choose_joint_types(chain.bones, training, centres),
          scan::bone_frames(chain.bones, chain.project.right)};
}

scan::AnatomicalAngles angles_in(const Chain& chain, const JointAnalysis& joints, std::size_t scan, std::size_t bone) {
  scan::JointMotion motion;
  if (scan > 0) motion = scan::joint_motion(chain.bones, chain.scans[scan].alignment, bone);
  return scan::anatomical_angles(scan::joint_frames(chain.bones, joints.frames, bone), motion,
                                 chain.joints[bone].centre, chain.project.right);
}

}  // namespace supple::workflow
