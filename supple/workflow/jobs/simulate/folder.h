// The folder that examples go to: what it may hold before.
#pragma once

#include "supple/workflow/jobs/simulate/options.h"

namespace supple::workflow {

/// An earlier result is gone on with or begun again only where that was asked for.
Result<void> check_folder(const SimulateOptions& options);

/// Makes the folder, and where it is forced takes away what an earlier call left.
Result<void> open_folder(const SimulateOptions& options);

}  // namespace supple::workflow
