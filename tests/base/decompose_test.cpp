// Eigenvalues and singular values: every decomposition is put together again.
#include <gtest/gtest.h>

#include "supple/base/decompose.h"

#include "supple/base/rng.h"

namespace supple {
namespace {

double distance(const Mat3d& a, const Mat3d& b) { return norm(a - b); }
Mat3d random_matrix(Rng& rng) {
  Mat3d m;
  for (std::size_t c = 0; c < 3; ++c) m[c] = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
  return m;
}
bool is_rotation(const Mat3d& m) {
  return distance(transpose(m) * m, Mat3d{}) < 1e-13 && std::abs(determinant(m) - 1) < 1e-13;
}

TEST(Decompose, EigenvaluesOfRandomSymmetricMatrices) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Mat3d r = random_matrix(rng), a = r + transpose(r);
    const SymmetricEigen e = symmetric_eigen(a);
    EXPECT_TRUE(is_rotation(e.vectors));
    EXPECT_LE(e.values.x, e.values.y);
    EXPECT_LE(e.values.y, e.values.z);
    EXPECT_LT(distance(e.vectors * Mat3d::diagonal(e.values) * transpose(e.vectors), a), 1e-14 * 10);
  }
}

TEST(Decompose, SingularValuesOfRandomMatricesWithBothOrientations) {
  Rng rng(2);
  int reflections = 0;
  for (int i = 0; i < 2000; ++i) {
    const Mat3d a = random_matrix(rng);
    const RotationSvd d = rotation_svd(a);
    EXPECT_TRUE(is_rotation(d.u));
    EXPECT_TRUE(is_rotation(d.v));
    EXPECT_GE(d.values.x, d.values.y);
    EXPECT_GE(d.values.y, std::abs(d.values.z) - 1e-15);
    EXPECT_LT(distance(d.u * Mat3d::diagonal(d.values) * transpose(d.v), a), 1e-13);
    EXPECT_EQ(d.values.z < 0, determinant(a) < 0);
    reflections += determinant(a) < 0;
  }
  EXPECT_GT(reflections, 500);
}

// Flat, needle-like, zero and equal singular values: the completion to rotations is arbitrary, the product is not.
TEST(Decompose, SingularMatrices) {
  Rng rng(3);
  const Vec3d a{1, 2, 3}, b{-1, .5, .25};
  const Mat3d cases[] = {Mat3d::diagonal({}),
                         Mat3d{},
                         outer(a, b),
                         Mat3d{a, b, a + b},
                         Mat3d{a, a, a},
                         Mat3d{{}, {}, a},
                         Mat3d::diagonal({1, 1, -1}),
                         Mat3d{a, b, a * 1e-9}};
  for (const Mat3d& m : cases) {
    const RotationSvd d = rotation_svd(m);
    EXPECT_TRUE(is_rotation(d.u));
    EXPECT_TRUE(is_rotation(d.v));
    EXPECT_LT(distance(d.u * Mat3d::diagonal(d.values) * transpose(d.v), m), 1e-14 * (1 + norm(m)));
  }
}

// One-sided rotations find tiny singular values to full relative precision, which F^T F would lose.
TEST(Decompose, SmallSingularValuesKeepTheirDigits) {
  const Mat3d d = Mat3d::diagonal({1, 1e-6, 1e-12});
  const RotationSvd s = rotation_svd(d);
  EXPECT_NEAR(s.values.y / 1e-6, 1, 1e-14);
  EXPECT_NEAR(s.values.z / 1e-12, 1, 1e-14);
}

}  // namespace
}  // namespace supple
