#include "supple/author/simulate/sparse/cholmod_solver.h"

#if defined(SUPPLE_HAS_CHOLMOD)

#include <suitesparse/cholmod.h>

#include <algorithm>

namespace supple::simulate {
namespace {

class CholmodSolver final : public SparseSolver {
 public:
  explicit CholmodSolver(const BlockPattern& pattern) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_METIS;
    const std::size_t n = 3 * pattern.size();
    matrix_ = cholmod_allocate_sparse(n, n, 9 * pattern.blocks(), 1, 1, -1, CHOLMOD_REAL, &common_);
    auto* columns = static_cast<int*>(matrix_->p);
    auto* rows = static_cast<int*>(matrix_->i);
    for (std::size_t j = 0; j < pattern.size(); ++j) {
      const std::size_t count = pattern.first[j + 1] - pattern.first[j];
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t start = 9 * pattern.first[j] + c * 3 * count;
        columns[3 * j + c] = static_cast<int>(start);
        for (std::size_t k = 0; k < 3 * count; ++k)
          rows[start + k] = static_cast<int>(3 * pattern.rows[pattern.first[j] + k / 3] + k % 3);
      }
    }
    columns[n] = static_cast<int>(9 * pattern.blocks());
    first_ = pattern.first;
    factor_ = cholmod_analyze(matrix_, &common_);
    entries_ = common_.lnz;
    operations_ = common_.fl;
  }
  ~CholmodSolver() override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_sparse(&matrix_, &common_);
    cholmod_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  bool factorize(std::span<const double> values) override {
    auto* to = static_cast<double*>(matrix_->x);
    for (std::size_t j = 0; j + 1 < first_.size(); ++j) {
      const std::size_t count = first_[j + 1] - first_[j];
      for (std::size_t b = 0; b < count; ++b)
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t r = 0; r < 3; ++r)
            to[9 * first_[j] + c * 3 * count + 3 * b + r] = values[9 * (first_[j] + b) + 3 * c + r];
    }
    common_.status = CHOLMOD_OK;
    cholmod_factorize(matrix_, factor_, &common_);
    return common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
  }

  void solve(std::span<double> x) override {
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = x.size();
    right.ncol = 1;
    right.x = x.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor_, &right, &common_);
    std::copy_n(static_cast<const double*>(solution->x), x.size(), x.data());
    cholmod_free_dense(&solution, &common_);
  }
  double factor_entries() const override { return entries_; }
  double factor_operations() const override { return operations_; }

 private:
  cholmod_common common_{};
  cholmod_sparse* matrix_ = nullptr;
  cholmod_factor* factor_ = nullptr;
  std::vector<std::size_t> first_;
  double entries_ = 0, operations_ = 0;
};

}  // namespace

const bool has_cholmod = true;
std::unique_ptr<SparseSolver> make_cholmod(const BlockPattern& pattern) {
  return std::make_unique<CholmodSolver>(pattern);
}

}  // namespace supple::simulate

#else

namespace supple::simulate {
const bool has_cholmod = false;
std::unique_ptr<SparseSolver> make_cholmod(const BlockPattern&) { return nullptr; }
}  // namespace supple::simulate

#endif
