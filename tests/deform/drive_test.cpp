// Drivers at settings whose distances are known in closed form.
#include "supple/deform/drive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/rng.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/skin.h"
#include "support/example_sets.h"

namespace supple {
namespace {

Quatf about(Vec3f axis, float angle) { return from_axis_angle(normalized(axis), angle); }

MorphDriver one_joint() {
  MorphDriver d;
  d.name = "elbow";
  d.joints = {1};
  d.reference = {normalized(Quatf{0.1f, 0.2f, -0.3f, 0.9f})};
  d.radius = 0.5f;
  d.centres = {Quatf{}, about({1, 0, 0}, 0.8f)};
  d.coefficients = {2, -1, 3, 0.5};  // two centres by two targets
  d.rest_weights = {0.25f, 0};
  return d;
}

std::vector<float> driven(const MorphDriver& d, std::span<const Quatf> settings) {
  std::vector<Transformf> local(3);
  for (std::size_t k = 0; k < d.joints.size(); ++k) local[d.joints[k]].rotation = d.reference[k] * settings[k];
  std::vector<float> weights(d.targets(), 9.0f);
  drive(std::span(&d, 1), local, weights);
  return weights;
}

TEST(Drive, IsTheSumOfItsBasis) {
  MorphDriver d = one_joint();
  ASSERT_TRUE(validate(d, 3, 2).ok());
  const Quatf at = about({1, 0, 0}, 0.3f);
  const std::pair<RbfKernel, std::array<double, 2>> kernels[]{
      {RbfKernel::exponential, {std::exp(-0.6), std::exp(-1.0)}},
      {RbfKernel::gaussian, {std::exp(-0.36), std::exp(-1.0)}},
      {RbfKernel::linear, {0.3, 0.5}}};
  for (const auto& [kernel, basis] : kernels) {
    d.kernel = kernel;
    const auto weights = driven(d, std::span(&at, 1));
    EXPECT_NEAR(weights[0], 0.25 + 2 * basis[0] + 3 * basis[1], 1e-6);
    EXPECT_NEAR(weights[1], -1 * basis[0] + 0.5 * basis[1], 1e-6);
  }
  d.kernel = RbfKernel::cubic;  // r^3, 1, and the rotation vector
  d.coefficients = {2, 0, 3, 0, 10, 0, 100, 0, 1000, 0, 1000, 0};
  ASSERT_TRUE(validate(d, 3, 2).ok());
  EXPECT_NEAR(driven(d, std::span(&at, 1))[0], 0.25 + 2 * 0.027 + 3 * 0.125 + 10 + 30, 1e-4);
}

/// Joints 0 to 2, of which the first two act together.
MorphDriver several_joints(std::size_t centres, std::size_t targets) {
  MorphDriver d;
  d.joints = {0, 1, 2};
  d.reference = {Quatf{}, normalized(Quatf{0.1f, 0.2f, -0.3f, 0.9f}), Quatf{}};
  d.kernel = RbfKernel::pose;
  d.radii = {0.5f, 1.5f, 1};
  d.pairs = {{0, 1}};
  d.pair_weight = 0.25f;
  for (std::size_t c = 0; c < centres; ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto angle = static_cast<float>((c * 7 + k * 3) % 5);  // some of them 0: at rest
      d.centres.push_back(about({1, static_cast<float>(c % 3), static_cast<float>(k)}, 0.3f * angle));
    }
  for (std::size_t i = 0; i < centres * targets; ++i) d.coefficients.push_back(0.1 * static_cast<double>(i % 11) - 0.5);
  d.rest_weights.assign(targets, 0.25f);
  return d;
}

TEST(Drive, PoseKernelIsASumOverJointsAndPairs) {
  MorphDriver d = several_joints(0, 1);
  d.centres = {about({1, 0, 0}, 0.8f), about({0, 1, 0}, -0.6f), Quatf{}};
  d.coefficients = {2};
  ASSERT_TRUE(validate(d, 3, 1).ok());
  const auto g = [](double angle, double radius) {
    const double chord = 2 * std::sin(angle / 2);
    return std::exp(-chord * chord / (2 * radius * radius));
  };
  const auto kappa = [&](double s, double c, double radius) { return g(s - c, radius) - g(s, radius) * g(c, radius); };
  const Quatf at[]{about({1, 0, 0}, 0.3f), about({0, 1, 0}, 0.5f), about({0, 0, 1}, 0.4f)};
  const double first = kappa(0.3, 0.8, 0.5), second = kappa(0.5, -0.6, 1.5);  // the third is at rest in the centre
  EXPECT_NEAR(driven(d, at)[0], 0.25 + 2 * (first + second + 0.25 * first * second), 1e-6);
  const Quatf alone[]{at[0], Quatf{}, -Quatf{}};
  EXPECT_NEAR(driven(d, alone)[0], 0.25 + 2 * first, 1e-6);
  const Quatf far[]{about({1, 0, 0}, 3.1f), Quatf{}, Quatf{}};
  d.radii[0] = 0.3f;
  EXPECT_NEAR(driven(d, far)[0], 0.25, 1e-6);  // far from the centre there is no correction
}

TEST(Drive, ManyCentresAndTargetsAreWhatEachIs) {
  for (const std::size_t centres : {1u, 31u, 32u, 33u, 100u})
    for (const std::size_t targets : {1u, 64u, 65u, 130u}) {
      const MorphDriver d = several_joints(centres, targets);
      ASSERT_TRUE(validate(d, 3, targets).ok());
      const Quatf at[]{about({1, 2, 0}, 0.7f), about({0, 1, 1}, 0.5f), about({1, 0, 1}, -0.4f)};
      const auto weights = driven(d, at);
      for (const std::size_t m : {std::size_t{0}, targets / 2, targets - 1}) {
        double sum = 0.25;
        for (std::size_t c = 0; c < centres; ++c) {
          double kappa[3];
          for (std::size_t k = 0; k < 3; ++k)
            kappa[k] = joint_kernel(Quatd(at[k]), Quatd(d.centres[3 * c + k]), double{d.radii[k]});
          sum += (kappa[0] + kappa[1] + kappa[2] + 0.25 * kappa[0] * kappa[1]) * d.coefficients[c * targets + m];
        }
        EXPECT_NEAR(weights[m], sum, 1e-5);
      }
    }
}

TEST(Drive, TheLayerGivesTheSameBits) {
  std::vector<MorphDriver> drivers{several_joints(70, 65), one_joint(), several_joints(3, 2)};
  drivers[1].first_weight = 65;
  drivers[2].first_weight = 67;
  // Those that see the same share what they see: next to one another, apart, and almost the same.
  for (int i = 0; i < 3; ++i) drivers.push_back(drivers[0]);
  drivers[3].coefficients[0] += 1;
  drivers[4].radii[1] *= 2;
  std::reverse(drivers[5].coefficients.begin(), drivers[5].coefficients.end());
  drivers.push_back(drivers[2]);
  for (std::size_t d = 3; d < drivers.size(); ++d)
    drivers[d].first_weight = static_cast<std::uint32_t>(69 + 65 * (d - 3));
  DriverLayer layer(drivers);
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    std::vector<Transformf> local(3);
    for (std::size_t j = 0; j < 3; ++j)
      if (i % 4 != static_cast<int>(j))  // at rest in some poses
        local[j].rotation = about({1, static_cast<float>(rng.uniform(-1, 1)), static_cast<float>(rng.uniform(-1, 1))},
                                  static_cast<float>(rng.uniform(-3, 3)));
    std::vector<float> slow(266), fast(266);
    drive(drivers, local, slow);
    layer.drive(local, fast);
    EXPECT_EQ(slow, fast);
  }
}

TEST(Drive, TheLayerGivesTheSameBitsForDriversOfOneJoint) {
  constexpr std::uint32_t joints = 9;
  Rng rng(4);
  const auto turn = [&](double most) {
    const auto part = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    return about({part(), part(), 1}, static_cast<float>(rng.uniform(-most, most)));
  };
  std::vector<MorphDriver> drivers;
  std::uint32_t weights = 0;
  for (std::uint32_t j = 0; j < joints; ++j) {  // 1 to 17 centres and targets
    MorphDriver d;
    d.joints = {j};
    d.reference = {turn(1)};
    d.kernel = j % 3 == 2 ? RbfKernel::gaussian : j % 4 == 3 ? RbfKernel::linear : RbfKernel::exponential;
    d.radius = static_cast<float>(rng.uniform(0.1, 2));
    if (j == 4) d.twist_axes = {{0, 0, 1}};
    d.first_weight = weights;
    for (std::uint32_t m = 0; m < 1 + 2 * j; ++m) d.rest_weights.push_back(static_cast<float>(rng.uniform(-1, 1)));
    for (std::uint32_t c = 0; c < 17 - 2 * j; ++c) d.centres.push_back(turn(3));
    for (std::size_t i = 0; i < d.rows() * d.targets(); ++i) d.coefficients.push_back(rng.uniform(-1, 1));
    weights += 1 + 2 * j;
    drivers.push_back(d);
  }
  DriverLayer layer(drivers);
  for (int i = 0; i < 60; ++i) {
    std::vector<Transformf> local(joints);
    for (std::uint32_t j = 0; j < joints; ++j) {
      const std::size_t kind = rng.below(4);  // at rest, at a centre, at its opposite sign, anywhere
      const MorphDriver& d = drivers[j];
      const Quatf centre = d.reference[0] * d.centres[rng.below(static_cast<std::uint32_t>(d.centres.size()))];
      local[j].rotation = kind == 0 ? d.reference[0] : kind == 1 ? centre : kind == 2 ? -centre : turn(6);
    }
    std::vector<float> slow(weights), fast(weights);
    drive(drivers, local, slow);
    layer.drive(local, fast);
    EXPECT_EQ(slow, fast);
  }
}

TEST(Drive, PoseKernelsThatMakeNoSenseAreRefused) {
  const auto refused = [](auto change) {
    MorphDriver d = several_joints(2, 1);
    change(d);
    return !validate(d, 3, 1).ok();
  };
  EXPECT_FALSE(refused([](MorphDriver&) {}));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.radii.pop_back(); }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.radii[1] = 0; }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.pairs[0] = {0, 0}; }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.pairs[0] = {0, 3}; }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.pair_weight = -1; }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.joints[2] = 0; }));
  EXPECT_TRUE(refused([](MorphDriver& d) { d.kernel = RbfKernel::gaussian; }));  // has no radii
}

