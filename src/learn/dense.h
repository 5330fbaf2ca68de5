// Small dense linear algebra in double precision: the systems of a joint's examples, tens to hundreds of rows.
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

}  // namespace supple::learn
