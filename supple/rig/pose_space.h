// Pose space deformation: example shapes, carried back to rest, mixed by how near the pose is to each example's (Lewis
// et al. 2000; Kurihara and Miyata 2004, eq. 6-16).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "supple/base/quat.h"
#include "supple/base/result.h"
#include "supple/rig/deformer_kind.h"
#include "supple/rig/skeleton.h"

namespace supple {

struct Character;

/// How much each joint counts in the distance between two poses, seen from one vertex (eq. 16).
enum class JointInfluence : std::uint8_t {
  equal,    // all alike, for every vertex: plain PSD (eq. 15); weights are one number per example
  weights,  // the vertex's skin weight of the joint: the paper's choice, which misses the joints next to rigid skin
  subtree,  // 4 s (1 - s) + floor, s the summed weight of the joint and all below it: largest where the skin bends
};

/// What they are called, in files and everywhere else.
inline constexpr std::array<std::pair<const char*, JointInfluence>, 3> joint_influences{
    {{"equal", JointInfluence::equal}, {"weights", JointInfluence::weights}, {"subtree", JointInfluence::subtree}}};

constexpr const char* name_of(JointInfluence influence) {
  for (const auto& [name, known] : joint_influences)
    if (known == influence) return name;
  return "";
}

/// Example 0 is the rest shape itself. Example i >= 1 has morph target first_weight + i - 1 of the part, whose offsets
/// are (sum_k w_k L_k)^-1 v_i - v_0 (eq. 6). Weights s_i(pose) interpolate (eq. 10), sum to one (eq. 11) and come from
/// f_i = sum_j c_ij phi(d(pose, pose_j)) by s_i = f_i / sum_j f_j (eq. 12-14), phi(r) = exp(-(r / radius)^1.5): rounder
/// at the examples than exp(-r), whose corners cost a tenth more error on hands. Distances are
/// d^2 = sum_k u_k theta_k^2, theta_k the angle between the rotations of joint k: the paper's Euler angles depend on
/// axes. Where sum_j f_j falls below a hundredth of the nearest example's phi, far from all of them, that stands for
/// it.
struct PoseSpace {
  static constexpr std::size_t max_examples = 64;  // coefficients of a vertex grow with the square
  static constexpr float least_sum = 0.01f;        // of f, in units of the nearest example's phi
  static constexpr double no_influence = 1e-6;     // what a joint counts below it is the rounding of skin weights: 0
  /// Plain PSD adds up the angles of all joints, a vertex those of the few it feels: distances are about this much
  /// longer, and so should the radius be.
  static constexpr float plain_radius_factor = 3;

  std::uint32_t part = 0;          // place in Character::parts
  std::uint32_t first_weight = 0;  // of the examples' targets in Pose::morph_weights
  JointInfluence influence = JointInfluence::subtree;
  float floor = 0.01f;  // added to every influence but `equal`, > 0: all examples stay distinct everywhere
  float radius = 5.2f;  // radians, > 0
  /// Added to phi of an example (not the rest shape) with itself before c is solved for, 0 to 1: examples that lie too
  /// near each other to be hit all share what they say instead. With 0 each is hit.
  float ridge = 0;
  std::vector<JointIndex> joints;  // that count
  std::vector<Quatf> reference;    // #joints: local rotations of example 0
  std::vector<Quatf> settings;     // #examples * #joints: reference^-1 * local of each example; example 0 is identity

  std::size_t examples() const { return joints.empty() ? 0 : settings.size() / joints.size(); }
  std::size_t targets() const { return examples() == 0 ? 0 : examples() - 1; }
  /// Whether a morph weight is one of the examples'.
  bool owns(std::size_t weight) const { return weight >= first_weight && weight - first_weight < targets(); }
  friend bool operator==(const PoseSpace&, const PoseSpace&) = default;
};

/// The same examples mixed alike for all vertices, as engines that only know morph weights can show them.
PoseSpace plain(const PoseSpace& space);

/// Sizes, ranges, unit rotations, a skinned part with the targets, no two examples in one pose. The error says what is
/// wrong; the caller says with what.
Result<void> validate(const PoseSpace& space, const Character& character);

/// What DeformerKind::describe says of it.
void describe_pose_space(Fields& fields, Character& character);

extern const DeformerKind pose_space_kind;

}  // namespace supple
