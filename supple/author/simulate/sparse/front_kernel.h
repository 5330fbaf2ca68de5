// The dense arithmetic inside a sparse Cholesky factorisation, one compilation per instruction set.
#pragma once

#include <cstddef>
#include <vector>

namespace supple::simulate {

/// c -= a * b^T for an m by n block of c and k columns of a and b; all stored by columns with their leading dimensions.
struct ProductBlock {
  double* c = nullptr;
  std::size_t ldc = 0;
  const double* a = nullptr;  // m by k
  std::size_t lda = 0;
  const double* b = nullptr;  // n by k
  std::size_t ldb = 0;
  std::size_t m = 0, n = 0, k = 0;
  bool lower = false;  // c is square and only its lower triangle is wanted; what lies above may be anything
};

/// Every instruction set adds the same products in the same order and never fuses them: wider vectors, the same bits.
struct FrontKernel {
  void (*subtract_product)(const ProductBlock& block);
  /// Cholesky of the leading w by w block of a panel (n by w, by columns), then the rows below are divided by it. False
  /// where a pivot is not positive.
  bool (*factor_panel)(double* panel, std::size_t ld, std::size_t n, std::size_t w);
  const char* name;
};
/// The widest that this processor has.
const FrontKernel& front_kernel();
/// All that this processor has, narrowest first.
std::vector<const FrontKernel*> front_kernels();

}  // namespace supple::simulate
