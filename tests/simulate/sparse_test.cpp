// The sparse solver against residuals, a dense factorisation and itself on other threads and instruction sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "supple/author/simulate/sparse/dissection.h"
#include "supple/author/simulate/sparse/front_kernel.h"
#include "supple/author/simulate/sparse/solver.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"

namespace supple::simulate {
namespace {

struct Problem {
  BlockPattern pattern;
  std::vector<double> values;
  std::vector<Vec3d> places;
};

/// A box of nodes, each tied to those around it; diagonally dominant unless `diagonal` is small.
Problem lattice(std::size_t nx, std::size_t ny, std::size_t nz, double diagonal = 40, std::uint64_t seed = 1) {
  Problem p;
  Rng rng(seed);
  for (std::size_t k = 0; k < nz; ++k)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < nx; ++i)
        p.places.push_back({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
  for (std::uint32_t a = 0; a < p.places.size(); ++a) {
    for (std::uint32_t b = a; b < p.places.size(); ++b) {
      const Vec3d d = p.places[a] - p.places[b];
      if (std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) > 1) continue;
      p.pattern.rows.push_back(b);
      double block[9];
      for (double& v : block) v = rng.uniform(-1, 1);
      if (a == b) {
        block[3] = block[1], block[6] = block[2], block[7] = block[5];
        for (int r = 0; r < 9; r += 4) block[r] += diagonal;
      }
      p.values.insert(p.values.end(), block, block + 9);
    }
    p.pattern.first.push_back(p.pattern.rows.size());
  }
  return p;
}

std::vector<double> solve(SparseSolver& solver, const Problem& p, std::uint64_t seed = 7) {
  std::vector<double> x(3 * p.pattern.size());
  Rng rng(seed);
  for (double& v : x) v = rng.uniform(-1, 1);
  solver.solve(x);
  return x;
}

class Solvers : public ::testing::TestWithParam<SolverKind> {
 protected:
  void SetUp() override {
    if (!has_solver(GetParam())) GTEST_SKIP() << "this build has no CHOLMOD (-DSUPPLE_CHOLMOD=ON)";
  }
};
INSTANTIATE_TEST_SUITE_P(Sparse, Solvers, ::testing::Values(SolverKind::cholesky, SolverKind::cholmod));

TEST_P(Solvers, ResidualsVanish) {
  for (const auto [nx, ny, nz] : {std::array<std::size_t, 3>{1, 1, 1}, {2, 1, 1}, {30, 1, 1}, {9, 8, 7}, {14, 12, 2}}) {
    const Problem p = lattice(nx, ny, nz);
    auto solver = make_solver(GetParam(), p.pattern, dissect(p.pattern, p.places)).value();
    ASSERT_TRUE(solver->factorize(p.values));
    std::vector<double> right(3 * p.pattern.size()), x = right, product = right;
    Rng rng(3);
    for (double& v : right) v = rng.uniform(-1, 1);
    x = right;
    solver->solve(x);
    multiply(p.pattern, p.values, x, product);
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i) worst = std::max(worst, std::abs(product[i] - right[i]));
    EXPECT_LT(worst, 1e-13) << nx << " x " << ny << " x " << nz;
  }
}

TEST_P(Solvers, TellsIndefiniteFromDefinite) {
  Problem p = lattice(6, 5, 4);
  auto solver = make_solver(GetParam(), p.pattern, dissect(p.pattern, p.places)).value();
  ASSERT_TRUE(solver->factorize(p.values));
  const std::vector<double> before = solve(*solver, p);
  std::vector<double> indefinite = p.values;
  indefinite[9 * p.pattern.first[60]] = -1;  // one negative pivot somewhere inside
  EXPECT_FALSE(solver->factorize(indefinite));
  ASSERT_TRUE(solver->factorize(p.values));  // and recovers
  EXPECT_EQ(solve(*solver, p), before);
}

TEST_P(Solvers, NodesAtOnePlaceAndSeparatePieces) {
  Problem p = lattice(5, 5, 5);
  for (Vec3d& v : p.places) v = {};  // no geometry to go by
  auto solver = make_solver(GetParam(), p.pattern, dissect(p.pattern, p.places)).value();
  EXPECT_TRUE(solver->factorize(p.values));
  Problem apart;  // a diagonal matrix: nothing touches anything
  for (std::uint32_t i = 0; i < 200; ++i) {
    apart.pattern.rows.push_back(i);
    apart.pattern.first.push_back(i + 1);
    apart.places.push_back({static_cast<double>(i), 0, 0});
    for (int r = 0; r < 9; ++r) apart.values.push_back(r % 4 == 0 ? 2.0 : 0.0);
  }
  solver = make_solver(GetParam(), apart.pattern, dissect(apart.pattern, apart.places)).value();
  ASSERT_TRUE(solver->factorize(apart.values));
  std::vector<double> x(600, 1.0);
  solver->solve(x);
  for (const double v : x) EXPECT_DOUBLE_EQ(v, 0.5);
}

TEST(Sparse, CholeskyIsWhatADenseOneGives) {
  const Problem p = lattice(4, 3, 3);
  const std::size_t n = 3 * p.pattern.size();
  std::vector<double> a(n * n, 0), unit(n), column(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j] = 1;
    multiply(p.pattern, p.values, unit, column);
    std::copy(column.begin(), column.end(), &a[j * n]);
  }
  std::vector<double> x(n, 1.0);
  for (std::size_t k = 0; k < n; ++k) {  // Gaussian elimination without pivoting, which a dominant diagonal allows
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[k * n + i] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[j * n + i] -= factor * a[j * n + k];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= a[j * n + i] * x[j];
    x[i] /= a[i * n + i];
  }
  auto solver = make_solver(SolverKind::cholesky, p.pattern, dissect(p.pattern, p.places)).value();
  ASSERT_TRUE(solver->factorize(p.values));
  std::vector<double> y(n, 1.0);
  solver->solve(y);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], y[i], 1e-14);
}

