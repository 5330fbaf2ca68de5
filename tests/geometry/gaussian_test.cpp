#include "supple/geometry/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

TEST(Gaussian, SumsToOneAndFallsAsTheBellDoes) {
  for (const double sigma : {0.3, 1.0, 2.5}) {
    for (const std::size_t radius : {1u, 4u, 9u}) {
      const std::vector<float> weights = gaussian_weights(sigma, radius);
      ASSERT_EQ(weights.size(), radius + 1);
      double sum = double{weights[0]};
      for (std::size_t n = 1; n <= radius; ++n) {
        sum += 2 * double{weights[n]};
        const double x = static_cast<double>(n) / sigma;
        // Both weights are rounded to floats, by 6e-8 of themselves; far out they are 0, or below 1e-38 with few bits.
        EXPECT_NEAR(double{weights[n]} / double{weights[0]}, std::exp(-0.5 * x * x),
                    2e-7 * std::exp(-0.5 * x * x) + 1e-38);
      }
      EXPECT_NEAR(sum, 1, 1e-6);  // 19 roundings of at most 3e-8
    }
  }
  EXPECT_EQ(gaussian_weights(0.5, 0), std::vector<float>{1});
}

}  // namespace
}  // namespace supple
