// What Newton's method asks of a sparse direct solver.
#pragma once

#include <memory>
#include <string_view>

#include "supple/author/simulate/sparse/dissection.h"
#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple::simulate {

class SparseSolver {
 public:
  virtual ~SparseSolver() = default;
  /// False where the matrix is not positive definite; solve() is then not to be called. Diagonal blocks are read from
  /// their lower triangles.
  virtual bool factorize(std::span<const double> values) = 0;
  /// Overwrites the right-hand side with the solution.
  virtual void solve(std::span<double> x) = 0;
  /// Numbers in the factor, and multiplications and additions to make it.
  virtual double factor_entries() const = 0;
  virtual double factor_operations() const = 0;
};

enum class SolverKind { cholesky, cholmod };

/// Asking for a solver that this build lacks is an error. CHOLMOD finds an order of its own.
Result<std::unique_ptr<SparseSolver>> make_solver(SolverKind kind, const BlockPattern& pattern,
                                                  const Dissection& order);
/// Whether this build has it.
bool has_solver(SolverKind kind);

}  // namespace supple::simulate
