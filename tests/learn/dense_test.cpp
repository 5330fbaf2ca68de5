// Dense eigenvalues and solves put together again.
#include "supple/author/learn/dense.h"

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

/// Positive semidefinite, its eigenvalues falling by `decay` from one to the next.
DenseMatrix decaying(std::size_t n, double decay) {
  Rng rng(5);
  DenseMatrix b(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) b(r, c) = rng.uniform(-1, 1) * std::pow(decay, static_cast<double>(c) / 2);
  return product(b, transposed(b));
}

TEST(Dense, FactorsMultiplyToTheMatrix) {
  DenseMatrix a = decaying(60, 0.98);
  DenseMatrix l = a;
  ASSERT_TRUE(cholesky(l));
  const PivotedCholesky pivoted = pivoted_cholesky(a, 60, 0);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(dot(l.row(i).first(j + 1), l.row(j).first(j + 1)), a(i, j), 1e-10);
      double sum = 0;
      for (std::size_t k = 0; k < pivoted.columns.rows; ++k) sum += pivoted.columns(k, i) * pivoted.columns(k, j);
      EXPECT_NEAR(sum, a(i, j), 1e-10);
    }
  for (std::size_t k = 0; k < pivoted.pivots.size(); ++k)  // triangular in the order of the pivots
    for (std::size_t later = k + 1; later < pivoted.pivots.size(); ++later)
      EXPECT_EQ(pivoted.columns(later, pivoted.pivots[k]), 0);
  a(7, 7) = -1;
  EXPECT_FALSE(cholesky(a));
}

TEST(Dense, FewPivotsLeaveNoMoreThanTheTolerance) {
  const DenseMatrix a = decaying(80, 0.5);
  const PivotedCholesky few = pivoted_cholesky(a, 80, 1e-6);
  EXPECT_LT(few.pivots.size(), 40u);
  for (std::size_t i = 0; i < 80; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < few.columns.rows; ++k) sum += few.columns(k, i) * few.columns(k, i);
    EXPECT_NEAR(sum, a(i, i), 1.001e-6);
  }
}

TEST(Dense, LargestEigenvaluesAreThoseOfAll) {
  const DenseMatrix a = decaying(200, 0.9);
  const DenseEigen all = symmetric_eigen(a), few = largest_eigen(a, 20);
  ASSERT_EQ(few.values.size(), 20u);
  for (std::size_t m = 0; m < 20; ++m) {
    EXPECT_NEAR(few.values[m], all.values[m], 1e-9 * all.values[0]);
    double along = 0;
    for (std::size_t i = 0; i < 200; ++i) along += few.vectors(i, m) * all.vectors(i, m);
    EXPECT_NEAR(std::abs(along), 1, 1e-5);
  }
}

}  // namespace
}  // namespace supple::learn
