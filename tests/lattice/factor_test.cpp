// Sparse factors on lattices against dense ones.
#include "supple/author/lattice/factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/author/simulate/sparse/cholesky.h"
#include "supple/base/rng.h"
#include "support/lattice_shapes.h"

namespace supple::lattice {
namespace {

using test::cut_box;
using test::surface_of;

/// Symmetric and positive definite, n by n.
struct Dense {
  std::size_t n = 0;
  std::vector<double> values;
  double& at(std::size_t r, std::size_t c) { return values[r * n + c]; }

  /// Solves by Cholesky's formulas.
  std::vector<double> solve(std::vector<double> x) const {
    std::vector<double> l = values;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) l[j * n + j] -= l[j * n + k] * l[j * n + k];
      l[j * n + j] = std::sqrt(l[j * n + j]);
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t k = 0; k < j; ++k) l[i * n + j] -= l[i * n + k] * l[j * n + k];
        l[i * n + j] /= l[j * n + j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
      x[i] /= l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
      x[i] /= l[i * n + i];
    }
    return x;
  }
};

/// Two bars side by side that share no node.
Lattice two_bars() {
  Surface s = surface_of(cut_box({0, 0, 0}, {0.12, 1, 0.12}, {2, 9, 2}));
  test::append_surface(s, cut_box({0.5, 0, 0}, {0.6, 1, 0.1}, {2, 9, 2}), test::all_of(0));
  return make_lattice(s, 100).value();
}

struct Problem {
  Lattice lattice = two_bars();
  SymmetricMatrix sparse{lattice};
  Dense dense;
};

/// Springs of random stiffness along edges and diagonals of cells, and a random hold.
Problem random_problem(double hold) {
  Problem p;
  const std::size_t n = p.lattice.nodes.size();
  p.dense = {n, std::vector<double>(n * n)};
  Rng rng(11);
  for (const Cell& cell : p.lattice.cells)
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double k = rng.uniform(0.1, 2);
        p.sparse.add_edge(cell[a], cell[b], k);
        p.dense.at(cell[a], cell[a]) += k;
        p.dense.at(cell[b], cell[b]) += k;
        p.dense.at(cell[a], cell[b]) -= k;
        p.dense.at(cell[b], cell[a]) -= k;
      }
  for (std::uint32_t i = 0; i < n; ++i) {
    const double k = hold * rng.uniform(0.5, 1.5);
    p.sparse.add(i, i, k);
    p.dense.at(i, i) += k;
  }
  return p;
}

TEST(Factor, SolvesAsADenseMatrixDoes) {
  const Problem p = random_problem(0.3);
  const std::size_t n = p.lattice.nodes.size();
  ASSERT_GT(n, 100u);
  const Factor factor(p.sparse);
  Rng rng(2);
  std::vector<Lanes> x(3 * n);
  for (Lanes& l : x)
    for (float& v : l.lane) v = static_cast<float>(rng.uniform(-1, 1));
  std::vector<Lanes> solved = x;
  factor.solve(solved.data());
  // Each coordinate of each lane is a right-hand side of its own.
  for (const std::size_t axis : {0u, 1u, 2u})
    for (const std::size_t lane : {0u, 7u, 15u}) {
      std::vector<double> right(n);
      for (std::uint32_t i = 0; i < n; ++i) right[i] = double{x[3 * factor.place(i) + axis].lane[lane]};
      const std::vector<double> expected = p.dense.solve(right);
      double largest = 0;
      for (const double v : expected) largest = std::max(largest, std::abs(v));
      for (std::uint32_t i = 0; i < n; ++i)  // single precision, condition number about 100
        EXPECT_NEAR(double{solved[3 * factor.place(i) + axis].lane[lane]}, expected[i], 2e-5 * largest);
    }
}

TEST(Factor, AWeaklyHeldLatticeKeepsThreeDigits) {
  // What keeps pieces from drifting is ten thousand times weaker than the lattice.
  const Problem p = random_problem(1e-4);
  const std::size_t n = p.lattice.nodes.size();
  const Factor factor(p.sparse);
  std::vector<Lanes> x(3 * n);
  std::vector<double> right(n);
  Rng rng(4);
  for (std::uint32_t i = 0; i < n; ++i) {
    right[i] = rng.uniform(-1e-4, 1e-4);
    x[3 * factor.place(i)].lane[3] = static_cast<float>(right[i]);
  }
  factor.solve(x.data());
  const std::vector<double> expected = p.dense.solve(right);
  double largest = 0;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::uint32_t i = 0; i < n; ++i)
    EXPECT_NEAR(double{x[3 * factor.place(i)].lane[3]}, expected[i], 1e-2 * largest) << i;
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(x[3 * factor.place(i) + 1].lane[3], 0);  // nothing leaks over
}

