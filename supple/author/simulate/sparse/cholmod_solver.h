// CHOLMOD's supernodal Cholesky behind the solver interface; an option of the build, as that part of it is under the
// GPL.
#pragma once

#include "supple/author/simulate/sparse/solver.h"

namespace supple::simulate {

extern const bool has_cholmod;
/// Only where has_cholmod.
std::unique_ptr<SparseSolver> make_cholmod(const BlockPattern& pattern);

}  // namespace supple::simulate
