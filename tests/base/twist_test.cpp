#include "supple/base/twist.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/rng.h"

namespace supple {
namespace {

constexpr double pi = std::numbers::pi;

Vec3d random_unit(Rng& rng) {
  while (true) {
    const Vec3d v{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
    if (const double n = length(v); n > 0.1 && n < 1) return v / n;
  }
}

double difference(const Affined& a, const Affined& b) {
  return norm(a.linear - b.linear) + length(a.translation - b.translation);
}

/// exp of the 4x4 twist matrix by scaling, a long Taylor series and squaring: shares no formula with the closed form.
Affined exp_by_series(const Twistd& t) {
  constexpr int squarings = 12;
  const Twistd small = t * std::ldexp(1.0, -squarings);
  const Mat3d w = cross_matrix(small.angular);
  Affined sum, term;  // term = A^k / k! as (linear, translation), bottom row 0 for k > 0
  Mat3d linear_term;
  Vec3d translation_term = small.linear;
  sum.linear = Mat3d{};
  sum.translation = small.linear;
  for (int k = 1; k < 12; ++k) {
    linear_term = w * linear_term * (1.0 / k);
    sum.linear = sum.linear + linear_term;
    translation_term = w * translation_term * (1.0 / (k + 1));
    sum.translation += translation_term;
  }
  for (int i = 0; i < squarings; ++i) sum = sum * sum;
  return sum;
}

TEST(Twist, ExpMatchesTheMatrixSeries) {
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const double angle = rng.uniform(0, 2 * pi);
    const Twistd t{random_unit(rng) * angle, random_unit(rng) * rng.uniform(0, 3)};
    // Twelve squarings lose about 12 bits.
    EXPECT_LT(difference(exp(t), exp_by_series(t)), 1e-11);
  }
}

TEST(Twist, LogInvertsExpAtEveryAngle) {
  Rng rng(2);
  for (const double angle : {0.0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7,      1e-5,      1e-4,      1e-3,
                             0.1, 0.49,   0.51,  1.0,   2.0,  3.0,  pi - 1e-3, pi - 1e-6, pi - 1e-9, pi - 1e-12}) {
    for (int i = 0; i < 50; ++i) {
      const Twistd t{random_unit(rng) * angle, random_unit(rng)};
      const Twistd back = log(exp(t));
      // The matrix itself holds the axis only to 1e-16: a relative error of that over the angle is not in our hands,
      // and the absolute one is what the motion shows.
      EXPECT_LT(length(back.angular - t.angular), 2e-15 * std::max(1.0, angle)) << angle;
      EXPECT_LT(length(back.linear - t.linear), 4e-15) << angle;
    }
  }
}

TEST(Twist, ExpInvertsLogAtPi) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Affined half_turn{to_matrix(from_axis_angle(random_unit(rng), pi)), random_unit(rng)};
    EXPECT_LT(difference(exp(log(half_turn)), half_turn), 1e-14);
    EXPECT_NEAR(length(log(half_turn).angular), pi, 1e-14);
  }
}

TEST(Twist, PowersAreOneParameterGroup) {
  Rng rng(4);
  const Affined m = exp(Twistd{random_unit(rng) * 2.0, random_unit(rng)});
  EXPECT_LT(difference(power(m, 0.3) * power(m, 0.7), m), 1e-14);
  EXPECT_LT(difference(power(m, 0), Affined{}), 1e-15);
  EXPECT_LT(difference(power(m, -1) * m, Affined{}), 1e-14);
}

TEST(Twist, LogOfQuaternionIgnoresItsSign) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    const Quatd q = exp_rotation(random_unit(rng) * rng.uniform(0, 3));
    EXPECT_EQ(log_rotation(q), log_rotation(-q));
  }
}

}  // namespace
}  // namespace supple