/// Drivers of all kinds against the same drivers without limits, clamped here. 70 targets are more than are summed at
/// once.
TEST(Drive, WeightsAreClampedToTheirLimits) {
  Rng rng(21);
  std::vector<MorphDriver> drivers(4, one_joint());
  drivers[1].kernel = RbfKernel::gaussian;
  drivers[2].kernel = RbfKernel::linear;
  drivers[3] = several_joints(5, 70);
  std::uint32_t weights = 0;
  for (MorphDriver& d : drivers) {
    d.first_weight = weights;
    weights += static_cast<std::uint32_t>(d.targets());
  }
  std::vector<MorphDriver> limited = drivers;
  for (MorphDriver& d : limited) {
    for (const float rest : d.rest_weights) {
      d.least.push_back(rest - static_cast<float>(rng.uniform(0, 0.2)));
      d.most.push_back(rest + static_cast<float>(rng.uniform(0, 0.2)));
    }
    ASSERT_TRUE(validate(d, 3, weights).ok());
  }
  limited[0].least.clear();  // each side is optional
  limited[1].most.clear();
  DriverLayer layer(limited);
  std::size_t below = 0, above = 0, within = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<Transformf> local(3);
    for (Transformf& joint : local) {
      const auto part = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
      joint.rotation = about({part(), part(), 1}, static_cast<float>(rng.uniform(-3, 3)));
    }
    std::vector<float> wanted(weights), slow(weights), fast(weights);
    drive(drivers, local, wanted);
    for (const MorphDriver& d : limited)
      for (std::size_t m = 0; m < d.targets(); ++m) {
        float& w = wanted[d.first_weight + m];
        const float free = w;
        if (!d.least.empty() && w < d.least[m]) w = d.least[m];
        if (!d.most.empty() && w > d.most[m]) w = d.most[m];
        ++(w > free ? below : w < free ? above : within);
      }
    drive(limited, local, slow);
    layer.drive(local, fast);
    EXPECT_EQ(slow, wanted);
    EXPECT_EQ(fast, wanted);
  }
  EXPECT_GT(std::min({below, above, within}), 100u);
}

