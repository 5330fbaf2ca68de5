// What `supple fit` is told.
#pragma once

#include <vector>

#include "cli/command.h"
#include "supple/workflow/jobs/fit/options.h"

namespace supple::cli {

using workflow::FitMethod;

struct FitCommand : workflow::FitOptions {
  std::string report;
  bool no_pictures = false;
  // Options that mean nothing to other methods.
  std::vector<Option> kernel_only, modes_only, eigenskin_only, pose_space_only, weighted_only;
};

void declare_fit_options(Command& app, FitCommand& options);

/// Refuses options that belong to another method than the one asked for.
Result<void> check_method(const FitCommand& options);

}  // namespace supple::cli
