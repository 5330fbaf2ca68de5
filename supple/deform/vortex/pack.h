// Vortices as the kernel reads them.
#pragma once

#include "supple/deform/vortex/dynamics.h"

namespace supple {

/// Sizes of a state for a table.
void prepare(const VortexTable& table, VortexState& state);

/// Brings a state's sets up to date with its frames and vorticity. Does not allocate.
void pack(const VortexTable& table, VortexState& state);

}  // namespace supple
