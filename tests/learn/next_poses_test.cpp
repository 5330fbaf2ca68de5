// Examples chosen where they matter: against posterior variances found by solving anew, and against chance.
#include "supple/author/learn/next_poses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "supple/base/rng.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

const std::vector<JointIndex> arm{1, 2, 3};

Skeleton chain_of_three() {
  const std::vector<RawJoint> joints{
      {"root", std::nullopt, {}, {}}, {"a", 0, {}, {}}, {"b", 1, {}, {}}, {"c", 2, {}, {}}};
  return build_skeleton(joints).value().skeleton;
}

using Angles = std::vector<std::array<float, 3>>;

PoseSamples samples_at(const Angles& angles) {
  PoseSamples result;
  result.joints = arm;
  for (const auto& of : angles) {
    for (const float a : of) result.settings.push_back(from_axis_angle(Vec3f{1, 0, 0}, a));
    result.weights.push_back(1);
  }
  return result;
}

/// What the first two joints do together is large, what the others do is small.
DenseMatrix coordinates_at(const Angles& angles) {
  DenseMatrix y(angles.size(), 1);
  for (std::size_t s = 0; s < angles.size(); ++s) {
    const auto [a, b, c] = angles[s];
    y(s, 0) = 2 * std::sin(2 * double{a} * double{b}) + 0.2 * double{b} + 0.02 * std::sin(double{c});
  }
  return y;
}

Angles at_random(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Angles result(count);
  for (auto& of : result)
    for (float& a : of) a = static_cast<float>(rng.uniform(-1.2, 1.2));
  return result;
}

Angles alone() {
  Angles result;
  for (std::size_t k = 0; k < 3; ++k)
    for (const float a : {-1.2f, -0.6f, 0.6f, 1.2f}) {
      result.emplace_back();
      result.back()[k] = a;
    }
  return result;
}

double error_of(const Angles& learnt, const Angles& unseen) {
  const DenseMatrix y = coordinates_at(learnt), wanted = coordinates_at(unseen);
  const PoseSamples samples = samples_at(unseen);
  const MorphDriver driver = PoseKernel::fit(chain_of_three(), samples_at(learnt), y).driver(y);
  std::vector<Transformf> local(4);
  std::vector<float> weight(1);
  double missed = 0, all = 0;
  for (std::size_t s = 0; s < unseen.size(); ++s) {
    for (std::size_t k = 0; k < 3; ++k) local[arm[k]].rotation = samples.of(s)[k];
    drive(std::span(&driver, 1), local, weight);
    missed += std::pow(double{weight[0]} - wanted(s, 0), 2);
    all += std::pow(wanted(s, 0), 2);
  }
  return std::sqrt(missed / all);
}

/// Variance left at a pose once others are known, by solving for it.
double variance_left(const PoseKernel& kernel, const PoseSamples& known, std::span<const Quatf> pose) {
  PoseSamples all = known;
  all.add(pose, 1);
  const DenseMatrix k = kernel.covariance(all);
  const std::size_t n = known.size();
  DenseMatrix a(n, n), b(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a(i, j) = k(i, j);
    a(i, i) += kernel.noise(turned_joints(known)[i].size());
    b(i, 0) = k(i, n);
  }
  const DenseMatrix x = solve(a, b).value();
  double variance = k(n, n);
  for (std::size_t i = 0; i < n; ++i) variance -= k(n, i) * x(i, 0);
  return variance;
}

TEST(NextPoses, TheFirstTakesMostVarianceAway) {
  // All examples are missed alike, so that variance alone decides: equal amplitudes by symmetry of the two joints.
  const Angles few{{1, 0, 0}, {-1, 0, 0}};
  DenseMatrix y(2, 1);
  y(0, 0) = 1;
  y(1, 0) = -1;
  PoseKernelOptions options;
  options.choice = PoseKernelChoice{0.7, 0.3, 1e-3, 1e-3};
  const PoseSamples known = samples_at(few);
  const PoseKernel kernel = PoseKernel::fit(chain_of_three(), known, y, options);
  const PoseSamples candidates = samples_at(at_random(12, 7));
  const std::vector<std::size_t> chosen = next_poses(kernel, known, candidates, 1);
  ASSERT_EQ(chosen.size(), 1u);
  std::vector<double> left;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    PoseSamples with = known;
    with.add(candidates.of(c), 1);
    double sum = 0;
    for (std::size_t t = 0; t < candidates.size(); ++t) sum += variance_left(kernel, with, candidates.of(t));
    left.push_back(sum);
  }
  EXPECT_EQ(chosen[0], static_cast<std::size_t>(std::min_element(left.begin(), left.end()) - left.begin()));
}

TEST(NextPoses, TeachMoreThanChance) {
  const Angles pool = at_random(300, 1), unseen = at_random(200, 2);
  double by_chance = 0, by_choice = 0;
  for (const std::uint64_t seed : {11u, 12u, 13u, 14u}) {
    Angles random = alone(), chosen = alone();
    const Angles more = at_random(32, seed);
    chosen.insert(chosen.end(), more.begin(), more.begin() + 8);  // some that tell what joints do together
    random.insert(random.end(), more.begin(), more.end());
    Angles from = pool;
    Rng rng(seed);
    for (std::size_t k = from.size(); k > 1; --k) std::swap(from[k - 1], from[rng.below(static_cast<unsigned>(k))]);
    from.resize(150);
    for (int batch = 0; batch < 4; ++batch) {
      const PoseSamples known = samples_at(chosen);
      const PoseKernel kernel = PoseKernel::fit(chain_of_three(), known, coordinates_at(chosen));
      for (const std::size_t c : next_poses(kernel, known, samples_at(from), 6)) chosen.push_back(from[c]);
    }
    by_chance += error_of(random, unseen) / 4;
    by_choice += error_of(chosen, unseen) / 4;
  }
  EXPECT_LT(by_choice, by_chance);
}

TEST(NextPoses, WhatIsUsedCountsAndNothingIsChosenTwice) {
  const Angles learnt = alone();
  const PoseSamples known = samples_at(learnt);
  const PoseKernel kernel = PoseKernel::fit(chain_of_three(), known, coordinates_at(learnt));
  const Angles poses = at_random(60, 5);
  PoseSamples candidates = samples_at(poses);
  const std::vector<std::size_t> all = next_poses(kernel, known, candidates, 100);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 60u);
  EXPECT_EQ(all, next_poses(kernel, known, candidates, 100));
  // Poses that bend the first joint one way are used much more often than the others.
  const auto bent = [&](const std::vector<std::size_t>& chosen) {
    return std::count_if(chosen.begin(), chosen.end(), [&](std::size_t c) { return poses[c][0] > 0; });
  };
  const auto before = bent(next_poses(kernel, known, candidates, 12));
  for (std::size_t c = 0; c < poses.size(); ++c)
    if (poses[c][0] > 0) candidates.weights[c] = 1000;
  EXPECT_GT(bent(next_poses(kernel, known, candidates, 12)), before + 2);
}

}  // namespace
}  // namespace supple::learn
