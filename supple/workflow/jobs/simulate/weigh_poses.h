// How much each pose that a lattice shows counts beside the others.
#pragma once

#include "supple/workflow/jobs/simulate/teach_lattice.h"

namespace supple::workflow {

/// Lowers the weights of poses that are no frames of clips and leaves out absurd ones: see teach_lattice().
void weigh_poses(LatticeTaught& taught, const lattice::LatticeTeacher& teacher);

}  // namespace supple::workflow
