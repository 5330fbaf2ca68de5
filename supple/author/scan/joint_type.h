// What kind of joint the scans show: none, hinge, universal, ball or one that slides, told by what each leaves of the
// measured motions, in units of their noise.
#pragma once

#include <span>

#include "supple/author/scan/joint_motions.h"

namespace supple::scan {

/// In the order of their freedom.
enum class JointType : std::uint8_t { fixed, hinge, universal, ball, free };
const char* name_of(JointType type);  // "6 DOF" for free

/// One kind, fitted to all motions of a joint.
struct JointModel {
  JointType type = JointType::fixed;
  Vec3d centre{};              // base scan, metres
  std::vector<Vec3d> axes;     // unit, base scan; hinge: one; universal: two, perpendicular; else none
  std::size_t parameters = 0;  // of the joint, and degrees of freedom of every scan
  std::size_t numbers = 0;     // measured: six a scan
  double chi_square = 0;       // what is left, in units of the noise that the alignments state
  double bic = 0;              // chi_square / scale^2 + parameters * log(numbers)
  double turn_left = 0;        // radians, root mean square of the rotation that it does not explain
  double shift_left = 0;       // metres, the same at the joint
};

struct JointTypeChoice {
  std::vector<JointModel> tried;  // by JointType; none where no scan shows the joint
  std::size_t chosen = 0;
  double scale = 1;  // of all noise, see choose_joint_types()
  const JointModel* model() const { return tried.empty() ? nullptr : &tried[chosen]; }
};

/// One for each bone, nothing for the root. Chosen is the least free kind; a freer one must have a BIC that is smaller
/// by
/// 10. `centres`: where joints are thought to be, one per bone. Alignments do not
/// know what a sample of a volume does to a surface: their noise is taken times the scale at which universal joints
/// explain half of all joints as well as they should, never less than 1.
std::vector<JointTypeChoice> choose_joint_types(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                                std::span<const Vec3d> centres);

/// The motion of a joint of that kind: rotations about its axes, one after the other, through its centre. Hinge and
/// universal joints take an angle for each axis (radians); ball joints a rotation vector, and `free` a shift (metres)
/// after it.
Affined motion_of(const JointModel& model, std::span<const double> coordinates);

}  // namespace supple::scan