TEST(Sparse, SameBitsOnAnyNumberOfThreads) {
  const Problem p = lattice(16, 12, 8);
  std::vector<double> first;
  for (const unsigned threads : {1u, 2u, 3u}) {
    set_thread_count(threads);
    auto solver = make_solver(SolverKind::cholesky, p.pattern, dissect(p.pattern, p.places)).value();
    ASSERT_TRUE(solver->factorize(p.values));
    const std::vector<double> x = solve(*solver, p);
    if (first.empty()) first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0) << threads << " threads";
  }
  set_thread_count(0);
}

TEST(Sparse, EveryInstructionSetGivesTheSameBits) {
  constexpr std::size_t n = 211, k = 67, m = n - k;
  std::vector<double> start(n * k), square(m * m, 1.0);
  Rng rng(5);
  for (double& v : start) v = rng.uniform(-1, 1);
  for (std::size_t i = 0; i < k; ++i) start[i * n + i] += 60;
  std::vector<double> panel, product;
  std::size_t compared = 0;
  for (const FrontKernel* kernel : front_kernels()) {
    std::vector<double> a = start, c = square;
    ASSERT_TRUE(kernel->factor_panel(a.data(), n, n, 24));
    kernel->subtract_product({c.data(), m, a.data() + k, n, a.data() + k, n, m, m, k, true});
    for (std::size_t j = 0; j < m; ++j)  // above the diagonal lies whatever tiles left there
      for (std::size_t i = 0; i < j; ++i) c[j * m + i] = 0;
    if (panel.empty()) panel = a, product = c;
    EXPECT_EQ(std::memcmp(panel.data(), a.data(), a.size() * sizeof(double)), 0) << kernel->name;
    EXPECT_EQ(std::memcmp(product.data(), c.data(), c.size() * sizeof(double)), 0) << kernel->name;
    double worst = 0;  // against the definition
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = j; i < m; ++i) {
        double sum = 1;
        for (std::size_t q = 0; q < k; ++q) sum -= a[q * n + k + i] * a[q * n + k + j];
        worst = std::max(worst, std::abs(sum - c[j * m + i]));
      }
    }
    EXPECT_LT(worst, 1e-12) << kernel->name;
    ++compared;
  }
  std::printf("%zu instruction sets compared\n", compared);
  EXPECT_GE(compared, 1u);
}

// What makes elimination by the tree right: every node is in one set, and no edge joins two subtrees.
void expect_separates(const Dissection& d, const BlockPattern& pattern) {
  std::vector<std::uint32_t> set_of(pattern.size()), seen(pattern.size(), 0);
  for (std::uint32_t s = 0; s < d.sets(); ++s) {
    for (std::uint32_t i = d.first[s]; i < d.first[s + 1]; ++i) set_of[d.order[i]] = s, ++seen[d.order[i]];
    EXPECT_GT(d.parent[s], s);  // none is the largest number
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1u), static_cast<std::ptrdiff_t>(seen.size()));
  const auto above = [&](std::uint32_t low, std::uint32_t high) {
    while (low != Dissection::none && low < high) low = d.parent[low];
    return low == high;
  };
  for (std::uint32_t j = 0; j < pattern.size(); ++j)
    for (const std::uint32_t i : pattern.column(j)) {
      const auto [low, high] = std::minmax(set_of[i], set_of[j]);
      EXPECT_TRUE(above(low, high)) << i << " and " << j;
    }
}

TEST(Sparse, DissectionSeparates) {
  const Problem p = lattice(12, 9, 7);
  EXPECT_GT(p.pattern.blocks(), 5000u);
  expect_separates(dissect(p.pattern, p.places), p.pattern);
}

TEST(Sparse, MendedDissectionsSeparateToo) {
  const Problem p = lattice(12, 9, 7);
  Dissection tree = dissect(p.pattern, p.places);
  BlockPattern pattern = p.pattern;
  Rng rng(5);
  for (const int more : {0, 1, 30, 400}) {
    std::vector<std::array<std::uint32_t, 2>> pairs;
    const auto nodes = static_cast<std::uint32_t>(pattern.size());
    for (int k = 0; k < more; ++k) {
      const std::uint32_t a = rng.below(nodes);
      pairs.push_back({a, rng.below(nodes)});
    }
    pattern = with_blocks(pattern, pairs);
    const auto found = mended(tree, pattern);
    ASSERT_TRUE(found.has_value());
    if (more == 0) {
      EXPECT_EQ(found->order, tree.order);
    }
    expect_separates(*found, pattern);
    tree = *found;
  }
}

TEST(Sparse, MissingSolverIsAnError) {
  if (has_solver(SolverKind::cholmod)) GTEST_SKIP() << "this build has CHOLMOD";
  const Problem p = lattice(2, 2, 2);
  const auto solver = make_solver(SolverKind::cholmod, p.pattern, dissect(p.pattern, p.places));
  ASSERT_FALSE(solver);
  EXPECT_NE(solver.error().remedy.find("SUPPLE_CHOLMOD"), std::string::npos);
}

}  // namespace
}  // namespace supple::simulate
