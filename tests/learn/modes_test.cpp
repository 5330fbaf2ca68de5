// Principal modes of displacements whose modes are known, and coordinates that follow the pose.
#include "supple/author/learn/modes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/author/learn/rbf_fit.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

std::vector<std::span<const Vec3f>> spans(const std::vector<std::vector<Vec3f>>& lists) {
  return {lists.begin(), lists.end()};
}

TEST(Modes, FindTheDirectionsThatWereMixed) {
  constexpr std::size_t vertices = 500;
  Rng rng(1);
  std::vector<Vec3f> first(vertices), second(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    (v < 250 ? first : second)[v] = {static_cast<float>(rng.uniform(-1, 1)), static_cast<float>(rng.uniform(-1, 1)), 1};
  }
  std::vector<std::vector<Vec3f>> examples;
  for (const auto& [a, b] : {std::pair{3.0f, 0.1f}, {-2.0f, 0.2f}, {1.0f, -0.3f}, {5.0f, 0.0f}}) {
    examples.emplace_back(vertices);
    for (std::size_t v = 0; v < vertices; ++v) examples.back()[v] = first[v] * a + second[v] * b;
  }
  const std::vector<float> weights(examples.size(), 1.0f);
  const PrincipalModes modes = principal_modes(spans(examples), weights, 10);
  ASSERT_EQ(modes.modes.size(), 2u);  // the rest is rounding
  EXPECT_GT(modes.coordinates(3, 0), 0);
  for (std::size_t e = 0; e < examples.size(); ++e) {
    for (std::size_t v = 0; v < vertices; ++v) {
      const Vec3f sum = modes.modes[0][v] * static_cast<float>(modes.coordinates(e, 0)) +
                        modes.modes[1][v] * static_cast<float>(modes.coordinates(e, 1));
      EXPECT_LT(length(sum - examples[e][v]), 1e-5f);
    }
  }
  double inner = 0, unit = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    inner += dot(Vec3d(modes.modes[0][v]), Vec3d(modes.modes[1][v]));
    unit += squared_length(Vec3d(modes.modes[0][v]));
  }
  EXPECT_NEAR(inner, 0, 1e-6);
  EXPECT_NEAR(unit, 1, 1e-6);
  set_thread_count(1);
  const PrincipalModes again = principal_modes(spans(examples), weights, 10);
  set_thread_count(0);
  EXPECT_EQ(again.modes[1], modes.modes[1]);  // the same bits on one thread
}

class Kernels : public ::testing::TestWithParam<RbfKernel> {};
INSTANTIATE_TEST_SUITE_P(Rbf, Kernels,
                         ::testing::Values(RbfKernel::exponential, RbfKernel::gaussian, RbfKernel::linear,
                                           RbfKernel::cubic));

TEST_P(Kernels, ReproduceTheExamplesAndRest) {
  const Vec3f axis = normalized(Vec3f{1, 2, 0});
  std::vector<RbfSample> samples;
  DenseMatrix wanted(5, 2);
  for (int i = 0; i < 5; ++i) {
    const float angle = 0.3f * static_cast<float>(i + 1);
    samples.push_back({"pose " + std::to_string(i), {from_axis_angle(axis, angle)}});
    wanted(static_cast<std::size_t>(i), 0) = std::sin(angle);
    wanted(static_cast<std::size_t>(i), 1) = angle * angle;
  }
  MorphDriver driver;
  driver.joints = {0};
  driver.reference = {from_axis_angle(Vec3f{0, 0, 1}, 0.4f)};
  driver.kernel = GetParam();
  const auto fitted = interpolate(driver, samples, wanted, GetParam() == RbfKernel::gaussian ? 2.5 : 10);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message();
  ASSERT_TRUE(validate(driver, 1, 2).ok());
  const auto coordinates_at = [&](float angle) {
    Transformf local;
    local.rotation = driver.reference[0] * from_axis_angle(axis, angle);
    std::vector<float> result(2);
    drive(std::span(&driver, 1), std::span(&local, 1), result);
    return result;
  };
  EXPECT_EQ(coordinates_at(0), (std::vector<float>{0, 0}));
  // Settings are stored as float quaternions, good to 1e-7 radians; kernels that are nearly flat magnify that.
  for (int i = 0; i < 5; ++i) {
    const float angle = 0.3f * static_cast<float>(i + 1);
    const auto at = coordinates_at(angle);
    EXPECT_NEAR(at[0], std::sin(angle), 2e-5) << i;
    EXPECT_NEAR(at[1], angle * angle, 2e-5) << i;
  }
  // In between, something in between.
  EXPECT_NEAR(coordinates_at(0.75f)[0], std::sin(0.75), 0.05);
}

