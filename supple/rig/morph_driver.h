// Morph weights that follow the joints: basis functions about settings of one joint, or of many together. With morph
// targets that are principal displacements of examples, those of one joint are EigenSkin (Kry, James, Pai 2002, eq. 2
// and 6); those of many know poses in which several joints act together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/quat.h"
#include "supple/rig/deformer_kind.h"
#include "supple/rig/skeleton.h"

namespace supple {

enum class RbfKernel : std::uint8_t {
  exponential,  // exp(-r / radius)
  gaussian,     // exp(-(r / radius)^2)
  linear,       // r
  cubic,        // r^3, with a polynomial of degree one in the rotation vectors
  pose,         // a sum over joints and over pairs of joints: see MorphDriver::pairs
};

/// A setting is, for each joint of the driver, the rotation reference^-1 * local: how far the joint has left the pose
/// the driver was made in. Weights are rest_weights + sum over rows of basis(setting) * coefficients, clamped
/// into [least, most]; in the reference pose they are rest_weights exactly.
struct MorphDriver {
  static constexpr std::size_t most_joints = 128;

  std::string name;                // for people: the joints, mostly
  std::vector<JointIndex> joints;  // 1 to most_joints, each once
  std::vector<Quatf> reference;    // #joints, unit
  RbfKernel kernel = RbfKernel::exponential;
  float radius = 1;  // radians, > 0; not of the pose kernel
  /// Distance r between settings: root of the joints' squares, each the angle between its two rotations. Where a twist
  /// axis is given (a unit vector in the rest frame, per joint), rotations are taken apart into a twist about it and a
  /// swing after it, and r^2 = swing^2 + (twist_weight * twist)^2.
  std::vector<Vec3f> twist_axes;  // #joints, or empty
  float twist_weight = 1;
  /// The pose kernel: sum over joints k of kappa_k + pair_weight * sum over pairs (a, b) of kappa_a kappa_b, where
  ///   kappa_k(s, c) = g(s_k, c_k) - g(s_k, 1) g(1, c_k),   g(a, b) = exp(-chord(a, b)^2 / (2 radii_k^2)),
  /// and chord is 2 sin(angle / 2). A Gaussian field conditioned on being 0 at rest: a joint at rest adds nothing, and
  /// a joint far from all centres adds nothing either.
  std::vector<float> radii;                         // #joints, > 0
  std::vector<std::array<std::uint32_t, 2>> pairs;  // places in `joints`
  float pair_weight = 0;
  std::vector<Quatf> centres;        // #centres * #joints
  std::vector<double> coefficients;  // rows() * targets(), row by row. Double: those of nearly flat kernels cancel;
                                     // in files those of the pose kernel, which has a ridge, are single
  std::uint32_t first_weight = 0;    // of the driven ones, which lie together in Pose::morph_weights
  std::vector<float> rest_weights;   // #targets
  /// Every weight is clamped into [least, most], so that a pose far outside of training does not show more than the
  /// training poses did. #targets each, around the rest weight; an empty list sets no limit.
  std::vector<float> least, most;

  std::size_t targets() const { return rest_weights.size(); }
  std::size_t centre_count() const { return joints.empty() ? 0 : centres.size() / joints.size(); }
  /// Basis functions: one per centre, and for the cubic kernel a constant and three more per joint.
  std::size_t rows() const { return centre_count() + (kernel == RbfKernel::cubic ? 1 + 3 * joints.size() : 0); }
  bool is_limited() const { return !least.empty() || !most.empty(); }
  /// The weight of a target within its limits.
  float limited(std::size_t target, float weight) const {
    if (!least.empty()) weight = std::max(weight, least[target]);
    if (!most.empty()) weight = std::min(weight, most[target]);
    return weight;
  }
  friend bool operator==(const MorphDriver&, const MorphDriver&) = default;
};

/// Sizes, ranges, finite values, unit rotations. The error says what is wrong; the caller says with which driver.
Result<void> validate(const MorphDriver& driver, std::size_t joint_count, std::size_t morph_weight_count);

/// What DeformerKind::describe says of them.
void describe_drivers(Fields& fields, Character& character);

extern const DeformerKind driver_kind;

}  // namespace supple
