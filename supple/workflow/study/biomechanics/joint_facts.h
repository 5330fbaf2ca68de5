// Kinds of joints and anatomical angles as facts of a report.
#pragma once

#include "supple/files/json.h"
#include "supple/workflow/study/biomechanics/joint_analysis.h"

namespace supple::workflow {

/// "hinge", and every kind that was tried with what it leaves.
Json kinds_json(const scan::JointTypeChoice& joint);
/// Angles and slides of a joint in every scan, the base first; degrees and millimetres.
Json anatomical_json(const Chain& chain, const JointAnalysis& joints, std::size_t bone);
/// Where each bone's axes come from, and how well they are known.
Json bone_axes_json(const Chain& chain, const JointAnalysis& joints);

}  // namespace supple::workflow