TEST(Rbf, ExamplesAtOneSettingAreNamed) {
  const std::vector<RbfSample> samples{{"one", {from_axis_angle(Vec3f{1, 0, 0}, 0.5f)}},
                                       {"other", {from_axis_angle(Vec3f{1, 0, 0}, 0.5f)}}};
  MorphDriver driver;
  driver.joints = {0};
  driver.reference = {Quatf{}};
  const auto fit = interpolate(driver, samples, DenseMatrix(2, 1));
  ASSERT_FALSE(fit.ok());
  EXPECT_NE(fit.error().item.find("'one' and 'other'"), std::string::npos);
}

TEST(Rbf, SmoothingFindsTheTrendThroughNoise) {
  Rng rng(5);
  std::vector<RbfSample> samples;
  DenseMatrix wanted(24, 1);
  for (std::size_t i = 0; i < 24; ++i) {
    const auto angle = static_cast<float>(rng.uniform(-1, 1));
    samples.push_back({"sample", {from_axis_angle(Vec3f{1, 0, 0}, angle)}});
    wanted(i, 0) = std::sin(2 * angle) + rng.uniform(-0.1, 0.1);
  }
  MorphDriver driver;
  driver.joints = {0};
  driver.reference = {Quatf{}};
  const double left_out = smooth(driver, samples, {}, wanted);
  EXPECT_LT(left_out, 0.1);  // noise is a hundredth of the energy
  const auto at = [&](float angle) {
    Transformf local;
    local.rotation = from_axis_angle(Vec3f{1, 0, 0}, angle);
    float result = 0;
    drive(std::span(&driver, 1), std::span(&local, 1), std::span(&result, 1));
    return result;
  };
  for (const float angle : {-0.7f, -0.3f, 0.2f, 0.6f}) EXPECT_NEAR(at(angle), std::sin(2 * angle), 0.12) << angle;
  EXPECT_NEAR(at(1e-4f), 0, 1e-3);  // rest is not smoothed away
  // Samples that say nothing are found out.
  for (std::size_t i = 0; i < 24; ++i) wanted(i, 0) = rng.uniform(-1, 1);
  EXPECT_GT(smooth(driver, samples, {}, wanted), 0.7);
}

TEST(Modes, WeightsSayWhatCounts) {
  const std::vector<std::vector<Vec3f>> examples{{{1, 0, 0}}, {{0, 1, 0}}};
  const std::vector<float> weights{1, 100};
  const PrincipalModes modes = principal_modes(spans(examples), weights, 1);
  EXPECT_NEAR(std::abs(modes.modes[0][0].y), 1, 1e-6);
  EXPECT_NEAR(modes.singular_values[0], 10, 1e-9);
  EXPECT_NEAR(modes.coordinates(1, 0), 1, 1e-6);  // an example's own, whatever its weight
  const auto companion = companion_modes(modes, spans({{{0, 0, 3}}, {{0, 0, 5}}}), weights);
  EXPECT_NEAR(companion[0][0].z, 5, 1e-5);
}

}  // namespace
}  // namespace supple::learn
