// What a study says about joints, as tables: kinds with the comparison, axes, angles of scans and clips, coordinates of
// the models.
#pragma once

#include "supple/workflow/study/biomechanics/hand_model.h"

namespace supple::workflow {

/// A row for each kind that was tried of each joint.
std::string joint_types_csv(const Chain& chain, std::span<const scan::JointTypeChoice> types);
/// Axes of bones in the base scan, millimetres, and of joints.
std::string bone_axes_csv(const Chain& chain, std::span<const scan::BoneFrame> frames);
std::string joint_axes_csv(const Chain& chain, std::span<const scan::JointTypeChoice> types);
/// Angles of every joint in every scan, degrees and millimetres, each with its standard deviation.
std::string scan_angles_csv(const Chain& chain, std::span<const scan::BoneFrame> frames);
/// The same for clips of a character that was built from the study, `rate` times a second; the deviations are of the
/// bones' axes alone. The error names bones that the character does not have.
Result<std::string> clip_angles_csv(const Chain& chain, std::span<const scan::BoneFrame> frames,
                                    const Character& character, double rate);
/// Coordinates of the models in every scan: radians and metres.
std::string coordinates_csv(const Chain& chain, const HandModel& model);

/// Random poses within limits, and where bodies and landmarks go in them, model space: for whoever wants to check that
/// another program moves the models alike.
struct ReferencePoses {
  std::string coordinates, positions;  // CSV
};
ReferencePoses reference_poses(const HandModel& model, std::size_t count, std::uint64_t seed);

}  // namespace supple::workflow
