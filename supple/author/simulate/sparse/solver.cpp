#include "supple/author/simulate/sparse/solver.h"

#include "supple/author/simulate/sparse/cholesky.h"
#include "supple/author/simulate/sparse/cholmod_solver.h"

namespace supple::simulate {

bool has_solver(SolverKind kind) { return kind == SolverKind::cholesky || has_cholmod; }

Result<std::unique_ptr<SparseSolver>> make_solver(SolverKind kind, const BlockPattern& pattern,
                                                  const Dissection& order) {
  if (kind == SolverKind::cholesky) return std::unique_ptr<SparseSolver>(std::make_unique<Cholesky>(pattern, order));
  if (!has_cholmod)
    return Error{"cholmod", "is not part of this build", "configure with -DSUPPLE_CHOLMOD=ON, or use cholesky"};
  return make_cholmod(pattern);
}

}  // namespace supple::simulate
