// What is told of skin that follows fewer joints than before.
#pragma once

#include "supple/rig/reduce_influences.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// How many vertices, how far off in millimetres at worst, and where; nothing where none was reduced. `unit`: metres
/// per unit of the file.
void warn_of_reduction(const ReducedInfluences& reduced, std::size_t influences, const Character& character, Work& work,
                       double unit = 1);

}  // namespace supple::workflow
