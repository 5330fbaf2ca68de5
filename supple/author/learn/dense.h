// Small dense linear algebra in double precision: the systems of examples, tens to a few thousand rows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace supple::learn {

/// Row by row.
struct DenseMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  DenseMatrix() = default;
  DenseMatrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
  double& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double operator()(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
  std::span<double> row(std::size_t r) { return {values.data() + r * columns, columns}; }
  std::span<const double> row(std::size_t r) const { return {values.data() + r * columns, columns}; }
};

/// a = vectors * diag(values) * vectors^T; values descend, vectors are columns.
struct DenseEigen {
  std::vector<double> values;
  DenseMatrix vectors;
};
/// Of a symmetric matrix, by cyclic Jacobi rotations: slower than reduction to tridiagonal form and more accurate for
/// small eigenvalues.
DenseEigen symmetric_eigen(DenseMatrix a);

/// x of a x = b for every column of b, by LU with partial pivoting; nothing where a is singular to working precision.
std::optional<DenseMatrix> solve(DenseMatrix a, DenseMatrix b);

/// Sum of products, in eight sums that a compiler may keep side by side: the same bits everywhere.
double dot(std::span<const double> a, std::span<const double> b);
/// to += factor * from
void add_scaled(std::span<double> to, double factor, std::span<const double> from);
/// The same with several, one after the other: factors[k] * rows[k], four at a time so that `to` is gone through less
/// often.
void add_scaled(std::span<double> to, std::span<const double> factors, std::span<const double* const> rows);
DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix transposed(const DenseMatrix& a);

/// Overwrites the lower triangle of a symmetric matrix with l, a = l l^T; false where it is not positive definite.
bool cholesky(DenseMatrix& a);
/// Overwrites b with x, l x = b and l^T x = b for every column of b; l is lower triangular.
void forward_substitute(const DenseMatrix& l, DenseMatrix& b);
void back_substitute(const DenseMatrix& l, DenseMatrix& b);

/// The first columns of a Cholesky factor whose next pivot is always the largest that is left: a ~ l l^T.
struct PivotedCholesky {
  DenseMatrix columns;              // l^T: a row of #a for every pivot
  std::vector<std::size_t> pivots;  // rows of a; l is lower triangular in their order
};
/// Stops after `most` pivots, or when none is above `tolerance`. `a` is symmetric and positive semidefinite.
PivotedCholesky pivoted_cholesky(const DenseMatrix& a, std::size_t most, double tolerance);

/// The largest eigenvalues of a symmetric, positive semidefinite matrix and their vectors, by subspace iteration from
/// its largest pivots; all of them, by symmetric_eigen, where that is quicker.
DenseEigen largest_eigen(const DenseMatrix& a, std::size_t count);

}  // namespace supple::learn