TEST(Drive, LimitsThatMakeNoSenseAreRefused) {
  const auto problem = [](auto change) {
    MorphDriver d = one_joint();  // rest weights 0.25 and 0
    change(d);
    const auto ok = validate(d, 3, 2);
    return ok ? std::string() : ok.error().problem;
  };
  EXPECT_EQ(problem([](MorphDriver& d) { d.least = {0.25f, -1}, d.most = {1, 0}; }), "");
  const float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(problem([](MorphDriver& d) { d.least = {0}; }).find("1 numbers in 'least'"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.most = {1, 1, 1}; }).find("3 numbers in 'most'"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.least = {0.26f, 0}; }).find("rest weight"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.most = {0.25f, -0.1f}; }).find("rest weight"), std::string::npos);
  EXPECT_NE(problem([&](MorphDriver& d) { d.most = {1, infinite}; }).find("not finite"), std::string::npos);
  EXPECT_NE(problem([&](MorphDriver& d) { d.least = {0, none}; }).find("not finite"), std::string::npos);
}

TEST(Drive, RestIsExact) {
  const MorphDriver d = one_joint();
  const Quatf rest{}, turned_round = -Quatf{};
  EXPECT_EQ(driven(d, std::span(&rest, 1)), d.rest_weights);
  EXPECT_EQ(driven(d, std::span(&turned_round, 1)), d.rest_weights);
}