TEST(Factor, PlacesAndOrderAreInverse) {
  const Problem p = random_problem(1);
  const Factor factor(p.sparse);
  ASSERT_EQ(factor.order().size(), p.lattice.nodes.size());
  for (std::uint32_t i = 0; i < p.lattice.nodes.size(); ++i) EXPECT_EQ(factor.order()[factor.place(i)], i);
}

TEST(Factor, EntriesOfAMatrixAddUp) {
  const Lattice l = two_bars();
  SymmetricMatrix once(l), twice(l);
  for (std::uint32_t i = 0; i < l.nodes.size(); ++i) once.add(i, i, 4), twice.add(i, i, 1), twice.add(i, i, 3);
  const std::uint32_t a = l.cells[0][0], b = l.cells[0][7];
  once.add_edge(a, b, 2);
  once.add_edge(a, a, 5);  // no spring
  twice.add(a, b, -0.5), twice.add(b, a, -1.5);
  twice.add(a, a, 2), twice.add(b, b, 2);
  const Factor f(once), g(twice);
  std::vector<Lanes> x(3 * l.nodes.size()), y;
  x[3 * f.place(a)].lane[0] = 1;
  y = x;
  f.solve(x.data());
  g.solve(y.data());
  // (6 -2; -2 6) (x_a x_b) = (1 0)
  EXPECT_NEAR(x[3 * f.place(a)].lane[0], 6.0 / 32, 1e-6);
  EXPECT_NEAR(x[3 * f.place(b)].lane[0], 2.0 / 32, 1e-6);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].lane[0], y[i].lane[0]);
}

/// The same matrices for the solver itself: one number for each pair of nodes.
struct Numbers {
  simulate::BlockPattern pattern;
  std::vector<double> values;
  std::vector<Vec3d> places;
};

Numbers numbers_of(const Problem& p) {
  Numbers result;
  const std::size_t n = p.dense.n;
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = j; i < n; ++i) {
      const double value = p.dense.values[i * n + j];
      if (value == 0) continue;
      result.pattern.rows.push_back(i);
      result.values.push_back(value);
    }
    result.pattern.first.push_back(result.pattern.rows.size());
    result.places.push_back(Vec3d(p.lattice.nodes[j]));
  }
  return result;
}

TEST(CholeskyOfNumbers, SolvesAsADenseMatrixDoes) {
  const Problem p = random_problem(0.3);
  const Numbers m = numbers_of(p);
  simulate::Cholesky cholesky(m.pattern, simulate::dissect(m.pattern, m.places), 1);
  ASSERT_TRUE(cholesky.factorize(m.values));
  Rng rng(5);
  std::vector<double> x(p.dense.n);
  for (double& v : x) v = rng.uniform(-1, 1);
  const std::vector<double> expected = p.dense.solve(x);
  cholesky.solve(x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-12);
}

TEST(CholeskyOfNumbers, PanelsMultiplyToTheMatrix) {
  const Problem p = random_problem(0.3);
  const std::size_t n = p.dense.n;
  const Numbers m = numbers_of(p);
  simulate::Cholesky cholesky(m.pattern, simulate::dissect(m.pattern, m.places), 1);
  ASSERT_TRUE(cholesky.factorize(m.values));
  std::vector<double> l(n * n);
  std::uint32_t next = 0;
  for (const simulate::Cholesky::Panel& panel : cholesky.panels()) {
    EXPECT_EQ(panel.first, next);
    next += panel.columns;
    const std::size_t rows = panel.columns + panel.below.size();
    ASSERT_EQ(panel.values.size(), rows * panel.columns);
    for (std::size_t c = 0; c < panel.columns; ++c)
      for (std::size_t r = c; r < rows; ++r) {
        const std::size_t row = r < panel.columns ? panel.first + r : panel.below[r - panel.columns];
        ASSERT_GE(row, panel.first + c);
        l[row * n + panel.first + c] = panel.values[c * rows + r];
      }
  }
  EXPECT_EQ(next, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += l[i * n + k] * l[j * n + k];
      ASSERT_NEAR(sum, p.dense.values[cholesky.order()[i] * n + cholesky.order()[j]], 1e-12);
    }
}

TEST(CholeskyOfNumbers, TellsIndefiniteFromDefinite) {
  const Problem p = random_problem(0.3);
  Numbers m = numbers_of(p);
  simulate::Cholesky cholesky(m.pattern, simulate::dissect(m.pattern, m.places), 1);
  ASSERT_TRUE(cholesky.factorize(m.values));
  const std::vector<double> sound = m.values;
  m.values[m.pattern.first[40]] = -1;
  EXPECT_FALSE(cholesky.factorize(m.values));
  EXPECT_TRUE(cholesky.factorize(sound));
}

}  // namespace
}  // namespace supple::lattice
