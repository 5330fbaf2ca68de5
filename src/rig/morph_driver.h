// Morph weights that follow the joints: radial basis functions about settings of one joint, or of a pair of joints.
// With morph targets that are principal displacements of examples, this is EigenSkin (Kry, James, Pai 2002, eq. 2 and
// 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/quat.h"
#include "supple/rig/skeleton.h"

namespace supple {

enum class RbfKernel : std::uint8_t {
  exponential,  // exp(-r / radius)
  gaussian,     // exp(-(r / radius)^2)
  linear,       // r
  cubic,        // r^3, with a polynomial of degree one in the rotation vectors
};

/// A setting is, for each joint of the driver, the rotation reference^-1 * local: how far the joint has left the pose
/// the driver was made in. Weights are rest_weights + sum over rows of basis(setting) * coefficients; in the reference
/// pose they are rest_weights exactly.
struct MorphDriver {
  std::string name;                // for people: the joints, mostly
  std::vector<JointIndex> joints;  // one or two
  std::vector<Quatf> reference;    // #joints, unit
  RbfKernel kernel = RbfKernel::exponential;
  float radius = 1;  // radians, > 0
  /// Distance r between settings: root of the joints' squares, each the angle between its two rotations. Where a twist
  /// axis is given (a unit vector in the rest frame, per joint), rotations are taken apart into a twist about it and a
  /// swing after it, and r^2 = swing^2 + (twist_weight * twist)^2.
  std::vector<Vec3f> twist_axes;  // #joints, or empty
  float twist_weight = 1;
  std::vector<Quatf> centres;        // #centres * #joints
  std::vector<double> coefficients;  // rows() * targets(), row by row. Double: those of nearly flat kernels cancel
  std::uint32_t first_weight = 0;    // of the driven ones, which lie together in Pose::morph_weights
  std::vector<float> rest_weights;   // #targets

  std::size_t targets() const { return rest_weights.size(); }
  std::size_t centre_count() const { return joints.empty() ? 0 : centres.size() / joints.size(); }
  /// Basis functions: one per centre, and for the cubic kernel a constant and three more per joint.
  std::size_t rows() const { return centre_count() + (kernel == RbfKernel::cubic ? 1 + 3 * joints.size() : 0); }
  friend bool operator==(const MorphDriver&, const MorphDriver&) = default;
};

/// Sizes, ranges, finite values, unit rotations. The error says what is wrong; the caller says with which driver.
Result<void> validate(const MorphDriver& driver, std::size_t joint_count, std::size_t morph_weight_count);

}  // namespace supple