TEST(Drive, DistancesOfHingesPairsAndTwists) {
  MorphDriver d = one_joint();
  const auto distance = [&](std::vector<Quatf> a, std::vector<Quatf> b) { return setting_distance(d, a, b); };
  EXPECT_NEAR(distance({about({0, 1, 0}, 0.4f)}, {about({0, 1, 0}, -0.3f)}), 0.7, 1e-6);
  EXPECT_EQ(distance({about({0, 1, 0}, 0.4f)}, {-about({0, 1, 0}, 0.4f)}), 0);
  EXPECT_NEAR(distance({about({0, 1, 0}, 0.3f), about({1, 0, 0}, 0.4f)}, {Quatf{}, Quatf{}}), 0.5, 1e-6);
  // Swing 0.6 about x after twist 0.8 about y: apart they give sqrt(.36 + (.5 * .8)^2).
  d.twist_axes = {{0, 1, 0}};
  d.twist_weight = 0.5f;
  const Quatf swing = about({1, 0, 0}, 0.6f), twist = about({0, 1, 0}, 0.8f);
  EXPECT_NEAR(distance({swing * twist}, {Quatf{}}), std::sqrt(0.36 + 0.16), 1e-6);
  EXPECT_NEAR(distance({swing * twist}, {swing}), 0.4, 1e-6);
  EXPECT_NEAR(distance({swing * twist}, {twist}), 0.6, 1e-6);
  // Half a turn of swing has no twist to speak of: a number all the same.
  EXPECT_TRUE(std::isfinite(distance({about({1, 0, 0}, 3.14159265f)}, {twist})));
}

TEST(Drive, WhatIsWrongWithADriverIsSaid) {
  const auto problem = [](auto&& change) {
    MorphDriver d = one_joint();
    change(d);
    const auto checked = validate(d, 3, 2);
    return checked ? std::string() : checked.error().problem;
  };
  EXPECT_EQ(problem([](MorphDriver&) {}), "");
  EXPECT_NE(problem([](MorphDriver& d) { d.joints = {}; }), "");
  EXPECT_NE(problem([](MorphDriver& d) { d.joints = {7}; }).find("joint 7"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.radius = 0; }).find("radius"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.centres[1].w = 3; }).find("unit"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.coefficients.pop_back(); }).find("3 coefficients"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.coefficients[0] = NAN; }).find("finite"), std::string::npos);
  EXPECT_NE(problem([](MorphDriver& d) { d.first_weight = 1; }).find("do not exist"), std::string::npos);
}

TEST(Drive, SkinsFollowTheirDriversUnlessToldOtherwise) {
  Character c = test::bar();
  Part& part = c.parts[0];
  for (const float size : {1.0f, 2.0f}) {
    MorphTarget target{"bulge", {0, 5}, {{size, 0, 0}, {0, size, 0}}, {}, {}};
    part.morphs.push_back(std::move(target));
  }
  c.morph_weights = {0.25f, 0};
  c.drivers = {one_joint()};
  c.drivers[0].reference = {c.skeleton.rest(1).rotation};
  auto live = Skin::make(c), given = Skin::make(c, Blend::linear, Layers::as_given());
  ASSERT_TRUE(live.ok() && given.ok());
  Pose pose = c.rest();
  pose.local[1].rotation = c.skeleton.rest(1).rotation * about({1, 0, 0}, 0.5f);
  pose.morph_weights = {7, 7};  // what a driver moves does not listen
  ASSERT_TRUE(live->evaluate(pose).ok());
  drive(c.drivers, pose);
  EXPECT_NE(pose.morph_weights[0], 7);
  ASSERT_TRUE(given->evaluate(pose).ok());
  EXPECT_TRUE(test::same_bits(live->positions(), given->positions()));
  EXPECT_TRUE(test::same_bits<float>(live->morph_weights(), pose.morph_weights));
  c.drivers.push_back(c.drivers[0]);
  EXPECT_FALSE(validate(c).ok());  // two on one target
}

}  // namespace
}  // namespace supple
