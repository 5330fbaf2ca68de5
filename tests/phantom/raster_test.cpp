#include "supple/phantom/raster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/phantom/noise.h"

namespace supple::phantom {
namespace {

constexpr std::array<std::size_t, 3> size = {41, 43, 45};
constexpr Vec3d centre = {19.7, 21.2, 22.4};
constexpr double radius = 13.3;

LatticeShape ball(double stretch = 1) {
  LatticeShape shape;
  shape.distance = [=](Vec3d p) { return stretch * (length(p - centre) - radius); };
  shape.lipschitz = stretch;
  shape.in_samples = stretch == 1;
  shape.low = centre - Vec3d{radius, radius, radius};
  shape.high = centre + Vec3d{radius, radius, radius};
  return shape;
}

std::vector<float> drawn(const LatticeShape& shape) {
  std::vector<float> image(size[0] * size[1] * size[2], 0.0f);
  mix(shape, 1, size, image);
  return image;
}

double sum(const std::vector<float>& image) {
  double total = 0;
  for (const float f : image) total += double{f};
  return total;
}

// Signed distances from the true sphere of the points where lattice edges cross one half.
std::vector<double> crossings(const std::vector<float>& image) {
  std::vector<double> result;
  const std::array<std::size_t, 3> step = {1, size[0], size[0] * size[1]};
  for (std::size_t k = 0; k + 1 < size[2]; ++k) {
    for (std::size_t j = 0; j + 1 < size[1]; ++j) {
      for (std::size_t i = 0; i + 1 < size[0]; ++i) {
        const std::size_t place = i + step[1] * j + step[2] * k;
        for (std::size_t a = 0; a < 3; ++a) {
          const double f = double{image[place]}, g = double{image[place + step[a]]};
          if ((f < 0.5) == (g < 0.5)) continue;
          Vec3d p{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
          p[a] += (0.5 - f) / (g - f);
          result.push_back(length(p - centre) - radius);
        }
      }
    }
  }
  return result;
}

TEST(Raster, DrawsTheVolumeOfABall) {
  const double volume = 4.0 / 3 * std::numbers::pi * radius * radius * radius;
  // A ramp of width one about radius r holds 1 / (4 r^2) more than the ball: the mean of (r + u)^3 over |u| < 1/2.
  EXPECT_NEAR(sum(drawn(ball())) / volume, 1 + 0.25 / (radius * radius), 1e-4);
}

TEST(Raster, SurfaceLiesWithinATwentiethOfASample) {
  std::vector<float> image = drawn(ball());
  blur(image, size, 0.5);
  const std::vector<double> off = crossings(image);
  ASSERT_GT(off.size(), 3000u);
  double mean = 0, squares = 0;
  for (const double d : off) mean += d, squares += d * d;
  const auto n = static_cast<double>(off.size());
  EXPECT_LT(std::sqrt(squares / n), 0.05);
  // A blur by s moves a sphere inwards by s^2 / r: 0.02 samples.
  EXPECT_NEAR(mean / n, -0.25 / radius, 0.01);
}

TEST(Raster, MeasuresTheSlopeOfFieldsThatAreNoDistances) {
  const std::vector<float> image = drawn(ball()), stretched = drawn(ball(0.0021));
  float worst = 0;
  for (std::size_t i = 0; i < image.size(); ++i) worst = std::max(worst, std::abs(image[i] - stretched[i]));
  // Differences over a whole sample underestimate the slope of a sphere's distance by about 1 / (24 r^2).
  EXPECT_LT(worst, 1e-3f);
}

TEST(Raster, SolidsOutsideTheLatticeAreCutOff) {
  LatticeShape shape = ball();
  shape.distance = [](Vec3d p) { return length(p - Vec3d{-3, 21, 22}) - radius; };
  shape.low.x = -3 - radius, shape.high.x = radius - 3;
  std::vector<float> image(size[0] * size[1] * size[2], 0.0f);
  mix(shape, 1, size, image);
  // A cap of height h = r - 3 + 1/2: samples stand for cubes, the first of which begins at -1/2.
  const double h = radius - 2.5, cap = std::numbers::pi * h * h * (3 * radius - h) / 3;
  EXPECT_NEAR(sum(image) / cap, 1, 4e-3);  // the ramp again, and its cut
}

TEST(Raster, IsTheSameForAnyNumberOfThreads) {
  const auto draw = [](unsigned threads) {
    set_thread_count(threads);
    std::vector<float> image = drawn(ball(0.002));
    blur(image, size, 0.7);
    set_thread_count(0);
    return image;
  };
  EXPECT_EQ(draw(1), draw(3));
}

TEST(Raster, BlurIsAGaussian) {
  std::vector<float> image(size[0] * size[1] * size[2], 0.0f);
  image[20 + size[0] * (21 + size[1] * 22)] = 1;
  const double sigma = 1.2;
  blur(image, size, sigma);
  EXPECT_NEAR(sum(image), 1, 1e-5);
  double spread = 0;
  for (std::size_t i = 0; i < size[0]; ++i) {
    const double x = static_cast<double>(i) - 20;
    for (std::size_t j = 0; j < size[1]; ++j)
      for (std::size_t k = 0; k < size[2]; ++k) spread += x * x * double{image[i + size[0] * (j + size[1] * k)]};
  }
  EXPECT_NEAR(std::sqrt(spread), sigma, 0.01);
  std::vector<float> flat(image.size(), 7.0f);
  blur(flat, size, sigma);
  for (const float f : flat) ASSERT_NEAR(f, 7.0f, 1e-5f);
}

TEST(Noise, IsNormal) {
  constexpr std::uint64_t count = 200000;
  double mean = 0, second = 0, fourth = 0, neighbours = 0, before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = normal_at(5, i);
    mean += x, second += x * x, fourth += x * x * x * x, neighbours += x * before;
    before = x;
  }
  // Standard errors: 1 / sqrt(n) = 0.0022 of the mean, sqrt(2 / n) of the variance, sqrt(96 / n) of the kurtosis.
  EXPECT_NEAR(mean / count, 0, 0.01);
  EXPECT_NEAR(second / count, 1, 0.015);
  EXPECT_NEAR(fourth / count, 3, 0.1);
  EXPECT_NEAR(neighbours / count, 0, 0.01);
  EXPECT_NE(normal_at(5, 17), normal_at(6, 17));
}

}  // namespace
}  // namespace supple::phantom
