// Factors of symmetric matrices: of all of it, of its largest part, of its largest eigenvalues.
#include <algorithm>
#include <cmath>

#include "supple/author/learn/dense.h"
#include "supple/base/parallel.h"
#include "supple/base/wide.h"

namespace supple::learn {
namespace {

constexpr std::size_t sum_lanes = 8;
constexpr std::size_t rows_at_once = 16, columns_at_once = 64;
constexpr std::size_t jacobi_is_quicker = 160;  // rows
constexpr std::size_t spare = 16;               // vectors that take part in the iteration and are dropped
constexpr int subspace_rounds = 8;

/// Rows become orthonormal, in order; twice over, since once loses digits. Rows that others span become 0.
void orthonormalize_rows(DenseMatrix& a) {
  for (std::size_t r = 0; r < a.rows; ++r) {
    const double before = std::sqrt(dot(a.row(r), a.row(r)));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < r; ++k) add_scaled(a.row(r), -dot(a.row(k), a.row(r)), a.row(k));
    const double length = std::sqrt(dot(a.row(r), a.row(r)));
    const double scale = length > 1e-13 * before ? 1 / length : 0;
    for (double& v : a.row(r)) v *= scale;
  }
}

}  // namespace

SUPPLE_WIDE void add_scaled(std::span<double> to, double factor, std::span<const double> from) {
  const std::size_t count = to.size();
  double* __restrict target = to.data();
  const double* __restrict source = from.data();
  for (std::size_t i = 0; i < count; ++i) target[i] += factor * source[i];
}

SUPPLE_WIDE void add_scaled(std::span<double> to, std::span<const double> factors,
                            std::span<const double* const> rows) {
  const std::size_t count = to.size();
  double* __restrict target = to.data();
  std::size_t k = 0;
  for (; k + 4 <= factors.size(); k += 4) {
    const double f = factors[k], g = factors[k + 1], h = factors[k + 2], m = factors[k + 3];
    const double* __restrict a = rows[k], * __restrict b = rows[k + 1], * __restrict c = rows[k + 2], * __restrict d = rows[k + 3];
    for (std::size_t i = 0; i < count; ++i) target[i] = (((target[i] + f * a[i]) + g * b[i]) + h * c[i]) + m * d[i];
  }
  for (; k < factors.size(); ++k) {
    const double f = factors[k];
    const double* __restrict a = rows[k];
    for (std::size_t i = 0; i < count; ++i) target[i] += f * a[i];
  }
}

SUPPLE_WIDE double dot(std::span<const double> a, std::span<const double> b) {
  double sum[sum_lanes] = {};
  std::size_t i = 0;
  for (; i + sum_lanes <= a.size(); i += sum_lanes)
    for (std::size_t l = 0; l < sum_lanes; ++l) sum[l] += a[i + l] * b[i + l];
  for (; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.rows, b.columns);
  std::vector<const double*> rows;
  for (std::size_t k = 0; k < b.rows; ++k) rows.push_back(b.row(k).data());
  parallel_for(a.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) add_scaled(result.row(r), a.row(r), rows);
  });
  return result;
}

DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}

bool cholesky(DenseMatrix& a) {
  const std::size_t n = a.rows;
  for (std::size_t c = 0; c < n; ++c) {
    const double pivot = a(c, c) - dot(a.row(c).first(c), a.row(c).first(c));
    if (!(pivot > 0)) return false;
    a(c, c) = std::sqrt(pivot);
    parallel_for(n - c - 1, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = c + 1 + begin; r < c + 1 + end; ++r)
        a(r, c) = (a(r, c) - dot(a.row(r).first(c), a.row(c).first(c))) / a(c, c);
    });
  }
  return true;
}

void forward_substitute(const DenseMatrix& l, DenseMatrix& b) {
  parallel_for(b.columns, columns_at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<double> factors;
    std::vector<const double*> rows;
    for (std::size_t k = 0; k < l.rows; ++k) {
      const std::span<double> to = b.row(k).subspan(begin, end - begin);
      factors.assign(l.row(k).begin(), l.row(k).begin() + static_cast<std::ptrdiff_t>(k));
      for (double& f : factors) f = -f;
      add_scaled(to, factors, rows);
      for (double& v : to) v /= l(k, k);
      rows.push_back(to.data());
    }
  });
}

void back_substitute(const DenseMatrix& l, DenseMatrix& b) {
  parallel_for(b.columns, columns_at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<double> factors;
    std::vector<const double*> rows;  // from the last one
    for (std::size_t k = l.rows; k-- > 0;) {
      const std::span<double> to = b.row(k).subspan(begin, end - begin);
      factors.clear();
      for (std::size_t j = l.rows; j-- > k + 1;) factors.push_back(-l(j, k));
      add_scaled(to, factors, rows);
      for (double& v : to) v /= l(k, k);
      rows.push_back(to.data());
    }
  });
}

PivotedCholesky pivoted_cholesky(const DenseMatrix& a, std::size_t most, double tolerance) {
  const std::size_t n = a.rows;
  PivotedCholesky result;
  std::vector<double> left(n);
  for (std::size_t i = 0; i < n; ++i) left[i] = a(i, i);
  DenseMatrix& columns = result.columns;
  columns.columns = n;
  while (result.pivots.size() < std::min(most, n)) {
    const auto p = static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
    if (!(left[p] > tolerance)) break;
    const double size = std::sqrt(left[p]);
    std::vector<double> column(a.row(p).begin(), a.row(p).end());
    for (std::size_t k = 0; k < columns.rows; ++k) add_scaled(column, -columns(k, p), columns.row(k));
    for (std::size_t i = 0; i < n; ++i) {
      column[i] /= size;
      left[i] -= column[i] * column[i];
    }
    for (const std::size_t taken : result.pivots) column[taken] = 0;  // rounding
    column[p] = size;
    left[p] = -1;
    columns.values.insert(columns.values.end(), column.begin(), column.end());
    ++columns.rows;
    result.pivots.push_back(p);
  }
  return result;
}

DenseEigen largest_eigen(const DenseMatrix& a, std::size_t count) {
  const std::size_t n = a.rows;
  if (n <= jacobi_is_quicker || count + spare >= n / 2) return symmetric_eigen(a);
  DenseMatrix q = pivoted_cholesky(a, count + spare, 0).columns;  // rows span what the largest vectors do, nearly
  for (int i = 0; i < subspace_rounds; ++i) {
    orthonormalize_rows(q);
    q = product(q, a);  // a is symmetric: (a q^T)^T
  }
  orthonormalize_rows(q);
  const DenseMatrix image = product(q, a);
  DenseMatrix small(q.rows, q.rows);
  for (std::size_t i = 0; i < q.rows; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      small(i, j) = small(j, i) = (dot(image.row(i), q.row(j)) + dot(image.row(j), q.row(i))) / 2;
  const DenseEigen within = symmetric_eigen(std::move(small));
  DenseEigen result;
  result.vectors = DenseMatrix(n, count);
  for (std::size_t m = 0; m < std::min(count, q.rows); ++m) {
    result.values.push_back(within.values[m]);
    for (std::size_t k = 0; k < q.rows; ++k)
      for (std::size_t i = 0; i < n; ++i) result.vectors(i, m) += q(k, i) * within.vectors(k, m);
  }
  result.values.resize(count, 0.0);
  return result;
}

}  // namespace supple::learn
