// The pose kernel against functions it can represent, and against refits without the examples it says it left out.
#include "supple/author/learn/pose_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/rng.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

/// A root with two fingers of two joints each, and a joint that never moves between root and second finger.
Skeleton two_fingers() {
  const std::vector<RawJoint> joints{{"root", std::nullopt, {}, {}}, {"a1", 0, {}, {}}, {"a2", 1, {}, {}},
                                     {"still", 0, {}, {}},           {"b1", 3, {}, {}}, {"b2", 4, {}, {}}};
  return build_skeleton(joints).value().skeleton;
}

const std::vector<JointIndex> moving{1, 2, 4, 5};

/// Joint by joint, and what two of them do together.
std::array<double, 2> wanted(std::span<const float> angles) {
  double sum = 0;
  for (const float a : angles) sum += std::sin(double{a}) + 0.3 * double{a} * double{a};
  return {sum, double{angles[0]} * double{angles[1]} - 0.5 * double{angles[2]}};
}

struct Poses {
  PoseSamples samples;
  DenseMatrix coordinates;
};

Poses poses_at(const std::vector<std::array<float, 4>>& angles) {
  Poses result;
  result.samples.joints = moving;
  result.coordinates = DenseMatrix(angles.size(), 2);
  for (std::size_t s = 0; s < angles.size(); ++s) {
    for (const float a : angles[s]) result.samples.settings.push_back(from_axis_angle(Vec3f{1, 0, 0}, a));
    result.samples.weights.push_back(1);
    const auto y = wanted(angles[s]);
    result.coordinates(s, 0) = y[0];
    result.coordinates(s, 1) = y[1];
  }
  return result;
}

/// Each joint alone, and random poses of all.
std::vector<std::array<float, 4>> angles_of(std::size_t together, std::uint64_t seed, bool alone = true) {
  std::vector<std::array<float, 4>> result;
  for (std::size_t k = 0; alone && k < 4; ++k)
    for (const float a : {-1.2f, -0.8f, -0.4f, 0.4f, 0.8f, 1.2f}) {
      result.emplace_back();
      result.back()[k] = a;
    }
  Rng rng(seed);
  for (std::size_t i = 0; i < together; ++i) {
    result.emplace_back();
    for (float& a : result.back()) a = static_cast<float>(rng.uniform(-1.2, 1.2));
  }
  return result;
}

double error_of(const MorphDriver& driver, const Poses& poses) {
  double missed = 0, all = 0;
  std::vector<Transformf> local(6);
  std::vector<float> weights(2);
  for (std::size_t s = 0; s < poses.samples.size(); ++s) {
    for (std::size_t k = 0; k < 4; ++k) local[moving[k]].rotation = poses.samples.of(s)[k];
    drive(std::span(&driver, 1), local, weights);
    for (std::size_t m = 0; m < 2; ++m) {
      missed += std::pow(double{weights[m]} - poses.coordinates(s, m), 2);
      all += std::pow(poses.coordinates(s, m), 2);
    }
  }
  return std::sqrt(missed / all);
}

TEST(PoseKernel, LearnsWhatJointsDoAloneAndTogether) {
  const Skeleton skeleton = two_fingers();
  const Poses unseen = poses_at(angles_of(60, 99, false));
  double before = 1;
  for (const std::size_t together : {0u, 10u, 40u, 160u}) {
    const Poses poses = poses_at(angles_of(together, 1));
    const PoseKernel kernel = PoseKernel::fit(skeleton, poses.samples, poses.coordinates);
    const MorphDriver driver = kernel.driver(poses.coordinates);
    ASSERT_TRUE(validate(driver, 6, 2).ok()) << validate(driver, 6, 2).error().problem;
    const double error = error_of(driver, unseen);
    EXPECT_LT(error, before) << together;  // more examples never hurt
    before = error;
    if (together > 0) {
      // What it says of itself is about what it does: examples alone are easier than unseen poses of all joints.
      EXPECT_LT(kernel.left_out(), 2 * error + 0.01);
    }
  }
  EXPECT_LT(before, 0.02);
}

TEST(PoseKernel, PosesOfManyJointsAreEnough) {
  const Poses poses = poses_at(angles_of(120, 3, false));
  const PoseKernel kernel = PoseKernel::fit(two_fingers(), poses.samples, poses.coordinates);
  EXPECT_LT(error_of(kernel.driver(poses.coordinates), poses_at(angles_of(60, 98, false))), 0.05);
}

TEST(PoseKernel, RestIsExactAndFarFromExamplesNothingIsAdded) {
  const Poses poses = poses_at(angles_of(20, 4));
  PoseKernelOptions options;
  options.choice = PoseKernelChoice{0.5, 0.1, 1e-5, 1e-4};
  const MorphDriver driver =
      PoseKernel::fit(two_fingers(), poses.samples, poses.coordinates, options).driver(poses.coordinates);
  const std::vector<Transformf> rest(6);
  std::vector<float> weights(2, 7.0f);
  drive(std::span(&driver, 1), rest, weights);
  EXPECT_EQ(weights, (std::vector<float>{0, 0}));
  std::vector<Transformf> far(6);
  for (const JointIndex j : moving) far[j].rotation = from_axis_angle(Vec3f{0, 0, 1}, 3.1f);
  drive(std::span(&driver, 1), far, weights);
  for (const float w : weights) EXPECT_LT(std::abs(w), 0.1f);  // coordinates are about 1
}

