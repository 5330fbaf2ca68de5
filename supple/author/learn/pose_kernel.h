// Coordinates of modes as functions of all joints: an additive kernel with products of near joints (MorphDriver, kernel
// pose), solved in closed form. How far it reaches, how much pairs count and how near it passes by the examples are
// what predicts examples left out best, and that too is a closed form.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "supple/author/learn/pose_covariance.h"
#include "supple/rig/morph_driver.h"

namespace supple::learn {

/// What is chosen by leaving examples out.
struct PoseKernelChoice {
  double reach = 1.4;         // radius of the kernel in chords from rest to the farthest example, joint by joint
  double pair_weight = 0.1;   // of products of two joints
  double noise = 1e-5;        // variance of an example about the kernel's function, whose own is about 1 per joint
  double joint_noise = 1e-4;  // more of it for every joint that moves besides the first: what pairs do not explain
  double touch_noise = 0;     // more of it where flesh touches itself: contact begins at once, a kernel is smooth
};

struct PoseKernelOptions {
  std::size_t most_centres = 512;
  bool pairs = true;
  std::optional<PoseKernelChoice> choice;  // instead of the best one
};

/// A kernel on its centres, ready to take coordinates.
class PoseKernel {
 public:
  /// Reference rotations are the rest pose's. `coordinates`: #samples by some, in a metric of energy.
  static PoseKernel fit(const Skeleton& skeleton, const PoseSamples& samples, const DenseMatrix& coordinates,
                        const PoseKernelOptions& options = {});

  const PoseKernelChoice& choice() const { return choice_; }
  /// Root of the share of the coordinates' energy that is missed when examples are predicted from the others. Examples
  /// in almost the same pose are left out together.
  double left_out() const { return left_out_; }
  /// What was missed: #samples by #coordinates.
  const DenseMatrix& missed() const { return missed_; }
  /// How uncertain a sample that turns so many joints is about the kernel's function, as a variance.
  double noise(std::size_t turned_joints, bool touching = false) const;
  /// The kernel between any samples of the same joints.
  DenseMatrix covariance(const PoseSamples& samples) const;
  /// The driver of any coordinates of the same samples: its centres are those samples that are needed.
  MorphDriver driver(const DenseMatrix& coordinates) const;

 private:
  PoseKernelChoice choice_;
  double left_out_ = 1;
  DenseMatrix missed_;
  MorphDriver empty_;    // with its centres, without targets
  DenseMatrix to_rows_;  // #centres by #samples: coordinates of the samples to coefficients of the centres
};

/// Pairs of joints that act on the same flesh: those whose lines meet within two generations in the tree of `joints`
/// (parents, grandparents, siblings, cousins, uncles).
std::vector<std::array<std::uint32_t, 2>> near_pairs(const Skeleton& skeleton, std::span<const JointIndex> joints);

}  // namespace supple::learn
