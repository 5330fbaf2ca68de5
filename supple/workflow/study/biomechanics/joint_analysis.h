// What the scans of a study say about its joints beyond their centres: kinds, and anatomical axes.
#pragma once

#include "supple/author/scan/bone_frames.h"
#include "supple/author/scan/joint_type.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

struct JointAnalysis {
  std::vector<scan::JointTypeChoice> types;  // one per bone
  std::vector<scan::BoneFrame> frames;
};

JointAnalysis analyse_joints(const Chain& chain);

/// The joint of `bone` in a scan, as it was found; the base's is at rest, without doubt.
scan::AnatomicalAngles angles_in(const Chain& chain, const JointAnalysis& joints, std::size_t scan, std::size_t bone);

}  // namespace supple::workflow
