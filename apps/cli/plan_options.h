// How every command that makes a pose plan says which poses it means.
#pragma once

#include <vector>

#include "cli/command.h"
#include "supple/rig/pose_plan.h"

namespace supple::cli {

/// `options` must outlive the parsing. Returns what was declared.
std::vector<Option> declare_plan_options(Command& app, PlanOptions& options);

}  // namespace supple::cli
