// Dense eigenvalues and solves put together again.
#include "supple/learn/dense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/rng.h"

namespace supple::learn {
namespace {

TEST(Dense, EigenvaluesOfRandomSymmetricMatrices) {
  Rng rng(1);
  for (const std::size_t n : {1u, 2u, 7u, 40u}) {
    DenseMatrix a(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = rng.uniform(-1, 1);
    const DenseEigen e = symmetric_eigen(a);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(e.values[i > 0 ? i - 1 : 0], e.values[i]);
      for (std::size_t j = 0; j < n; ++j) {
        double product = 0, unit = 0;
        for (std::size_t k = 0; k < n; ++k) {
          product += e.vectors(i, k) * e.values[k] * e.vectors(j, k);
          unit += e.vectors(k, i) * e.vectors(k, j);
        }
        EXPECT_NEAR(product, a(i, j), 1e-13 * static_cast<double>(n));
        EXPECT_NEAR(unit, i == j ? 1 : 0, 1e-13);
      }
    }
  }
}

TEST(Dense, SolvesAndSaysWhenItCannot) {
  Rng rng(2);
  constexpr std::size_t n = 30;
  DenseMatrix a(n, n), x(n, 3), b(n, 3);
  for (double& v : a.values) v = rng.uniform(-1, 1);
  a(0, 0) = 0;  // needs a pivot
  for (double& v : x.values) v = rng.uniform(-1, 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t j = 0; j < n; ++j) b(i, c) += a(i, j) * x(j, c);
  const auto solved = solve(a, b);
  ASSERT_TRUE(solved.has_value());
  for (std::size_t i = 0; i < x.values.size(); ++i) EXPECT_NEAR(solved->values[i], x.values[i], 1e-11);
  for (std::size_t j = 0; j < n; ++j) a(5, j) = a(6, j);
  EXPECT_FALSE(solve(a, b).has_value());
}

}  // namespace
}  // namespace supple::learn
