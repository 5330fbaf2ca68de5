// The pose kernel between poses: how alike they are, joint by joint and pair by pair.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/author/learn/dense.h"
#include "supple/rig/pose.h"

namespace supple::learn {

/// Where examples are.
struct PoseSamples {
  std::vector<JointIndex> joints;  // that some example turns
  std::vector<Quatf> settings;     // #samples * #joints, relative to rest
  std::vector<double> weights;     // #samples, > 0
  std::vector<bool> touching{};    // #samples: flesh touches itself; empty where nothing is known of that

  std::size_t size() const { return weights.size(); }
  bool touches(std::size_t sample) const { return sample < touching.size() && touching[sample]; }
  std::span<const Quatf> of(std::size_t sample) const {
    return std::span(settings).subspan(sample * joints.size(), joints.size());
  }
  void add(std::span<const Quatf> setting, double weight);
  /// What these joints do in a pose.
  void add(const Skeleton& skeleton, const Pose& pose, double weight);
};

/// Twice the sine of half the angle between two rotations.
double chord(Quatf a, Quatf b);

/// Which of the joints each sample turns.
std::vector<std::vector<std::uint32_t>> turned_joints(const PoseSamples& samples);

/// The kernel between all samples: the sum over joints, and that over pairs of joints. #samples square, symmetric.
struct PoseCovariance {
  DenseMatrix joints, pairs;

  DenseMatrix sum(double pair_weight) const;
};
/// `radii`: of the joints, in chords. `pairs`: places among the joints.
PoseCovariance pose_covariance(const PoseSamples& samples, std::span<const std::array<std::uint32_t, 2>> pairs,
                               std::span<const float> radii);

}  // namespace supple::learn