/// By training again without them. The centres stay all, so the kernel must be the same.
void check_left_out(const Poses& poses, std::span<const std::size_t> block) {
  PoseKernelOptions options;
  options.choice = PoseKernelChoice{0.7, 0.3, 1e-3, 1e-3};
  const Skeleton skeleton = two_fingers();
  const PoseKernel all = PoseKernel::fit(skeleton, poses.samples, poses.coordinates, options);
  Poses fewer = poses;
  for (const std::size_t s : block) fewer.samples.weights[s] = 1e-12;  // as good as not there
  const MorphDriver driver =
      PoseKernel::fit(skeleton, fewer.samples, fewer.coordinates, options).driver(fewer.coordinates);
  std::vector<Transformf> local(6);
  std::vector<float> weights(2);
  for (const std::size_t s : block) {
    for (std::size_t k = 0; k < 4; ++k) local[moving[k]].rotation = poses.samples.of(s)[k];
    drive(std::span(&driver, 1), local, weights);
    for (std::size_t m = 0; m < 2; ++m)
      EXPECT_NEAR(all.missed()(s, m), poses.coordinates(s, m) - double{weights[m]}, 1e-4) << s;
  }
}

TEST(PoseKernel, WhatItMissesIsWhatARefitMisses) {
  const Poses poses = poses_at(angles_of(20, 5));
  for (const std::size_t s : {0u, 7u, 24u, 43u}) check_left_out(poses, std::span(&s, 1));
}

TEST(PoseKernel, RepeatedPosesAreLeftOutTogetherAndDoNoHarm) {
  std::vector<std::array<float, 4>> angles = angles_of(12, 6);
  angles.push_back(angles[30]);
  angles.back()[1] += 0.01f;  // half a degree: a slow start of a clip
  angles.push_back(angles[30]);
  const Poses poses = poses_at(angles);
  const std::size_t block[]{30, 36, 37};
  check_left_out(poses, block);
  const Poses unseen = poses_at(angles_of(40, 97, false)), once = poses_at(angles_of(12, 6));
  const auto error = [&](const Poses& p) {
    return error_of(PoseKernel::fit(two_fingers(), p.samples, p.coordinates).driver(p.coordinates), unseen);
  };
  EXPECT_LT(error(poses), 1.1 * error(once));
}

TEST(PoseKernel, WhatTouchesItselfDoesNotBlurWhatDoesNot) {
  // Where the first joint is far bent, something jumps that no smooth function has.
  const auto angles = angles_of(120, 5);
  Poses poses = poses_at(angles);
  Rng rng(8);
  for (std::size_t s = 0; s < angles.size(); ++s) {
    poses.samples.touching.push_back(angles[s][0] > 0.7f);
    if (poses.samples.touches(s)) poses.coordinates(s, 0) += rng.uniform(-1, 1);
  }
  auto free = angles_of(120, 99, false);
  std::erase_if(free, [](const auto& a) { return a[0] > 0.7f; });
  const Poses unseen = poses_at(free);
  const Skeleton skeleton = two_fingers();
  const PoseKernel told = PoseKernel::fit(skeleton, poses.samples, poses.coordinates);
  EXPECT_GT(told.choice().touch_noise, 0);
  EXPECT_GT(told.noise(2, true), told.noise(2));
  poses.samples.touching.clear();
  const PoseKernel untold = PoseKernel::fit(skeleton, poses.samples, poses.coordinates);
  EXPECT_EQ(untold.choice().touch_noise, 0);
  EXPECT_LT(2 * error_of(told.driver(poses.coordinates), unseen), error_of(untold.driver(poses.coordinates), unseen));
}

TEST(PoseKernel, NearJointsArePairedAcrossStillOnes) {
  // A chain of four with a joint that never moves in it, and another chain beside it.
  const std::vector<RawJoint> joints{{"root", std::nullopt, {}, {}},
                                     {"a1", 0, {}, {}},
                                     {"still", 1, {}, {}},
                                     {"a2", 2, {}, {}},
                                     {"a3", 3, {}, {}},
                                     {"a4", 4, {}, {}},
                                     {"b1", 0, {}, {}},
                                     {"b2", 6, {}, {}}};
  const Skeleton skeleton = build_skeleton(joints).value().skeleton;
  std::vector<JointIndex> all;
  for (const char* name : {"a1", "a2", "a3", "a4", "b1", "b2"}) all.push_back(*skeleton.find(name));
  const auto pairs = near_pairs(skeleton, all);
  const auto near = [&](const char* a, const char* b) {
    const auto place = [&](const char* n) {
      return static_cast<std::uint32_t>(std::find(all.begin(), all.end(), *skeleton.find(n)) - all.begin());
    };
    return std::find(pairs.begin(), pairs.end(), std::array{place(a), place(b)}) != pairs.end();
  };
  EXPECT_TRUE(near("a1", "a2"));
  EXPECT_TRUE(near("a1", "a3"));
  EXPECT_FALSE(near("a1", "a4"));
  EXPECT_TRUE(near("a1", "b1"));  // siblings
  EXPECT_TRUE(near("a2", "b2"));  // cousins, although a joint that never moves lies above one of them
  EXPECT_TRUE(near("a2", "b1"));  // uncle
  EXPECT_FALSE(near("a3", "b1"));
}

}  // namespace
}  // namespace supple::learn
